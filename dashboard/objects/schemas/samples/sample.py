"""Sample object of a schema: the required fields, with values that the schema accepts as far as that is known.

A schema of a few hundred bytes can ask for 10^12 items. What is beyond the limits of a sample is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from dashboard.objects.fields.field_access import ABSENT, Value, same
from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.schemas.cel_parser import CelRule, read_rule
from dashboard.objects.schemas.samples.alternatives import alternatives
from dashboard.objects.schemas.samples.edits_for_cel_rules import Hints, edits, free_name, simplest_names
from dashboard.objects.schemas.samples.scalars import NAME, numbers, texts
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import fits_schema
from informerd.resource import Resource

MAX_DEPTH = 12
"""Maximum levels; a schema may refer to itself."""
MAX_ITEMS = 10
"""Maximum items of a list; the schema may ask for more."""
MAX_VALUES = 500
"""Maximum values of a sample, with the maps and lists around them."""
STEPS_OF_A_VALUE = 10
MAX_STEPS = 50_000
MAX_SECONDS = 0.1
"""Limits of one sample's work, with all that is tried and dropped (see WorkBudget). The seconds are CPU time."""
MAX_EDITS = 6
"""Maximum changes of one map or list for the sake of its rules."""
_MAX_SINGLE_EDITS, _MAX_PAIRS = 60, 12
_EMBEDDED: Mapping[str, Value] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}}
_SERVER_SETS = ("apiVersion", "kind", "metadata", "status")


def sample(resource: Resource, schema: Schema, namespace: str) -> dict[str, Value]:
    """A small object of the kind that its schema accepts, as far as that is known, with a spec to fill in."""
    value: dict[str, Value] = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": NAME, **({"namespace": namespace} if namespace else {})},
    }
    properties = schema.node.get("properties", {})
    required = schema.node.get("required", ())
    wanted = [name for name in properties if name not in _SERVER_SETS and (name in required or name == "spec")]
    return Sampler().fill(Schema({**schema.node, "required": wanted}, schema.definitions), value)


def sample_value(schema: Schema, name: str = "") -> Value:
    """A value that the schema accepts, as far as it shows what it accepts; `name` is its field's. Raises BudgetExceeded
    for a scalar that takes too much work.
    """
    return Sampler().value(schema, name)


def new_budget() -> WorkBudget:
    """The work that one sample may take."""
    return WorkBudget(MAX_STEPS, MAX_SECONDS)


