"""Validation of a value by its kind's schema, with problems in words, before the API server makes the final decision.

The API server would report every problem that is found here (kube-openapi's validation/validate, structural schemas of
apiextensions-apiserver); what only it can decide (rules in CEL, admission, a null for "not there") is left to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from dashboard.objects.fields.field_access import ItemKey, Path, Value, same
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.formats import fits_format, format_words
from dashboard.objects.schemas.list_keys import items_by_key, previous_items
from dashboard.objects.schemas.pattern_words import SUCH_AS, pattern_words
from dashboard.objects.schemas.patterns import fits_pattern, match_work
from dashboard.objects.schemas.rules_and_immutability import immutable_reason, map_immutable_reason
from dashboard.objects.schemas.schema import Schema

MAX_PROBLEMS = 50
"""Maximum number of reported problems."""
MAX_STEPS = 1_000_000
MAX_SECONDS = 0.25
"""Limits of one validation (see WorkBudget): a schema with alternatives asks for many checks of the same value."""
MAX_VALUE_LENGTH = 500
"""Maximum characters of a value or a pattern in a problem's text."""
MAX_NAMED_CHOICES = 50
"""Maximum choices of an enum that a problem names."""
_BOUNDS = {"int32": 2**31, "int64": 2**63}
_WORDS = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
    "array": "a list", "object": "a map of fields",
}  # fmt: skip


def schema_problems(schema: Schema, value: Value) -> tuple[Problem, ...]:
    """The first problems of `value`, at most MAX_PROBLEMS; what is beyond the limits of work or nested too deep is left
    to the API server.
    """
    return _first_problems(_check(schema, value, (), WorkBudget(MAX_STEPS, MAX_SECONDS)))


def immutability_problems(schema: Schema, value: Value, base: Value) -> tuple[Problem, ...]:
    """Fields of `value` that differ from `base` although the schema says that they never change once they are set."""
    return _first_problems(_frozen(schema, value, base, (), WorkBudget(MAX_STEPS, MAX_SECONDS)))


def fits_schema(schema: Schema, value: Value, budget: WorkBudget) -> bool:
    """Whether the schema has no problem with `value`, rules in CEL aside. Raises BudgetExceeded and RecursionError."""
    return next(_check(schema, value, (), budget), None) is None


def _first_problems(problems: Iterator[Problem]) -> tuple[Problem, ...]:
    found: list[Problem] = []
    with suppress(BudgetExceeded, RecursionError):
        found.extend(islice(problems, MAX_PROBLEMS))
    return tuple(found)


def _check(schema: Schema, value: Value, path: Path, budget: WorkBudget) -> Iterator[Problem]:
    if value is None or not schema:
        return
    budget.spend(_work(schema.node))
    types = schema.types
    if types and not any(_is(value, each) for each in types):
        yield Problem(f"It must be {' or '.join(_WORDS.get(each, each) for each in types)}.", path=path)
        return
    yield from _check_enum(schema, value, path, budget)
    if isinstance(value, dict):
        yield from _map(schema, value, path, budget)
    elif isinstance(value, list):
        yield from _list(schema, value, path, budget)
    yield from _combined(schema, value, path, budget)


def _work(node: Any) -> int:
    """Steps of a check of one value by this node of a schema, without its fields and items."""
    return 1 + sum(len(node.get(name) or ()) for name in ("enum", "required", "allOf", "anyOf", "oneOf"))


def _is(value: Value, kind: str) -> bool:
    if kind == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and not isinstance(value, bool)
    if kind == "number":
        return not isinstance(value, bool) and isinstance(value, int | float)
    expected: dict[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict}
    return kind not in expected or isinstance(value, expected[kind])


