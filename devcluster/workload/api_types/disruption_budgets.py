"""API type of PodDisruptionBudgets."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition
from informerd.objects import Object


class BudgetSpec(ApiStruct, frozen=True):
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: dict[str, Any] | None = None


class BudgetStatus(ApiStruct, frozen=True):
    observed_generation: int = 0
    disrupted_pods: dict[str, str] = {}
    """By name, when an eviction of the pod was let through."""
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    conditions: tuple[Condition, ...] = ()


class Budget(Object, frozen=True):
    spec: BudgetSpec = BudgetSpec()
    status: BudgetStatus = BudgetStatus()
