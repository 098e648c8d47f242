"""ResourceQuotas and LimitRanges: how much a namespace may have, and how much one of its objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.facts.selectors import requirement
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.quantity import parse_quantity

_BOUNDS = (
    ("min", "at least {}"),
    ("max", "at most {}"),
    ("defaultRequest", "asks for {} where it does not say"),
    ("default", "limit {} where it does not say"),
    ("maxLimitRequestRatio", "limit at most {} times what it asks for"),
)


def quota_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    hard, used = mapping(spec.get("hard")), mapping(status.get("used"))
    chosen = mappings(mapping(spec.get("scopeSelector")).get("matchExpressions"))
    scopes = (requirement({**each, "key": each.get("scopeName")}) for each in chosen)
    return section(
        "quota", "Quota",
        fact("Counts only", *texts(spec.get("scopes")), *scopes),
        *(_used(name, text(hard[name]), used.get(name)) for name in sorted(hard)),
    )  # fmt: skip


def limit_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    limits = mappings(mapping(obj.get("spec")).get("limits"))
    return section("limits", "Each one", *(fact(text(each.get("type")), *_bounds(each), given=True) for each in limits))


def _used(name: str, most: str, used: Any) -> Fact | None:
    if used is None:
        return fact(name, f"{most} at most, not counted yet", given=True)
    mine, room = parse_quantity(text(used)), parse_quantity(most)
    full = mine is not None and room is not None and mine >= room and mine > 0
    return fact(name, f"{text(used)} of {most} used", tone="warn" if full else "", given=True)


def _bounds(limit: Mapping[str, Any]) -> Iterator[str]:
    """For each resource: ``cpu: at least 50m, at most 2``."""
    bounds = [(words, mapping(limit.get(field))) for field, words in _BOUNDS]
    for name in sorted({name for _, values in bounds for name in values}):
        yield f"{name}: {', '.join(words.format(text(values[name])) for words, values in bounds if name in values)}"