def _check_enum(schema: Schema, value: Value, path: Path, budget: WorkBudget) -> Iterator[Problem]:
    allowed = schema.node.get("enum")
    if allowed and not any(same(value, each) for each in allowed):
        more = f" or {len(allowed) - MAX_NAMED_CHOICES} others" if len(allowed) > MAX_NAMED_CHOICES else ""
        choices = (limit_text(_word(each), MAX_VALUE_LENGTH) for each in allowed[:MAX_NAMED_CHOICES])
        yield Problem(f"It must be one of {', '.join(choices)}{more}.", path=path)
    elif isinstance(value, str):
        yield from (Problem(words, path=path) for words in _text(schema, value, budget))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (Problem(words, path=path) for words in _number(schema.node, value))


def _text(schema: Schema, value: str, budget: WorkBudget) -> Iterator[str]:
    node, name, pattern = schema.node, schema.format, str(schema.node.get("pattern", ""))
    budget.spend(match_work(value, pattern))
    least, most = node.get("minLength", 0), node.get("maxLength")
    if len(value) < least:
        yield "It must not be empty." if least == 1 else f"It must have at least {least} characters."
    elif most is not None and len(value) > most:
        yield f"It must have at most {most} characters, and has {len(value)}."
    elif not fits_pattern(value, pattern):
        yield _pattern_sentence(pattern, least, most)
    elif not fits_format(value, name):
        yield f"It must be {format_words(name)}."


def _pattern_sentence(pattern: str, least: int, most: int | None) -> str:
    """What the pattern asks for, in words where they are known."""
    words = pattern_words(pattern, least, most)
    if words and not words.startswith(SUCH_AS):
        return f"It must be {words}."
    return f"It must match the pattern {limit_text(pattern, MAX_VALUE_LENGTH)}{f' {words}' if words else ''}"


def _number(node: Any, value: float) -> Iterator[str]:
    low, high, step = node.get("minimum"), node.get("maximum"), node.get("multipleOf")
    bound = _BOUNDS.get(node.get("format", "")) if node.get("type") == "integer" else None
    if low is not None and (value < low or (value == low and node.get("exclusiveMinimum"))):
        yield f"It must be {'more than' if node.get('exclusiveMinimum') else 'at least'} {low}."
    elif high is not None and (value > high or (value == high and node.get("exclusiveMaximum"))):
        yield f"It must be {'less than' if node.get('exclusiveMaximum') else 'at most'} {high}."
    elif bound is not None and not -bound <= value < bound:
        yield f"It must be between {-bound} and {bound - 1}."
    elif step and not _is_multiple(value, step):
        yield f"It must be a multiple of {step}."


