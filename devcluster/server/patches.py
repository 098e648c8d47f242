"""Patches: JSON patch (RFC 6902), merge patch (RFC 7386) and strategic merge patch by recorded merge keys."""

from __future__ import annotations

import copy
from typing import Any

from devcluster.server.definitions import Definitions
from devcluster.server.schema import Schema
from devcluster.server.status import bad_request, unprocessable

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

_GO_WORDS = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def merge(target: Any, patch: Any) -> Any:
    """The target with a merge patch applied; the arguments stay as they are."""
    if not isinstance(patch, dict):
        return _copied(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def _copied(value: Any) -> Any:
    """A JSON value's copy, much sooner than by copy.deepcopy."""
    if isinstance(value, dict):
        return {key: _copied(below) for key, below in value.items()}
    return [_copied(below) for below in value] if isinstance(value, list) else value


def apply_merge(target: dict[str, Any], patch: Any) -> dict[str, Any]:
    """A merge patch as a request's body. Raises Failure (400) where it is no object."""
    if not isinstance(patch, dict):
        word = _GO_WORDS.get(type(patch), "null")
        why = f"json: cannot unmarshal {word} into Go value of type map[string]interface {{}}"
        raise bad_request(f"error decoding patch: {why}")
    merged: dict[str, Any] = merge(target, patch)
    return merged


def apply_json(target: dict[str, Any], patch: Any) -> dict[str, Any]:
    """A JSON patch. Raises Failure: 400 where it is no list, 422 where an operation cannot be done."""
    if not isinstance(patch, list):
        word = _GO_WORDS.get(type(patch), "null")
        why = f"json: cannot unmarshal {word} into Go value of type []handlers.jsonPatchOp"
        raise bad_request(f"error decoding patch: {why}")
    odd = [operation for operation in patch if not isinstance(operation, dict)]
    if odd:
        word = _GO_WORDS.get(type(odd[0]), "null")
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {word} into Go value of type handlers.jsonPatchOp"
        )
    document = copy.deepcopy(target)
    for operation in patch:
        try:
            document = _operate(document, operation)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise unprocessable() from error
    if not isinstance(document, dict):
        raise unprocessable()
    return document


def _operate(document: Any, operation: dict[str, Any]) -> Any:
    word, path = operation["op"], _pointer(operation["path"])
    if word == "test":
        if not _equal(_find(document, path), operation.get("value")):
            raise ValueError("test failed")
        return document
    if word == "copy":
        return _add(document, path, _copied(_find_or_null(document, _pointer(operation["from"]))))
    if word == "move":
        value = _find(document, _pointer(operation["from"]))
        return _add(_remove(document, _pointer(operation["from"])), path, value)
    if word == "remove":
        return _remove(document, path)
    if word not in ("add", "replace"):
        raise ValueError(f"unknown operation {word}")
    return _add(document, path, copy.deepcopy(operation["value"]), replacing=word == "replace")


