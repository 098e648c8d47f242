"""Name and namespace of an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.fields.unstructured import as_map


def namespace_of(obj: Mapping[str, Any]) -> str:
    return str(as_map(obj.get("metadata")).get("namespace") or "")


def name_of(obj: Mapping[str, Any]) -> str:
    return str(as_map(obj.get("metadata")).get("name") or "")