class Sampler:
    """One sample in the making. A map or a list ends where the limits are reached."""

    def __init__(self, budget: WorkBudget | None = None) -> None:
        self._room = MAX_VALUES
        self.budget = budget or new_budget()

    def value(self, schema: Schema, name: str, depth: int = 0) -> Value:
        """A value of the schema. Raises BudgetExceeded where there is not even room for an incomplete one."""
        self._take(1)
        first: Value = ABSENT
        room = self._room
        for each in alternatives(schema):
            self._room = room
            value = self._value(each, name, depth)
            if each is schema or self._is_accepted(schema, value):
                return value
            first = value if first is ABSENT else first
        return self._with_one_more(schema, first, depth) if isinstance(first, dict) else first

    def fill(self, schema: Schema, value: dict[str, Value]) -> dict[str, Value]:
        """The map with the fields that the schema asks for besides those that it has."""
        first: dict[str, Value] | None = None
        with suppress(BudgetExceeded, RecursionError):
            for each in alternatives(schema):
                filled = self._fields(each, 0, value)
                if each is schema or self._is_accepted(schema, filled):
                    return filled
                first = filled if first is None else first
        return first if first is not None else value

    def _take(self, values: int) -> None:
        if values > self._room:
            raise BudgetExceeded
        self._room -= values
        self.budget.spend(values * STEPS_OF_A_VALUE)

    def _value(self, schema: Schema, name: str, depth: int) -> Value:
        """A value of a schema without alternatives."""
        node = schema.node
        for choice in self._given(node):
            if self._fulfils(schema, choice):
                self._take(size_of(choice))
                return choice
        kind = next(iter(schema.types), "object" if node.get("properties") else "")
        if node.get("x-kubernetes-int-or-string"):
            return self._scalar(schema, [1, *texts(node, name, (), ())])
        if kind in ("integer", "number"):
            return self._scalar(schema, numbers(node, name, self._literals(schema)))
        if kind == "boolean":
            return self._scalar(schema, (False, True))
        if kind == "string":
            functions = [each for rule in self._rules(schema) for each in sorted(rule.functions)]
            return self._scalar(schema, texts(node, name, self._literals(schema), functions))
        if kind == "array":
            return self.obey(schema, self._items(schema, name, depth), depth)
        return self._fields(schema, depth, {}) if kind == "object" else {}

    def _given(self, node: Mapping[str, Any]) -> Iterator[Value]:
        """Values that the schema has itself."""
        yield from (node[keyword] for keyword in ("default", "example", "const") if node.get(keyword) is not None)
        choices = node.get("enum") or ()
        yield from (choice for choice in choices if choice not in (None, ""))
        yield from choices

    def _scalar(self, schema: Schema, candidates: Iterable[Value]) -> Value:
        """The first of the candidates that schema and rules accept, else that the schema accepts, else the first."""
        first: Value = ABSENT
        rules = self._rules(schema)
        fitting: Value = ABSENT
        for candidate in candidates:
            first = candidate if first is ABSENT else first
            if not fits_schema(schema, candidate, self.budget):
                continue
            fitting = candidate if fitting is ABSENT else fitting
            if all(rule.holds(candidate, self.budget) is not False for rule in rules):
                return candidate
        found = first if fitting is ABSENT else fitting
        return 0 if found is ABSENT else found

    def _fields(self, schema: Schema, depth: int, start: dict[str, Value]) -> dict[str, Value]:
        """Values of the required fields, of as many more as must be there, and of what the rules ask for."""
        node, fields = schema.node, dict(start)
        with suppress(BudgetExceeded):
            if depth >= MAX_DEPTH:
                return fields
            if node.get("x-kubernetes-embedded-resource"):
                fields = {**_EMBEDDED, **fields}
            for name in node.get("required", ()):
                if name not in fields:
                    fields[name] = self.value(schema.child(name), name, depth + 1)
            self.add_least(schema, fields, depth)
            obeying: dict[str, Value] = self.obey(schema, fields, depth)
            return obeying
        return fields

    def add_least(self, schema: Schema, fields: dict[str, Value], depth: int = 0) -> None:
        """Add the simplest fields until there are minProperties. Raises BudgetExceeded."""
        least = min(int(schema.node.get("minProperties", 0)), MAX_ITEMS)
        excluded = schema.resolve(schema.node.get("not"))
        for name in simplest_names(schema, fields) if len(fields) < least else ():
            if len(fields) >= least:
                return
            self.budget.spend()
            value = self.value(schema.child(name), name, depth + 1)
            if not excluded or not fits_schema(excluded, {**fields, name: value}, self.budget):
                fields[name] = value
        while len(fields) < least and (schema.node.get("additionalProperties") or schema.is_open):
            name = free_name(fields)
            fields[name] = self.value(schema.child(name), name, depth + 1) if schema.child(name) else NAME

    def _with_one_more(self, schema: Schema, value: dict[str, Value], depth: int) -> dict[str, Value]:
        """The map with one more field, where that makes the schema accept it."""
        room = self._room
        for name in islice(simplest_names(schema, value), MAX_ITEMS):
            self._room = room
            more = {**value, name: self.value(schema.child(name), name, depth + 1)}
            if self._is_accepted(schema, more):
                return more
        self._room = room
        return value

    def _items(self, schema: Schema, name: str, depth: int) -> list[Value]:
        """minItems items, with different keys where the list has keys."""
        items: list[Value] = []
        count = min(int(schema.node.get("minItems", 0)), MAX_ITEMS) if depth < MAX_DEPTH else 0
        with suppress(BudgetExceeded):
            for _ in range(count):
                items.append(self.item(schema, name, items, depth))
        return items

    def item(self, schema: Schema, name: str, before: list[Value], depth: int = 0) -> Value:
        """One more item of a list that has the items `before`. Raises BudgetExceeded."""
        inside = schema.child(0)
        value = self.value(inside, name, depth + 1)
        if schema.list_keys == ("",):
            return self._other(inside, value, before)
        if not schema.list_keys or not isinstance(value, dict):
            return value
        for key in schema.list_keys:
            if key not in value and not inside.has_default_for(key):
                value = {**value, key: self.value(inside.child(key), key, depth + 2)}
        key = schema.list_keys[0]
        if any(isinstance(each, dict) and same(each.get(key), value.get(key)) for each in before):
            taken = [each.get(key) for each in before if isinstance(each, dict)]
            value = {**value, key: self._other(inside.child(key), value.get(key), taken)}
        return value

    def _other(self, schema: Schema, value: Value, taken: list[Value]) -> Value:
        """A value as good as `value` that is not one of those taken; `value` where none is found."""
        number = len(taken) + 1
        for candidate in (
            value,
            *(schema.node.get("enum") or ()),
            *((f"{value}-{number}", f"{value}{number}") if isinstance(value, str) else ()),
            *((value + number, value - number) if isinstance(value, int | float) else ()),
            *(_with_other_digits(value, number) if isinstance(value, str) else ()),
            *(texts(schema.node, "", (), ()) if isinstance(value, str) else ()),
        ):
            if not any(same(candidate, each) for each in taken) and fits_schema(schema, candidate, self.budget):
                return candidate
        return value

    # --- rules ---

    def obey(self, schema: Schema, value: Value, depth: int = 0) -> Value:
        """`value` with the changes by which it fulfils more of its rules, as far as they are read here."""
        rules = self._rules(schema)
        if not rules:
            return value
        must_fit = self._fits(schema, value)

        def make(child: Schema, name: str) -> Value:
            return self.value(child, name, depth + 1)

        with suppress(BudgetExceeded):
            for _ in range(MAX_EDITS):
                broken = self._broken(schema, value, rules)
                better = next(
                    (
                        each
                        for rule in broken
                        if (each := self._better(schema, value, rule, len(broken), make, must_fit=must_fit))
                        is not ABSENT
                    ),
                    ABSENT,
                )
                if better is ABSENT:
                    break
                value = better
        return value

    def _better(
        self,
        schema: Schema,
        value: Value,
        rule: CelRule,
        broken: int,
        make: Callable[[Schema, str], Value],
        *,
        must_fit: bool,
    ) -> Value:
        """`value` after one change, or two, that break fewer rules; ABSENT where none is found."""
        hints, room = Hints.of(rule), self._room

        def is_better(candidate: Value) -> bool:
            if must_fit and not self._fits(schema, candidate):
                return False
            return len(self._broken(schema, candidate, self._rules(schema))) < broken

        singles: list[tuple[Value, int]] = []
        for candidate in islice(edits(schema, value, hints, make), _MAX_SINGLE_EDITS):
            if is_better(candidate):
                return candidate
            singles.append((candidate, self._room))
            self._room = room
        for single, room_after in singles[:_MAX_PAIRS]:
            self._room = room_after
            for candidate in islice(edits(schema, single, hints, make), _MAX_PAIRS):
                if is_better(candidate):
                    return candidate
                self._room = room_after
        self._room = room
        return ABSENT

    def _broken(self, schema: Schema, value: Value, rules: Iterable[CelRule]) -> list[CelRule]:
        complete = with_defaults(schema, value, self.budget)
        return [rule for rule in rules if rule.holds(complete, self.budget) is False]

    def _rules(self, schema: Schema) -> list[CelRule]:
        rules = schema.node.get("x-kubernetes-validations") or ()
        return [
            rule
            for each in rules
            if isinstance(each, Mapping) and (rule := read_rule(str(each.get("rule", "")))) is not None
        ]

    def _literals(self, schema: Schema) -> list[Value]:
        return [literal for rule in self._rules(schema) for literal in rule.literals]

    def _fulfils(self, schema: Schema, value: Value) -> bool:
        return self._fits(schema, value) and not self._broken(schema, value, self._rules(schema))

    _is_accepted = _fulfils

    def _fits(self, schema: Schema, value: Value) -> bool:
        try:
            return fits_schema(schema, value, self.budget)
        except RecursionError:
            return True


