"""PodDisruptionBudgets: what they keep, and what keeps them from giving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.facts.fact import Section, fact, section
from dashboard.resources.facts.rollouts import selects, unseen
from dashboard.resources.loose import mapping, number, text
from dashboard.resources.words import pods


def budget_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    least, most = text(spec.get("minAvailable")), text(spec.get("maxUnavailable"))
    healthy, needed, expected = (
        number(status.get(name)) for name in ("currentHealthy", "desiredHealthy", "expectedPods")
    )
    counted = None not in (healthy, needed, expected)
    always = spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow"
    return section(
        "budget", "Budget",
        unseen(obj),
        fact("Keeps", f"{least} available" if least else f"all but {most}" if most else None),
        fact("Healthy", f"{healthy} of {pods(expected)}, {needed} needed" if counted else None),
        fact("Pods not ready", "may always be evicted" if always else "may be evicted only while enough are healthy"),
        selects(obj, spec.get("selector")),
    )  # fmt: skip
