"""Schema in the text of a definition, used only where it is well-formed, because the API server has not checked it.

The parts of a structural schema are in apiextensions-apiserver's pkg/apis/apiextensions/v1 (JSONSchemaProps).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.objects.schemas.schema import UNKNOWN, Schema, with_metadata


def schema_of_version(version: Mapping[str, Any]) -> Schema:
    """The schema of one of a definition's ``versions``; UNKNOWN where it has no valid one, or one nested too deep."""
    schema = version.get("schema")
    node = schema.get("openAPIV3Schema") if isinstance(schema, dict) else None
    try:
        return with_metadata(node) if isinstance(node, dict) and _is_sound(node) else UNKNOWN
    except RecursionError:
        return UNKNOWN


def _is_sound(node: object) -> bool:
    """Whether all parts of a schema that are read have the right type."""
    if not isinstance(node, dict):
        return False
    if "$ref" in node or not all(name not in node or fits(node[name]) for name, fits in _PLAIN.items()):
        return False
    inner = [*node.get("properties", {}).values(), *(node[name] for name in ("items", "not") if name in node)]
    inner += [each for name in ("allOf", "anyOf", "oneOf") for each in node.get(name, ())]
    inner += [each for each in (node.get("additionalProperties"),) if not isinstance(each, bool | None)]
    return all(map(_is_sound, inner))


def _is(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _all(*types: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(each, types) for each in value)


_PLAIN: Mapping[str, Callable[[object], bool]] = MappingProxyType({
    "properties": _is(dict), "allOf": _all(dict), "anyOf": _all(dict), "oneOf": _all(dict), "enum": _is(list),
    "required": _all(str), "x-kubernetes-list-map-keys": _all(str), "x-kubernetes-validations": _all(dict),
    **dict.fromkeys(("type", "format", "pattern", "description", "x-kubernetes-list-type"), _is(str)),
    **dict.fromkeys(("x-kubernetes-map-type", "title"), _is(str)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _is(int, float)),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is(int)),
})  # fmt: skip
"""The type of each part of a schema."""
