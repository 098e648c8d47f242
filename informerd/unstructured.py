"""Unstructured objects: Kubernetes objects as plain dicts (apimachinery's unstructured)."""

from __future__ import annotations

from typing import Any

import msgspec

from informerd.errors import UNREADABLE, InvalidCall

Json = dict[str, Any]
"""A whole object, as it is in a manifest."""


def metadata_of(obj: Json | bytes) -> Json:
    """An object's metadata. Raises InvalidCall where it is no object."""
    try:
        decoded: Any = msgspec.json.decode(obj) if isinstance(obj, bytes) else obj
    except UNREADABLE as error:
        raise InvalidCall(f"the body is not JSON: {error}") from error
    if not isinstance(decoded, dict) or not isinstance(decoded.get("metadata") or {}, dict):
        raise InvalidCall("the body is not a Kubernetes object: it or its metadata is not a mapping")
    meta: Json = decoded.get("metadata") or {}
    return meta
