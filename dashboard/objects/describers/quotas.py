"""Facts of ResourceQuotas and LimitRanges: limits of a namespace, and of each of its objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.describers.selector_text import requirement_text
from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts

_BOUNDS = (
    ("min", "at least {}"),
    ("max", "at most {}"),
    ("defaultRequest", "requests {} by default"),
    ("default", "limit {} by default"),
    ("maxLimitRequestRatio", "limit at most {} times the request"),
)


def quota_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    hard, used = as_map(spec.get("hard")), as_map(status.get("used"))
    chosen = as_maps(as_map(spec.get("scopeSelector")).get("matchExpressions"))
    scopes = (requirement_text({**each, "key": each.get("scopeName")}) for each in chosen)
    return make_section(
        "quota", "Quota",
        make_fact("Counts only", *as_texts(spec.get("scopes")), *scopes),
        *(_used(name, as_text(hard[name]), used.get(name)) for name in sorted(hard)),
    )  # fmt: skip


def limit_range_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    limits = as_maps(as_map(obj.get("spec")).get("limits"))
    return make_section(
        "limits",
        "Each one",
        *(make_fact(as_text(each.get("type")), *_bounds(each), is_user_named=True) for each in limits),
    )


def _used(name: str, most: str, used: Any) -> Fact | None:
    if used is None:
        return make_fact(name, f"{most} at most, not counted yet", is_user_named=True)
    mine, room = parse_quantity(as_text(used)), parse_quantity(most)
    full = mine is not None and room is not None and mine >= room and mine > 0
    return make_fact(name, f"{as_text(used)} of {most} used", tone="warn" if full else "", is_user_named=True)


def _bounds(limit: Mapping[str, Any]) -> Iterator[str]:
    """For each resource: ``cpu: at least 50m, at most 2``."""
    bounds = [(words, as_map(limit.get(field))) for field, words in _BOUNDS]
    for name in sorted({name for _, values in bounds for name in values}):
        yield f"{name}: {', '.join(words.format(as_text(values[name])) for words, values in bounds if name in values)}"