def _pointer(text: Any) -> list[str]:
    if not isinstance(text, str):
        raise TypeError("a path is a string")
    if text and not text.startswith("/"):
        raise ValueError("a path begins with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _equal(left: Any, right: Any) -> bool:
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _find(document: Any, path: list[str]) -> Any:
    for step in path:
        document = document[_index(document, step)] if isinstance(document, list) else document[step]
    return document


def _find_or_null(document: Any, path: list[str]) -> Any:
    """What a copy copies: null where the last step leads to nothing, as evanphx/json-patch has it."""
    parent = _find(document, path[:-1])
    if path and isinstance(parent, dict) and path[-1] not in parent:
        return None
    return _find(document, path)


def _index(values: list[Any], step: str, *, longest: int | None = None) -> int:
    limit = len(values) - 1 if longest is None else longest
    if not step.isdigit() or (len(step) > 1 and step.startswith("0")) or int(step) > limit:
        raise IndexError(step)
    return int(step)


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
        parent.insert(len(parent) if last == "-" else _index(parent, last, longest=len(parent)), value)
    return document


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        raise ValueError("the whole document cannot be removed")
    parent, last = _find(document, path[:-1]), path[-1]
    del parent[_index(parent, last) if isinstance(parent, list) else last]
    return document


class StrategicMerge:
    """Strategic merge patches for the built-in kinds: lists merge by the keys that their definitions name.

    Directives: ``$patch: delete`` and ``replace``, ``$deleteFromPrimitiveList/…``, ``$setElementOrder/…``,
    ``$retainKeys``. Source: apimachinery's util/strategicpatch.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def apply(self, target: dict[str, Any], patch: Any, schema: Schema) -> dict[str, Any]:
        """The target with the patch applied. Raises Failure (400) where the patch is no object."""
        if not isinstance(patch, dict):
            return apply_merge(target, patch)
        return self._merge(target, patch, schema)

    def _merge(self, target: Any, patch: dict[str, Any], schema: Schema) -> dict[str, Any]:
        schema = self._definitions.resolve(schema)
        directive = patch.get("$patch")
        plain = {key: value for key, value in patch.items() if not key.startswith("$")}
        if directive == "delete":
            return {}
        result = dict(target) if isinstance(target, dict) and directive != "replace" else {}
        if "$retainKeys" in patch:
            result = {key: value for key, value in result.items() if key in patch["$retainKeys"]}
        self._drop_primitives(result, patch)
        for key, value in plain.items():
            below = schema.get("properties", {}).get(key) or schema.get("additionalProperties") or {}
            if value is None:
                result.pop(key, None)
            else:
                result[key] = self._value(result.get(key), value, below, patch.get(f"$setElementOrder/{key}"))
        return result

    @staticmethod
    def _drop_primitives(result: dict[str, Any], patch: dict[str, Any]) -> None:
        for key, gone in patch.items():
            directive, _, name = key.partition("/")
            if directive == "$deleteFromPrimitiveList" and isinstance(result.get(name), list):
                result[name] = [value for value in result[name] if value not in gone]

    def _value(self, old: Any, new: Any, schema: Schema, order: list[Any] | None) -> Any:
        if isinstance(new, dict):
            return self._merge(old, new, schema)
        if isinstance(new, list) and "merge" in schema.get("x-kubernetes-patch-strategy", ""):
            return self._list(old if isinstance(old, list) else [], new, schema, order)
        return [item for item in new if not _is_directive(item)] if isinstance(new, list) else new

    def _list(self, old: list[Any], new: list[Any], schema: Schema, order: list[Any] | None) -> list[Any]:
        key = schema.get("x-kubernetes-patch-merge-key")
        if any(isinstance(item, dict) and item.get("$patch") == "replace" for item in new):
            return [item for item in new if not _is_directive(item)]
        if key is None:
            result = old + [item for item in new if item not in old]
        else:
            result = list(old)
            for item in new:
                self._list_item(result, item, key, schema)
        return _in_order(result, old, new if order is None else order, key)

    def _list_item(self, result: list[Any], item: Any, key: str, schema: Schema) -> None:
        if not isinstance(item, dict) or key not in item:
            raise bad_request(f"map: {item} does not contain declared merge key: {key}")
        places = [i for i, there in enumerate(result) if isinstance(there, dict) and there.get(key) == item[key]]
        if item.get("$patch") == "delete":
            for place in reversed(places):
                del result[place]
        elif places:
            result[places[0]] = self._merge(result[places[0]], item, schema["items"])
        else:
            result.append(self._merge({}, item, schema["items"]))


def _in_order(merged: list[Any], old: list[Any], order: list[Any], key: str | None) -> list[Any]:
    """Items of the patch in its order, the others in theirs; two that were there before as they stood."""

    def name(item: Any) -> Any:
        return item.get(key) if key is not None and isinstance(item, dict) else item

    wanted, before = [name(item) for item in order], [name(item) for item in old]
    right = sorted((item for item in merged if name(item) in wanted), key=lambda item: wanted.index(name(item)))
    left = [item for item in merged if name(item) not in wanted]
    result: list[Any] = []
    while left and right:
        both = name(left[0]) in before and name(right[0]) in before
        first = both and before.index(name(left[0])) < before.index(name(right[0]))
        result.append(left.pop(0) if first else right.pop(0))
    return result + left + right


def _is_directive(item: Any) -> bool:
    return isinstance(item, dict) and "$patch" in item
