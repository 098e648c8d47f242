"""Merge patches (RFC 7386), and what all kinds of patches share. The others are in json_patch.py and strategic.py."""

from __future__ import annotations

from typing import Any

from devcluster.server.status import Failure, bad_request

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

_GO_WORDS = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def undecodable(value: Any, target: str, *, prefix: str = "") -> Failure:
    """The 400 for a patch, or a part of one, of the wrong type, in the Go decoder's words."""
    word = _GO_WORDS.get(type(value), "null")
    return bad_request(f"{prefix}json: cannot unmarshal {word} into Go {target}")


def merge(target: Any, patch: Any) -> Any:
    """The target with a merge patch applied; the arguments stay as they are."""
    if not isinstance(patch, dict):
        return copied(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def copied(value: Any) -> Any:
    """A JSON value's copy, much sooner than by copy.deepcopy."""
    if isinstance(value, dict):
        return {key: copied(below) for key, below in value.items()}
    return [copied(below) for below in value] if isinstance(value, list) else value


def apply_merge(target: dict[str, Any], patch: Any) -> dict[str, Any]:
    """A merge patch as a request's body. Raises Failure (400) where it is no object."""
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise undecodable(patch, "value of type map[string]interface {}", prefix="error decoding patch: ")
    merged: dict[str, Any] = merge(target, patch)
    return merged
