"""Changes of a value by which it may fulfil a rule in CEL: fields added, removed or set to what the rule names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dashboard.objects.fields.field_access import ABSENT, Path, Value, can_put, get, put, same
from dashboard.objects.schemas.cel_parser import CelRule
from dashboard.objects.schemas.schema import Schema

MAX_FIELDS = 24
"""Maximum fields of a rule that are changed."""
MAX_ITEMS = 4
"""Maximum items of a list that are changed."""
MAX_CHOICES = 24
"""Maximum other values that are tried for a field."""
_MAX_DEPTH = 4
_DEPRECATED, _COMPLEX = 20, 10

Make = Callable[[Schema, str], Value]
"""Makes a value for the field of that name. Raises BudgetExceeded."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a rule or a message names."""

    fields: tuple[Path, ...]
    literals: tuple[Value, ...] = ()

    @classmethod
    def of(cls, rule: CelRule) -> Hints:
        return cls(rule.fields, rule.literals)


def cost(schema: Schema, depth: int = 0) -> int:
    """How much a sample of the schema would have, approximately; deprecated fields come last."""
    node = schema.node
    old = _DEPRECATED if "deprecated" in str(node.get("description", ""))[:200].lower() else 0
    if "default" in node or node.get("enum") or depth > _MAX_DEPTH:
        return 1 + old
    kind = node.get("type")
    if kind == "array":
        return 2 + old + (cost(schema.child(0), depth + 1) if node.get("minItems") else 0)
    if kind == "object" or node.get("properties"):
        required = list(node.get("required", ()))[:_COMPLEX]
        inner = sum(cost(schema.child(name), depth + 1) for name in required)
        alternatives = any(node.get(word) for word in ("oneOf", "anyOf", "minProperties", "x-kubernetes-validations"))
        return 2 + old + inner + (2 if alternatives else 0)
    return 1 + old


def simplest_names(schema: Schema, fields: Iterable[str] = ()) -> list[str]:
    """Names of the schema's properties that are not among `fields`, the simplest first."""
    present = set(fields)
    names = [name for name in schema.node.get("properties", ()) if name not in present]
    return sorted(names, key=lambda name: cost(schema.child(name)))


def edits(schema: Schema, value: Value, hints: Hints, make: Make) -> Iterator[Value]:
    """Copies of `value`, each with one change. Raises BudgetExceeded where `make` does."""
    named = [each for path in hints.fields[:MAX_FIELDS] for each in _of_each_item(value, path)]
    paths = sorted(named, key=lambda path: _path_cost(schema, value, path))
    for path in paths:
        yield from _added(schema, value, path, make)
    for path in paths:
        yield from _replaced(schema, value, path, hints)
    for path in paths:
        yield from _removed(schema, value, path)


def _of_each_item(value: Value, path: Path) -> Iterator[Path]:
    """The path in each of the first items where it has 0 for all of them; none where the list has no items."""
    at = next((index for index, segment in enumerate(path) if isinstance(segment, int)), None)
    if at is None:
        yield path
        return
    found = get(value, path[:at])
    for index in range(min(len(found), MAX_ITEMS) if isinstance(found, list) else 0):
        for rest in _of_each_item(found[index], path[at + 1 :]):
            yield (*path[:at], index, *rest)


def _path_cost(schema: Schema, value: Value, path: Path) -> int:
    return cost(schema.at(path)) if get(value, path) is ABSENT else 0


def _added(schema: Schema, value: Value, path: Path, make: Make) -> Iterator[Value]:
    """With the field, or with one more field or item of it where it is there."""
    if not can_put(value, path):
        return
    missing = [path[:end] for end in range(1, len(path) + 1) if get(value, path[:end]) is ABSENT]
    if missing:
        for each in missing:
            if get(value, each) is ABSENT:  # an added parent may have it already
                if not schema.at(each[:-1]).allows(str(each[-1])):
                    return
                value = put(value, each, make(schema.at(each), str(each[-1])))
        yield value
        return
    yield from _grown(schema, value, path, make)


def _grown(schema: Schema, value: Value, path: Path, make: Make) -> Iterator[Value]:
    inside, current = schema.at(path), get(value, path)
    if isinstance(current, list):
        yield put(value, (*path, len(current)), make(inside.child(0), str(path[-1]) if path else ""))
    elif isinstance(current, dict):
        for name in islice(simplest_names(inside, current), MAX_FIELDS if not path else 4):
            yield put(value, (*path, name), make(inside.child(name), name))
        if inside.node.get("additionalProperties"):
            name = free_name(current)
            yield put(value, (*path, name), make(inside.child(name), name))


def free_name(fields: dict[str, Any]) -> str:
    """A name that no field of the map has: ``example``, ``example-2``, ..."""
    number = len(fields) + 1
    return "example" if "example" not in fields else f"example-{number}"


def _replaced(schema: Schema, value: Value, path: Path, hints: Hints) -> Iterator[Value]:
    """With other values of a field that is there: of its enum, in the rule, of other fields of the rule."""
    current = get(value, path)
    if current is ABSENT:
        return
    if isinstance(current, list):
        for literal in hints.literals[:MAX_CHOICES]:
            if isinstance(literal, str):
                yield put(value, (*path, len(current)), literal)
        return
    if isinstance(current, dict):
        return
    for choice in islice(_choices(schema.at(path), value, current, hints), MAX_CHOICES):
        if not same(choice, current):
            yield put(value, path, choice)


def _choices(schema: Schema, value: Value, current: Value, hints: Hints) -> Iterator[Value]:
    if isinstance(current, bool):
        yield not current
        return
    yield from schema.node.get("enum") or ()
    others = [get(value, path) for path in hints.fields]
    for each in (*hints.literals, *others):
        if isinstance(current, str) and isinstance(each, str):
            yield each
        elif isinstance(current, int | float) and isinstance(each, int | float) and not isinstance(each, bool):
            yield from (each, each + 1, each - 1)


def _removed(schema: Schema, value: Value, path: Path) -> Iterator[Value]:
    """Without the field, or without the map that has it."""
    for end in range(len(path), 0, -1):
        parent, name = path[: end - 1], path[end - 1]
        if get(value, path[:end]) is ABSENT or name in schema.at(parent).node.get("required", ()):
            continue
        yield put(value, path[:end], ABSENT)