def _with_other_digits(text: str, number: int) -> Iterator[str]:
    """``10.0.0.0/25``, ``10.0.0.0/34``, ... for ``10.0.0.0/24``."""
    for index in reversed(range(len(text))):
        if text[index].isdecimal():
            yield f"{text[:index]}{(int(text[index]) + number - 1) % 10}{text[index + 1 :]}"


def with_defaults(schema: Schema, value: Value, budget: WorkBudget) -> Value:
    """`value` with the defaults that the API server sets before it looks at rules. Raises BudgetExceeded."""
    budget.spend()
    if isinstance(value, dict):
        defaults = {
            name: node["default"]
            for name, node in schema.node.get("properties", {}).items()
            if name not in value and isinstance(node, Mapping) and node.get("default") is not None
        }
        return {name: with_defaults(schema.child(name), each, budget) for name, each in {**value, **defaults}.items()}
    if isinstance(value, list):
        inside = schema.child(0)
        return [with_defaults(inside, each, budget) for each in value]
    return value


def size_of(value: Value) -> int:
    """The number of values in `value`, with itself, and one for each 100 characters of a text."""
    waiting, size = [value], 0
    while waiting:
        each = waiting.pop()
        size += 1 + (len(each) // 100 if isinstance(each, str) else 0)
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return size
