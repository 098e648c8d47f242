"""JSON patches (RFC 6902), as lenient as the real server's library, evanphx/json-patch."""

from __future__ import annotations

import copy
import re
from typing import Any

import msgspec

from devcluster.server.api_errors import Failure, unprocessable
from devcluster.server.patch.merge import copy_json
from devcluster.server.patch.patch_types import undecodable_patch

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 << 20
"""Bytes that the copies of one patch may copy: each could double the object."""
_DECODING = "error decoding patch: "


def apply_json_patch(target: dict[str, Any], patch: Any) -> dict[str, Any]:
    """The target patched. Raises Failure: 400 where the patch is no list, 422 where an operation cannot be done."""
    if not isinstance(patch, list | None):
        raise undecodable_patch(patch, "value of type []handlers.jsonPatchOp", prefix=_DECODING)
    operations = patch or []
    if len(operations) > MAX_OPERATIONS:
        why = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        raise Failure(413, "RequestEntityTooLarge", f"Request entity too large: {why}")
    for operation in operations:
        _check(operation)
    document: Any = copy.deepcopy(target)
    left = MAX_COPIED_BYTES
    for operation in operations:
        try:
            left -= _copies(document, operation)
            document = _operate(document, operation) if left >= 0 else None
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise unprocessable() from error
    if not isinstance(document, dict):
        raise unprocessable()
    return document


def _check(operation: Any) -> None:
    if not isinstance(operation, dict | None):
        raise undecodable_patch(operation, "value of type handlers.jsonPatchOp", prefix=_DECODING)
    for field in ("op", "path", "from"):
        value = (operation or {}).get(field)
        if not isinstance(value, str | None):
            raise undecodable_patch(value, f"struct field jsonPatchOp.{field} of type string", prefix=_DECODING)


def _copies(document: Any, operation: dict[str, Any]) -> int:
    """The number of bytes that an operation copies."""
    if operation["op"] != "copy":
        return 0
    return len(msgspec.json.encode(_find_or_null(document, _pointer(operation["from"]))))


def _operate(document: Any, operation: dict[str, Any]) -> Any:
    word, path, value = operation["op"], _pointer(operation["path"]), operation.get("value")
    if word == "test":
        if not _equal(_find_or_null(document, path), value):
            raise ValueError("test failed")
        return document
    if word == "copy":
        return _add(document, path, copy_json(_find_or_null(document, _pointer(operation["from"]))))
    if word == "move":
        value = _find(document, _pointer(operation["from"]))
        return _add(_remove(document, _pointer(operation["from"])), path, value)
    if word == "remove":
        return _remove(document, path)
    if word not in ("add", "replace"):
        raise ValueError(f"unknown operation {word}")
    return _add(document, path, copy_json(value), replacing=word == "replace")


def _pointer(text: Any) -> list[str]:
    if not isinstance(text, str):
        raise TypeError("a path is a string")
    if text and not text.startswith("/"):
        raise ValueError("a path begins with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON text: 1 is neither 1.0 nor true."""
    return msgspec.json.encode(left, order="sorted") == msgspec.json.encode(right, order="sorted")


def _find(document: Any, path: list[str]) -> Any:
    for step in path:
        document = document[_index(document, step)] if isinstance(document, list) else document[step]
    return document


def _find_or_null(document: Any, path: list[str]) -> Any:
    """The value to test or copy: null where the last step leads to nothing."""
    parent = _find(document, path[:-1])
    if path and isinstance(parent, dict) and path[-1] not in parent:
        return None
    return _find(document, path)


def _index(values: list[Any], step: str, *, longest: int | None = None) -> int:
    """An index into a list; those below 0 count from the end."""
    size = len(values) if longest is None else longest
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", step) or not -size <= int(step) < size:
        raise IndexError(step)
    return int(step) % size


def _add(document: Any, path: list[str], value: Any, *, replacing: bool = False) -> Any:
    if not path:
        return value
    parent, last = _find(document, path[:-1]), path[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif not isinstance(parent, list):
        raise TypeError("neither object nor array")
    elif replacing:
        parent[_index(parent, last)] = value
    else:
        parent.insert(len(parent) if last == "-" else _index(parent, last, longest=len(parent) + 1), value)
    return document


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        raise ValueError("the whole document cannot be removed")
    parent, last = _find(document, path[:-1]), path[-1]
    del parent[_index(parent, last) if isinstance(parent, list) else last]
    return document
