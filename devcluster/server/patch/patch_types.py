"""Media types of patches, and the refusal of a patch of the wrong form."""

from __future__ import annotations

from typing import Any

from devcluster.server.api_errors import Failure, bad_request

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
_GO_WORDS = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def undecodable_patch(value: Any, target: str, *, prefix: str = "") -> Failure:
    """The 400 for a patch, or a part of one, of the wrong type, in the Go decoder's words."""
    word = _GO_WORDS.get(type(value), "null")
    return bad_request(f"{prefix}json: cannot unmarshal {word} into Go {target}")
