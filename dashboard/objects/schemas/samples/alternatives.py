"""Schemas without alternatives that a value may follow, where a schema has allOf, oneOf or anyOf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from dashboard.objects.schemas.schema import Schema

MAX_ALTERNATIVES = 24
"""Maximum schemas that are offered for one value."""
_MAX_DEPTH = 6
_COMBINATIONS = ("allOf", "oneOf", "anyOf")
_LEAST = frozenset(("minimum", "minLength", "minItems", "minProperties"))
_MOST = frozenset(("maximum", "maxLength", "maxItems", "maxProperties"))


def alternatives(schema: Schema) -> Iterator[Schema]:
    """The schema with the constraints of one branch of each combination, in the order in which they are written.

    The schema itself where it has no combination. First the fields that the branches require, then also those that they
    only describe: a branch that says ``type: [A]`` holds without a type, too, and so do its sisters.
    """
    if not _combines(schema):
        yield schema
        return
    yield from islice(_flattened(schema, described=False, depth=0), MAX_ALTERNATIVES)
    yield from islice(_flattened(schema, described=True, depth=0), MAX_ALTERNATIVES)


def _combines(schema: Schema) -> bool:
    return any(schema.node.get(word) and not schema.has_only_types(word) for word in _COMBINATIONS)


def _flattened(schema: Schema, *, described: bool, depth: int) -> Iterator[Schema]:
    if not _combines(schema) or depth > _MAX_DEPTH:
        yield schema
        return
    groups: list[tuple[Schema, ...]] = [(part,) for part in schema.branches("allOf")]
    groups += [
        schema.branches(word)
        for word in ("oneOf", "anyOf")
        if schema.node.get(word) and not schema.has_only_types(word)
    ]
    words = {word for word in _COMBINATIONS if not schema.has_only_types(word)}
    bare = {name: each for name, each in schema.node.items() if name not in words}
    for choice in product(*groups):
        merged = bare
        for part in choice:
            merged = _merged(schema, merged, part.node, described=described)
        yield from _flattened(Schema(merged, schema.definitions), described=described, depth=depth + 1)


def _merged(schema: Schema, base: Mapping[str, Any], part: Mapping[str, Any], *, described: bool) -> dict[str, Any]:
    """`base` with the constraints of `part`, too; combinations inside of `part` become parts of ``allOf``."""
    merged = dict(base)
    for name, each in part.items():
        if name not in ("required", "not", *_COMBINATIONS):
            merged[name] = _constraint(schema, name, base.get(name), each)
    if nested := [{name: part[name]} for name in _COMBINATIONS if part.get(name)]:
        merged["allOf"] = [*base.get("allOf", ()), *nested]
    if "not" in part:
        merged["not"] = {"anyOf": [base["not"], part["not"]]} if "not" in base else part["not"]
    required = [
        *base.get("required", ()),
        *part.get("required", ()),
        *(part.get("properties", ()) if described else ()),
    ]
    return {**merged, "required": list(dict.fromkeys(required))} if required else merged


def _constraint(schema: Schema, name: str, base: Any, part: Any) -> Any:
    """One constraint of both; the part's where there is no way to write both as one."""
    if name == "properties":
        before = base or {}
        return {**before, **{each: _both(schema, before.get(each), node) for each, node in part.items()}}
    if name in ("items", "additionalProperties"):
        return _both(schema, base, part)
    if base is None or name == "pattern":
        return part
    if name == "enum":
        return [choice for choice in base if choice in part] or part
    if name in _LEAST:
        return max(base, part)
    return min(base, part) if name in _MOST else base


def _both(schema: Schema, base: object, part: object) -> object:
    if not isinstance(base, Mapping) or not isinstance(part, Mapping):
        return part
    node = schema.resolve(base).node
    return {**node, "allOf": [*node.get("allOf", ()), part]}
