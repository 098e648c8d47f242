"""Printer of PodDisruptionBudgets."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object


class BudgetSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    min_available: int | str | None = None
    max_unavailable: int | str | None = None


class BudgetStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()


class Budget(Object, frozen=True, kw_only=True):
    spec: BudgetSpec = BudgetSpec()
    status: BudgetStatus = BudgetStatus()


def _budget_standing(budget: Budget) -> Health:
    """Health of a budget; one that blocks every eviction delays drains, but is not unhealthy."""
    status = budget.status
    allowed = find_condition(status.conditions, "DisruptionAllowed")
    if allowed is not None and allowed.reason == "SyncFailed":
        return Health("SyncFailed", "bad", f"cannot be computed: {condition_text(allowed)}", condition_since(allowed))
    if status.observed_generation < budget.metadata.generation:
        return Health("Pending", "busy", "not computed yet")
    if not status.expected_pods:
        return Health("NoPods", "idle", "selects no pods")
    healthy = f"{status.current_healthy} of {status.expected_pods} pods healthy, {status.desired_healthy} needed"
    if status.current_healthy < status.desired_healthy:
        return Health("Unhealthy", "warn", f"no pod may be evicted: {healthy}", condition_since(allowed))
    if not status.disruptions_allowed:
        return Health("Blocking", "warn", f"no pod may be evicted: {healthy}")
    return Health("Allowing", "ok")


def _bound(value: int | str | None) -> str:
    return "N/A" if value is None else str(value)


BUDGETS = table_printer(
    Budget,
    STATUS_CELL,
    table_column("min-available", "Min available", lambda b: _bound(b.spec.min_available), order="fraction"),
    table_column("max-unavailable", "Max unavailable", lambda b: _bound(b.spec.max_unavailable), order="fraction"),
    table_column("allowed", "Allowed disruptions", "status.disruptions_allowed", "number"),
    AGE_CELL,
    health_of=_budget_standing,
)
PRINTERS: dict[str, Printer] = {
    "poddisruptionbudgets.policy": BUDGETS,
}
