"""Schema alternatives: ``oneOf`` or ``anyOf`` by required fields, and maps of at most one field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.objects.fields.field_access import Value
from dashboard.objects.schemas.schema import Schema


@dataclass(frozen=True, slots=True)
class Alternative:
    """One alternative of a map: the fields it needs."""

    fields: tuple[str, ...]
    is_chosen: bool
    index: int

    @property
    def label(self) -> str:
        return " and ".join(self.fields)


def alternatives_of(schema: Schema, value: Mapping[str, Value]) -> tuple[Alternative, ...]:
    """The alternatives; those whose fields are all set count as chosen. Empty where fields do not distinguish any."""
    ways = _required_sets(schema)
    return tuple(Alternative(fields, all(name in value for name in fields), index) for index, fields in enumerate(ways))


def is_exclusive(schema: Schema) -> bool:
    """Whether the choice of one alternative removes the fields of the others."""
    return "oneOf" in schema.node or "anyOf" not in schema.node


def excluded_fields(schema: Schema, index: int) -> frozenset[str]:
    """The fields that only alternatives other than the one at `index` have. Raises IndexError where there is none at
    `index`.
    """
    ways = _required_sets(schema)
    return frozenset(name for way in ways for name in way) - frozenset(ways[index])


def required_fields(schema: Schema, index: int) -> tuple[str, ...]:
    """The fields that the alternative at `index` needs. Raises IndexError where there is none."""
    return _required_sets(schema)[index]


def _required_sets(schema: Schema) -> tuple[tuple[str, ...], ...]:
    node = schema.node
    if node.get("maxProperties") == 1 and len(node.get("properties", ())) > 1:
        return tuple((name,) for name in node["properties"])
    common = set(node.get("required", ()))
    for word in ("oneOf", "anyOf"):
        parts = [part for part in node.get(word, ()) if not _is_none(part)]
        ways = tuple(tuple(name for name in _needs(part) if name not in common) for part in parts)
        if len(ways) > 1 and all(ways) and len(set(ways)) == len(ways):
            return ways
    return ()


def _is_none(part: object) -> bool:
    """Whether it is the alternative without any of the fields, as Istio's schemas have it."""
    return isinstance(part, Mapping) and tuple(part) == ("not",)


def _needs(part: object) -> tuple[str, ...]:
    return tuple(part.get("required", ())) if isinstance(part, Mapping) else ()
