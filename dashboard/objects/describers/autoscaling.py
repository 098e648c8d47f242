"""Facts of HorizontalPodAutoscalers: the value of each metric, and how fast the number of pods may follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.describers.selector_text import selector_text
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps, as_text
from dashboard.runtime.counts_and_times import format_pod_count, format_seconds

_SOURCES = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


def autoscaler_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    now, wanted = as_int(status.get("currentReplicas")), as_int(status.get("desiredReplicas"))
    metrics, current = as_maps(spec.get("metrics")), as_maps(status.get("currentMetrics"))
    behavior = as_map(spec.get("behavior"))
    return (
        *make_section(
            "autoscaling", "Autoscaling",
            make_fact("Pods", f"{now or 0} now, {wanted} wanted" if wanted is not None else None),
            *(_metric(each, current[place] if place < len(current) else {}) for place, each in enumerate(metrics)),
        ),
        *make_section(
            "pace", "Pace",
            make_fact("Up", *_pace(behavior.get("scaleUp"), "lowest")),
            make_fact("Down", *_pace(behavior.get("scaleDown"), "highest")),
        ),
    )  # fmt: skip


def _metric(metric: Mapping[str, Any], current: Mapping[str, Any]) -> Fact | None:
    kind = as_text(metric.get("type"))
    field = _SOURCES.get(kind, "")
    source, current_source = (
        as_map(metric.get(field)),
        as_map(current.get(field)) if current.get("type") == kind else {},
    )
    inner, about = as_map(source.get("metric")), as_map(source.get("describedObject"))
    selector = selector_text(inner.get("selector"), "")
    of = {
        "Resource": "of its pods",
        "ContainerResource": f"of their container {as_text(source.get('container'))}",
        "Pods": "of its pods",
        "Object": f"of {as_text(about.get('kind'))} {as_text(about.get('name'))}",
        "External": "from outside the cluster",
    }.get(kind, "")
    about_it = ", ".join(part for part in (of, selector) if part)
    amounts = f"{_target(as_map(source.get('target')))} wanted, {_amount(as_map(current_source.get('current')))} now"
    name = as_text(source.get("name") or inner.get("name")) or kind
    return make_fact(name, f"{about_it}: {amounts}" if about_it else amounts, is_user_named=True)


def _amount(amount: Mapping[str, Any]) -> str:
    share, each, whole = (amount.get(name) for name in ("averageUtilization", "averageValue", "value"))
    if share is None and each is None:
        return "unknown" if whole is None else as_text(whole)
    return f"{as_text(share)} %" if share is not None else f"{as_text(each)} each"


def _target(target: Mapping[str, Any]) -> str:
    share = target.get("averageUtilization")
    return f"{as_text(share)} % of what they ask for" if share is not None else _amount(target)


def _pace(rules: Any, extreme: str) -> Iterator[str]:
    policy = as_map(rules)
    window, choice = as_int(policy.get("stabilizationWindowSeconds")), policy.get("selectPolicy")
    if choice == "Disabled":
        yield "never"
        return
    steps = [_step(each) for each in as_maps(policy.get("policies"))]
    least = ", whichever is less" if choice == "Min" else ", whichever is more"
    if steps:
        yield " or ".join(steps) + (least if len(steps) > 1 else "")
    if window:
        yield f"uses the {extreme} number wanted in the last {format_seconds(window)}"
    elif window == 0:
        yield "at once"


def _step(policy: Mapping[str, Any]) -> str:
    value, every = as_int(policy.get("value")), format_seconds(policy.get("periodSeconds"))
    much = format_pod_count(value) if policy.get("type") == "Pods" else f"{as_text(value)} %"
    return f"by {much} at most every {every}"
