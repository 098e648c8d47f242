"""Pruning and defaulting of custom resources by their structural schemas."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
"""A JSON schema as CustomResourceDefinitions hold it (openAPIV3Schema)."""

_ANYTHING: Schema = {}
_OBJECT_META = ("apiVersion", "kind", "metadata")


def prune(value: Any, schema: Schema, *, root: bool = True, path: str = "") -> list[str]:
    """Remove, in place, the fields that the schema does not name; returns their paths, sorted within each object.

    Source: apiextensions-apiserver's structural/pruning.
    """
    if isinstance(value, list):
        items = schema.get("items", {})
        return [gone for i, item in enumerate(value) for gone in prune(item, items, root=False, path=f"{path}[{i}]")]
    if not isinstance(value, dict):
        return []
    gone: list[str] = []
    for name in sorted(value):
        below = f"{path}.{name}" if path else name
        known = _field_schema(schema, name, root=root)
        if known is None:
            gone.append(below)
            del value[name]
        elif known is not _ANYTHING:
            gone += prune(value[name], known, root=bool(known.get("x-kubernetes-embedded-resource")), path=below)
    return gone


def _field_schema(schema: Schema, name: str, *, root: bool) -> Schema | None:
    """The schema of a field; `_ANYTHING` where nothing below is pruned, None where the field is unknown."""
    if root and name in _OBJECT_META:
        return _ANYTHING
    properties = schema.get("properties", {})
    if name in properties:
        field_schema: Schema = properties[name]
        return field_schema
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        return additional
    if additional is True or schema.get("x-kubernetes-preserve-unknown-fields"):
        return _ANYTHING
    return None


def fill_defaults(value: Any, schema: Schema) -> None:
    """Set the defaults of absent fields, in place, also those of objects that were just filled in.

    Source: apiextensions-apiserver's structural/defaulting.
    """
    if isinstance(value, list):
        for item in value:
            fill_defaults(item, schema.get("items", {}))
    elif isinstance(value, dict):
        _default_fields(value, schema)
        for name, below in _below(value, schema):
            fill_defaults(value[name], below)


def _default_fields(value: dict[str, Any], schema: Schema) -> None:
    for name, below in schema.get("properties", {}).items():
        if "default" in below and name not in value:
            value[name] = copy.deepcopy(below["default"])


def _below(value: dict[str, Any], schema: Schema) -> Iterator[tuple[str, Schema]]:
    properties = schema.get("properties", {})
    additional = schema.get("additionalProperties")
    for name in list(value):
        if name in properties:
            yield name, properties[name]
        elif isinstance(additional, dict):
            yield name, additional


def drop_nulls(value: Any, schema: Schema) -> None:
    """Remove, in place, nulls of fields that the schema names without allowing null: they count as absent."""
    if isinstance(value, list):
        for item in value:
            drop_nulls(item, schema.get("items", {}))
    elif isinstance(value, dict):
        for name, below in list(_below(value, schema)):
            if value[name] is None and not below.get("nullable"):
                del value[name]
            else:
                drop_nulls(value[name], below)
