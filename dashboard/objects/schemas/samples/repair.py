"""Repairs of a sample that the API server has refused, from what it says about each field.

The messages are those of apimachinery's field.Error, of kube-openapi's validation and of rules in CEL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dashboard.objects.fields.field_access import ABSENT, Path, Value, can_put, get, put, resolve_path, same
from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.cel_parser import read_rule
from dashboard.objects.schemas.samples.edits_for_cel_rules import Hints, edits
from dashboard.objects.schemas.samples.sample import MAX_ITEMS, Sampler, new_budget
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import fits_schema

MAX_REPAIRS = 8
"""Maximum repairs of one sample that are offered."""
_MAX_EDITS = 40
_MAX_NAMES = 40
_MAX_MESSAGE_LENGTH = 4_000
_NUMBER = r"(?P<number>-?[0-9]{1,15}(?:\.[0-9]{1,15})?)"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_SELF = re.compile(r"\bself((?:\.[A-Za-z_][A-Za-z0-9_]*)+)(?!\w*\()")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NOT_CHECKED = "some validation rules were not checked"


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that a message is about."""

    schema: Schema
    value: Value
    name: str
    message: re.Match[str]
    sampler: Sampler

    def sample(self, **constraints: Any) -> Value:
        """A new value, within these constraints, too."""
        return self.sampler.value(_with(self.schema, **constraints), self.name)


def repairs(schema: Schema, value: dict[str, Value], problems: Sequence[Problem]) -> Iterator[dict[str, Value]]:
    """Changed copies of `value` that the API server may accept, the most likely first; `schema` is the object's.

    None where the problems say nothing that can be done here. All together take at most the work of one sample, however
    many problems there are; those that are left then stay as they are.
    """
    budget = new_budget()
    changed, broken = value, list[tuple[Path, str]]()
    for problem in problems:
        path, message = resolve_path(value, problem.path), problem.server_message[:_MAX_MESSAGE_LENGTH]
        fixed = _fixed(schema, changed, path, message, budget)
        if fixed is None:
            broken.append((path, message))
        else:
            changed = fixed
    if not same(changed, value):
        yield changed
    for number in range(MAX_REPAIRS if broken else 0):
        candidate = changed
        for path, message in broken:
            candidate = _edited(schema, candidate, path, message, number, budget)
        if same(candidate, changed):
            return
        yield candidate


def _fixed(
    schema: Schema, value: dict[str, Value], path: Path, message: str, budget: WorkBudget
) -> dict[str, Value] | None:
    """The object with the field as the message wants it; None where the message is about a rule."""
    if _NOT_CHECKED in message:
        return value
    for pattern, fix in _FIXES:
        match = pattern.search(message)
        if match is None or not path or not can_put(value, path):
            continue
        with suppress(BudgetExceeded, RecursionError):
            field = _Field(schema.at(path), get(value, path), str(path[-1]), match, Sampler(budget))
            changed: dict[str, Value] = put(value, path, fix(field))
            return changed
        return value
    return None


def _made(field: _Field) -> Value:
    """A value for a required field; one that is not empty, where an empty one is there."""
    if field.value == "":
        return field.sample(minLength=1)
    return field.sample() if field.value is ABSENT else field.value


def _choice(field: _Field) -> Value:
    choices = (re.sub(r"\\(.)", r"\1", each) for each in _QUOTED.findall(field.message["choices"]))
    return next((each for each in choices if each), field.value)


def _grown(field: _Field) -> Value:
    """The value with more items, fields or characters: as many as there must be, or as the budget allows."""
    least = min(int(field.message["number"]), MAX_ITEMS)
    if isinstance(field.value, list):
        items = list(field.value)
        with suppress(BudgetExceeded):
            while len(items) < least:
                items.append(field.sampler.item(field.schema, field.name, items))
        return items
    if isinstance(field.value, dict):
        fields = dict(field.value)
        with suppress(BudgetExceeded):
            field.sampler.add_least(_with(field.schema, minProperties=least), fields)
        return fields
    return field.sample(minLength=int(field.message["number"])) if isinstance(field.value, str) else field.value


def _cut(field: _Field) -> Value:
    most, value = int(field.message["number"]), field.value
    if isinstance(value, dict):
        required = field.schema.node.get("required", ())
        names = sorted(value, key=lambda each: each not in required)[:most]
        return {each: value[each] for each in value if each in names}
    return value[:most] if isinstance(value, str | list) else value


