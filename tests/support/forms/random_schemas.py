"""Random schemas of every shape that a form supports, and objects that mostly fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Json = Any

NAMES = st.sampled_from(
    ["a", "port", "x-y", "on", "labels", "app.kubernetes.io/name", "8080", "é", "two words", "q[0]", "two\nlines", ""]
)
WORDS = st.one_of(
    st.sampled_from(
        [
            "",
            "a",
            "yes",
            "1",
            "1e3",
            "10.0.0.1",
            "two\nlines",
            "two\nlines\n",
            "two\r\nlines",
            " lead",
            "# no",
            "a: b",
            "<b>",
        ]
    ),
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="\ufeff"), max_size=12),
)
NUMBERS = st.one_of(st.integers(-(2**40), 2**40), st.floats(-1e6, 1e6).map(lambda number: round(number, 3)))

SCALARS = st.sampled_from([
    {"type": "string"},
    {"type": "string", "format": "date-time", "description": "A moment. In RFC 3339.\n\nAnd <b>more</b>."},
    {"type": "string", "enum": ["fast", "slow", "<i>", " two  words "], "default": "fast"},
    {"type": "integer", "minimum": 1, "maximum": 65535, "default": 3},
    {"type": "number", "multipleOf": 0.5},
    {"type": "boolean", "default": True},
    {"type": "boolean", "nullable": True},
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    {"type": "integer", "enum": [1, 2, 3]},
    {"format": "quantity", "oneOf": [{"type": "string"}, {"type": "number"}]},
    {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is immutable"}]},
])  # fmt: skip
OPEN = st.just({"type": "object", "x-kubernetes-preserve-unknown-fields": True})


def _deeper(below: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    fields = st.dictionaries(NAMES, below, min_size=1, max_size=4)
    return st.one_of(
        st.builds(_group, fields, st.booleans()),
        st.builds(_alternatives, fields),
        st.builds(lambda items: {"type": "array", "items": items}, below),
        st.builds(lambda items: {"type": "object", "additionalProperties": items}, below),
    )


def _group(fields: dict[str, Json], required: bool) -> Json:
    node = {"type": "object", "properties": fields}
    return {**node, "required": list(fields)[:1]} if required else node


def _alternatives(fields: dict[str, Json]) -> Json:
    return {"type": "object", "properties": fields, "oneOf": [{"required": [name]} for name in fields]}


FIELDS = st.recursive(st.one_of(SCALARS, OPEN), _deeper, max_leaves=10)
SCHEMAS = st.builds(_group, st.dictionaries(NAMES, FIELDS, min_size=1, max_size=4), st.booleans())
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=6,
)


def fitting(schema: Json) -> st.SearchStrategy[Json]:
    """A value of the schema's shape; now and then something else."""
    return st.integers(0, 9).flatmap(lambda luck: _of(schema) if luck else ANYTHING)


def _of(schema: Json) -> st.SearchStrategy[Json]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "properties" in schema:
        fields = {name: fitting(node) for name, node in schema["properties"].items()}
        return st.fixed_dictionaries({}, optional=fields)
    if "items" in schema:
        return st.lists(fitting(schema["items"]), max_size=3)
    if "additionalProperties" in schema:
        return st.dictionaries(NAMES, fitting(schema["additionalProperties"]), max_size=3)
    return {"string": WORDS, "integer": st.integers(-9, 99999), "number": NUMBERS, "boolean": st.booleans()}.get(
        schema.get("type"), st.one_of(WORDS, st.integers(0, 99))
    )
