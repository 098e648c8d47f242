"""Validation of structural schemas in CustomResourceDefinitions, with the real server's messages.

Source: apiextensions-apiserver's pkg/apiserver/schema/validation.go and pkg/apis/apiextensions/validation.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, not_supported, required
from devcluster.server.schema.pruning_and_defaulting import Schema, prune
from devcluster.server.validation.custom_resources import validate_custom_resource

_FREE = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string")
_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LIST_TYPES = ("atomic", "set", "map")
_NAMES = {"name", "generateName"}
_IMPLICIT = "must not specify anything other than name and generateName, but metadata is implicitly specified"
_QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"


def check_structure(
    schema: Any, path: str, *, root: bool = False, subject: str = "object fields"
) -> Iterator[FieldError]:
    """The errors in a schema, which is at `path`. `subject`, what it describes, is for the message."""
    for name, below in (schema.get("properties") or {}).items():
        yield from check_structure(below, f"{path}.properties[{name}]")
    items, additional = schema.get("items"), schema.get("additionalProperties")
    if isinstance(items, dict):
        yield from check_structure(items, f"{path}.items", subject="array items")
    if isinstance(additional, dict):
        yield from check_structure(additional, f"{path}.additionalProperties")
    if "$ref" in schema:
        yield forbidden_field(f"{path}.$ref", "$ref is not supported")
    yield from _check_type(schema, path, root=root, what=subject)
    yield from _check_parts(schema, path)
    yield from _check_list(schema, path)
    if root and set((schema.get("properties") or {}).get("metadata", {}).get("properties") or ()) - _NAMES:
        yield forbidden_field(f"{path}.properties[metadata]", _IMPLICIT)
    if "default" in schema and not root:
        yield from _check_default(schema, f"{path}.default")


def _check_type(schema: Schema, path: str, *, root: bool, what: str) -> Iterator[FieldError]:
    kind = schema.get("type")
    if not kind and "$ref" not in schema and (root or not any(schema.get(word) for word in _FREE)):
        yield required(f"{path}.type", f"must not be empty {'at the root' if root else f'for specified {what}'}")
    elif kind and kind not in _TYPES:
        yield not_supported(f"{path}.type", kind, _TYPES)
    elif root and kind != "object":
        yield invalid_value(f"{path}.type", kind, "must be object at the root")
    for word in ("anyOf", "oneOf", "allOf"):
        for place, part in enumerate(schema.get(word) or ()):
            if part.get("type") and not schema.get("x-kubernetes-int-or-string"):
                yield forbidden_field(f"{path}.{word}[{place}].type", "must be empty to be structural")


def _check_parts(schema: Schema, path: str) -> Iterator[FieldError]:
    if schema.get("properties") and schema.get("additionalProperties"):
        why = "additionalProperties and properties are mutual exclusive"
        yield forbidden_field(f"{path}.additionalProperties", why)
    if schema.get("uniqueItems"):
        yield forbidden_field(f"{path}.uniqueItems", _QUADRATIC)
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        yield invalid_value(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
    embedded = schema.get("x-kubernetes-embedded-resource")
    if embedded and not schema.get("properties") and not schema.get("x-kubernetes-preserve-unknown-fields"):
        why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        yield required(f"{path}.properties", why)
    try:
        re.compile(schema.get("pattern") or "")
    except re.error as error:
        why = f"must be a valid regular expression, but isn't: {error}"
        yield invalid_value(f"{path}.pattern", schema["pattern"], why)


def _check_list(schema: Schema, path: str) -> Iterator[FieldError]:
    kind, keys, field = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys"), f"{path}.items"
    items = schema["items"] if isinstance(schema.get("items"), dict) else {}
    if schema.get("type") == "array" and "items" not in schema:
        yield required(field, "must be specified")
    if kind is not None and kind not in _LIST_TYPES:
        yield not_supported(f"{path}.x-kubernetes-list-type", kind, _LIST_TYPES)
    if kind == "set" and items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        why = "must be atomic as item of a list with x-kubernetes-list-type=set"
        yield invalid_value(f"{field}.x-kubernetes-map-type", items.get("x-kubernetes-map-type"), why)
    if kind != "map":
        return
    properties, where = items.get("properties") or {}, f"{path}.x-kubernetes-list-map-keys"
    if not keys:
        yield required(where, "must not be empty if x-kubernetes-list-type is map")
    elif any(key not in properties for key in keys):
        yield invalid_value(where, keys, "entries must all be names of item properties")
    for key in keys or ():
        if key in properties and key not in (items.get("required") or ()) and "default" not in properties[key]:
            why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            yield required(f"{field}.properties[{key}].default", why)


def _check_default(schema: Schema, path: str) -> Iterator[FieldError]:
    value = copy.deepcopy(schema["default"])
    if prune(value, schema, root=False):
        yield invalid_value(path, schema["default"], "must not have unknown fields")
        return
    for error in validate_custom_resource(value, schema):
        yield FieldError(path, error.reason, error.message)
