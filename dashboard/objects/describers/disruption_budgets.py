"""Facts of PodDisruptionBudgets: what they keep, and how many pods are healthy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.describers.fact import Section, make_fact, make_section
from dashboard.objects.describers.workloads import selected_pods_fact, unobserved_fact
from dashboard.objects.fields.unstructured import as_int, as_map, as_text
from dashboard.runtime.counts_and_times import format_pod_count


def budget_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    least, most = as_text(spec.get("minAvailable")), as_text(spec.get("maxUnavailable"))
    healthy, needed, expected = (
        as_int(status.get(name)) for name in ("currentHealthy", "desiredHealthy", "expectedPods")
    )
    counted = None not in (healthy, needed, expected)
    always = spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow"
    return make_section(
        "budget", "Budget",
        unobserved_fact(obj),
        make_fact("Keeps", f"{least} available" if least else f"all but {most}" if most else None),
        make_fact("Healthy", f"{healthy} of {format_pod_count(expected)}, {needed} needed" if counted else None),
        make_fact(
            "Pods not ready", "may always be evicted" if always else "may be evicted only while enough are healthy"
        ),
        selected_pods_fact(obj, spec.get("selector")),
    )  # fmt: skip