def _matching(field: _Field) -> Value:
    return field.sample(type="string", pattern=field.message["pattern"])


def _bounded(field: _Field) -> Value:
    number = float(field.message["number"])
    bound = int(number) if number.is_integer() else number
    words = field.message["bound"]
    kind = {} if "type" in field.schema.node else {"type": "number"}
    if words.startswith("a multiple"):
        return field.sample(**kind, multipleOf=bound)
    side = "minimum" if words.startswith("greater") else "maximum"
    return field.sample(**kind, **{side: bound, f"exclusive{side.capitalize()}": "equal" not in words})


def _typed(field: _Field) -> Value:
    kind = field.message["type"]
    is_type = kind in ("string", "integer", "number", "boolean", "array", "object")
    return field.sample(type=kind) if is_type else field.sample(type="string", format=kind)


def _gone(_: _Field) -> Value:
    return ABSENT


_FIXES: tuple[tuple[re.Pattern[str], Callable[[_Field], Value]], ...] = (
    (re.compile(r"^Required value"), _made),
    (re.compile(r"^Unsupported value: .{0,1000}?supported values: (?P<choices>.+)", re.DOTALL), _choice),
    (re.compile(rf"(?:should|must) (?:have|be) at least {_NUMBER} (?:properties|items|chars|characters)"), _grown),
    (re.compile(rf"(?:Too long: may not be (?:more|longer) than|should be at most|at most) {_NUMBER}"), _cut),
    (re.compile(rf"(?:should|must) have at most {_NUMBER} (?:properties|items)"), _cut),
    (re.compile(r"should match '(?P<pattern>.+)'$", re.DOTALL), _matching),
    (re.compile(rf"should be (?P<bound>(?:greater|less) than(?: or equal to)?|a multiple of) {_NUMBER}"), _bounded),
    (re.compile(r"must be of type (?P<type>[a-z0-9-]+):"), _typed),
    (re.compile(r"^Duplicate value|^unknown field"), _gone),
)
"""Messages, and the new value of their field (ABSENT: it goes); the first that is found counts."""


def _with(schema: Schema, **constraints: Any) -> Schema:
    return Schema({**schema.node, **constraints}, schema.definitions)


# --- rules ---


def _edited(
    schema: Schema, value: dict[str, Value], path: Path, message: str, number: int, budget: WorkBudget
) -> dict[str, Value]:
    """The object with the edit of that number that suits a message about a rule; unchanged where there is none."""
    where, code = _rule(schema, path, message)
    inside, current = schema.at(where), get(value, where)
    hints = _hints(inside, code, message)
    sampler = Sampler(budget)
    found: list[Value] = []
    with suppress(BudgetExceeded, RecursionError):
        for candidate in islice(edits(inside, current, hints, sampler.value), _MAX_EDITS):
            if not same(candidate, current) and fits_schema(inside, candidate, budget):
                found.append(candidate)
                if len(found) > number:
                    break
    changed: dict[str, Value] = put(value, where, found[number]) if len(found) > number else value
    return changed


def _rule(schema: Schema, path: Path, message: str) -> tuple[Path, str]:
    """The rule of a message: where it is, at the field or around it, and its code. No code: the cluster's rule."""
    for end in range(len(path), -1, -1):
        for rule in schema.at(path[:end]).node.get("x-kubernetes-validations") or ():
            if not isinstance(rule, Mapping):
                continue
            words, code = str(rule.get("message", "")).strip(), str(rule.get("rule", "")).strip()
            if (words and words in message) or (code and code in message):
                return path[:end], code
    return path, ""


def _hints(schema: Schema, code: str, message: str) -> Hints:
    """What the rule names, and what its message does, as far as the schema has such fields."""
    rule = read_rule(code) if code else None
    fields: dict[Path, None] = dict.fromkeys(rule.fields if rule is not None else ())
    if rule is None:
        fields |= dict.fromkeys(tuple(each.split(".")[1:]) for each in _SELF.findall(code)[:_MAX_NAMES])
    for name in dict.fromkeys(_NAME.findall(message)[:_MAX_NAMES]):
        segments = tuple(name.split("."))
        for path in (segments, segments[1:], ("spec", *segments)):
            if path and schema.at(path):
                fields[path] = None
                break
    return Hints(tuple(fields), rule.literals if rule is not None else ())