def _is_multiple(value: float, step: float) -> bool:
    """Whether it is a multiple; true where the numbers are too large to tell, which the API server can."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    try:
        return abs(value / step - round(value / step)) <= 1e-9
    except (OverflowError, ValueError):
        return True


def _map(schema: Schema, value: dict[str, Value], path: Path, budget: WorkBudget) -> Iterator[Problem]:
    for name in schema.node.get("required", ()):
        if name not in value and not schema.has_default_for(name):
            yield Problem("It is required.", path=(*path, name))
    yield from _check_count(len(value), schema.node, "Properties", "field", path)
    for name, each in value.items():
        if schema.allows(name):
            yield from _check(schema.child(name), each, (*path, name), budget)
        else:
            yield Problem("The schema has no such field.", path=(*path, name))


def _list(schema: Schema, value: list[Value], path: Path, budget: WorkBudget) -> Iterator[Problem]:
    yield from _check_count(len(value), schema.node, "Items", "item", path)
    items = schema.child(0)
    seen: set[str] = set()
    keys = schema.list_keys if _is_held_apart(schema) else ()
    for index, each in enumerate(value):
        key = _key(each, keys)
        if key in seen:
            yield Problem(f"The list has {limit_text(key, MAX_VALUE_LENGTH)} already.", path=(*path, index))
        seen.update((key,) if key else ())
        yield from _check(items, each, (*path, index), budget)


def _is_held_apart(schema: Schema) -> bool:
    """Whether the API server refuses a repeated key: for lists of its own kinds that depends on the kind."""
    node = schema.node
    return node.get("x-kubernetes-list-type") in ("map", "set") and "x-kubernetes-patch-strategy" not in node


def _check_count(count: int, node: Any, what: str, word: str, path: Path) -> Iterator[Problem]:
    least, most = node.get(f"min{what}", 0), node.get(f"max{what}")
    if count < least:
        yield Problem(f"It must have at least {least} {word}{'' if least == 1 else 's'}.", path=path)
    elif most is not None and count > most:
        yield Problem(f"It must have at most {most} {word}{'' if most == 1 else 's'}, and has {count}.", path=path)


def _key(item: Value, keys: tuple[str, ...]) -> str:
    """The key of the item, as words; empty where it has none."""
    if keys == ("",):
        return "" if isinstance(item, dict | list) else f"“{_word(item)}”"
    if not keys or not isinstance(item, dict) or not all(name in item for name in keys):
        return ""
    return str(ItemKey(tuple((name, item[name]) for name in keys)))


def _combined(schema: Schema, value: Value, path: Path, budget: WorkBudget) -> Iterator[Problem]:
    for part in schema.branches("allOf"):
        yield from _check(part, value, path, budget)
    either, one = schema.branches("anyOf"), schema.branches("oneOf")
    if either and not schema.has_only_types("anyOf") and not any(fits_schema(part, value, budget) for part in either):
        yield Problem(
            _required_text(either) or "It matches none of the alternatives that the schema allows.", path=path
        )
    if one and not schema.has_only_types("oneOf"):
        count = sum(fits_schema(part, value, budget) for part in one)
        if count == 0:
            yield Problem(
                _required_text(one) or "It matches none of the alternatives that the schema allows.", path=path
            )
        elif count > 1:
            names = [" with ".join(each) for each in _required(one) if each and set(each) <= set(value)]
            yield Problem(f"Only one of {', '.join(names)} is allowed." if len(names) > 1
                          else "It matches several alternatives, but only one is allowed.", path=path)  # fmt: skip
    excluded = schema.resolve(schema.node.get("not"))
    if excluded and fits_schema(excluded, value, budget):
        yield Problem("The schema forbids this combination.", path=path)


def _required(parts: tuple[Schema, ...]) -> list[tuple[str, ...]]:
    return [tuple(part.node.get("required", ())) for part in parts]


def _required_text(parts: tuple[Schema, ...]) -> str:
    """``One of acme or ca is needed.``; empty where the alternatives are not about fields."""
    names = [" with ".join(each) for each in _required(parts)]
    return f"One of {', '.join(names)} is needed." if all(names) else ""


def _frozen(schema: Schema, value: Value, base: Value, path: Path, budget: WorkBudget) -> Iterator[Problem]:
    if value is base or not schema:
        return
    if isinstance(value, list):
        yield from _frozen_items(schema, value, base, path, budget)
    if not isinstance(value, dict) or not isinstance(base, dict):
        return
    rules = len(schema.node.get("x-kubernetes-validations") or ())
    for name, was in base.items():
        budget.spend(1 + rules)
        child, now = schema.child(name), value.get(name)
        reason = map_immutable_reason(schema, name) if now is None else immutable_reason(schema, name)
        if reason and not same(was, now):
            yield Problem(reason, path=(*path, name))
        elif child:
            yield from _frozen(child, now, was, (*path, name), budget)


def _frozen_items(schema: Schema, value: list[Value], base: Value, path: Path, budget: WorkBudget) -> Iterator[Problem]:
    """The items by the keys of a list of the type map; for other lists the API server does not compare old and
    new items.
    """
    if schema.node.get("x-kubernetes-list-type") != "map" or items_by_key(base, schema) is None:
        return
    items = schema.child(0)
    for index, (now, was) in enumerate(zip(value, previous_items(value, base, schema), strict=True)):
        yield from _frozen(items, now, was, (*path, index), budget)


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
