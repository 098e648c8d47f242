"""HorizontalPodAutoscalers: what each metric says, and how fast the number of pods may follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.facts.selectors import selector_words
from dashboard.resources.loose import mapping, mappings, number, text
from dashboard.resources.words import pods, span

_SOURCES = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


def autoscaler_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    now, wanted = number(status.get("currentReplicas")), number(status.get("desiredReplicas"))
    metrics, current = mappings(spec.get("metrics")), mappings(status.get("currentMetrics"))
    behavior = mapping(spec.get("behavior"))
    return (
        *section(
            "autoscaling", "Autoscaling",
            fact("Pods", f"{now or 0} now, {wanted} wanted" if wanted is not None else None),
            *(_metric(each, current[place] if place < len(current) else {}) for place, each in enumerate(metrics)),
        ),
        *section(
            "pace", "Pace",
            fact("Up", *_pace(behavior.get("scaleUp"), "lowest")),
            fact("Down", *_pace(behavior.get("scaleDown"), "highest")),
        ),
    )  # fmt: skip


def _metric(metric: Mapping[str, Any], current: Mapping[str, Any]) -> Fact | None:
    kind = text(metric.get("type"))
    field = _SOURCES.get(kind, "")
    source, found = mapping(metric.get(field)), mapping(current.get(field)) if current.get("type") == kind else {}
    inner, about = mapping(source.get("metric")), mapping(source.get("describedObject"))
    selector = selector_words(inner.get("selector"), "")
    of = {
        "Resource": "of its pods",
        "ContainerResource": f"of their container {text(source.get('container'))}",
        "Pods": "of its pods",
        "Object": f"of {text(about.get('kind'))} {text(about.get('name'))}",
        "External": "from outside the cluster",
    }.get(kind, "")
    about_it = ", ".join(part for part in (of, selector) if part)
    said = f"{_target(mapping(source.get('target')))} wanted, {_amount(mapping(found.get('current')))} now"
    name = text(source.get("name") or inner.get("name")) or kind
    return fact(name, f"{about_it}: {said}" if about_it else said, given=True)


def _amount(amount: Mapping[str, Any]) -> str:
    share, each, whole = (amount.get(name) for name in ("averageUtilization", "averageValue", "value"))
    if share is None and each is None:
        return "unknown" if whole is None else text(whole)
    return f"{text(share)} %" if share is not None else f"{text(each)} each"


def _target(target: Mapping[str, Any]) -> str:
    share = target.get("averageUtilization")
    return f"{text(share)} % of what they ask for" if share is not None else _amount(target)


def _pace(rules: Any, extreme: str) -> Iterator[str]:
    found = mapping(rules)
    window, choice = number(found.get("stabilizationWindowSeconds")), found.get("selectPolicy")
    if choice == "Disabled":
        yield "never"
        return
    steps = [_step(each) for each in mappings(found.get("policies"))]
    least = ", whichever is less" if choice == "Min" else ", whichever is more"
    if steps:
        yield " or ".join(steps) + (least if len(steps) > 1 else "")
    if window:
        yield f"goes by the {extreme} number wanted in the last {span(window)}"
    elif window == 0:
        yield "at once"


def _step(policy: Mapping[str, Any]) -> str:
    value, every = number(policy.get("value")), span(policy.get("periodSeconds"))
    much = pods(value) if policy.get("type") == "Pods" else f"{text(value)} %"
    return f"by {much} at most every {every}"
