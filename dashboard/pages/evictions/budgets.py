"""PodDisruptionBudgets of a pod, with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.objects.kinds.catalog import KINDS
from dashboard.runtime.text_with_links import object_href
from informerd.errors import InformerdError, MalformedSelector, NotFound
from informerd.rest.client import Client
from informerd.selectors.label_selector import LabelSelector

BUDGETS_KEY = "poddisruptionbudgets.policy"
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Budget:
    """Current state of one budget."""

    name: str
    href: str
    rule: str
    """``at least 2 available``."""
    allowed: int
    current_healthy: int
    desired_healthy: int
    expected_pods: int
    allows_unready: bool = False
    """Whether a pod that is not ready is evicted, whatever `allowed` is (spec.unhealthyPodEvictionPolicy)."""

    @property
    def words(self) -> str:
        allows = (
            f"allows {self.allowed} disruption{'' if self.allowed == 1 else 's'}"
            if self.allowed
            else "allows no disruption"
        )
        healthy = (
            f"{self.current_healthy} of its {self.expected_pods} pods are healthy, and {self.desired_healthy} must be"
        )
        return f"The PodDisruptionBudget {self.name} ({self.rule}) {allows} now: {healthy}."


async def budgets_in(client: Client, namespace: str) -> list[Json] | None:
    """All budgets of a namespace; None where they cannot be read."""
    try:
        return list((await client.list(KINDS[BUDGETS_KEY].resource, namespace)).object().get("items") or ())
    except NotFound:  # an API server without policy/v1 keeps none
        return []
    except InformerdError:
        return None


def budgets_of(labels: Mapping[str, str], budgets: Iterable[Json]) -> tuple[Budget, ...]:
    """The budgets whose selector matches a pod's labels."""
    return tuple(_budget(each) for each in budgets if _matches(each, labels))


def _budget(budget: Json) -> Budget:
    metadata, spec, status = budget["metadata"], budget["spec"], budget.get("status") or {}
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    rule = f"at least {least} available" if least is not None else f"at most {most} unavailable"
    return Budget(
        metadata["name"],
        object_href(BUDGETS_KEY, metadata["namespace"], metadata["name"]),
        rule,
        status.get("disruptionsAllowed", 0),
        status.get("currentHealthy", 0),
        status.get("desiredHealthy", 0),
        status.get("expectedPods", 0),
        _allows_unready(spec, status),
    )


def _allows_unready(spec: Json, status: Json) -> bool:
    """Source: the API server's pkg/registry/core/pod/storage/eviction.go."""
    needed = status.get("desiredHealthy", 0)
    return spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow" or status.get("currentHealthy", 0) >= needed > 0


def _matches(budget: Json, labels: Mapping[str, str]) -> bool:
    """As in policy/v1: an empty selector matches every pod of the namespace, a missing or invalid one none."""
    try:
        return LabelSelector.from_manifest(budget["spec"].get("selector")).matches(labels)
    except MalformedSelector:  # of old objects; the API server passes over it likewise
        return False
