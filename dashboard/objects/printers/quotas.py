"""Printers of disruption budgets, quotas, limit ranges and priority classes."""

from __future__ import annotations

import msgspec

from dashboard.objects.fields.quantity import parse_quantity
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


class QuotaStatus(msgspec.Struct, frozen=True, gc=False):
    hard: dict[str, str] = {}
    used: dict[str, str] = {}


class Quota(Object, frozen=True, kw_only=True):
    status: QuotaStatus = QuotaStatus()


class Limit(msgspec.Struct, frozen=True, gc=False):
    type: str = ""


class LimitRangeSpec(msgspec.Struct, frozen=True, gc=False):
    limits: tuple[Limit, ...] | None = ()


class LimitRange(Object, frozen=True, kw_only=True):
    spec: LimitRangeSpec = LimitRangeSpec()


class PriorityClass(Object, frozen=True, kw_only=True):
    value: int = 0
    global_default: bool = False
    preemption_policy: str = ""


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


def _quota_standing(quota: Quota) -> Health:
    full = [
        f"{name}: {quota.status.used.get(name, '0')} of {hard} used"
        for name, hard in sorted(quota.status.hard.items())
        if _is_full(quota.status.used.get(name, "0"), hard)
    ]
    if full:
        return Health("Exhausted", "warn", ", ".join(full))
    return Health("Available", "ok") if quota.status.hard else Health("Pending", "busy", "not counted yet")


def _is_full(used: str, hard: str) -> bool:
    """Whether a limit is reached; a limit of zero is reached only where something is used."""
    mine, most = parse_quantity(used) or 0.0, parse_quantity(hard)
    return most is not None and mine >= most and mine > 0


def _used(quota: Quota, *, limits: bool) -> str:
    """The use and limit of each resource, those of limits apart from the others."""
    status = quota.status
    return ", ".join(
        f"{name}: {status.used.get(name, '0')}/{hard}"
        for name, hard in sorted(status.hard.items())
        if name.startswith("limits") == limits
    )


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
QUOTAS = table_printer(
    Quota,
    STATUS_CELL,
    table_column("request", "Request", lambda quota: _used(quota, limits=False)),
    table_column("limit", "Limit", lambda quota: _used(quota, limits=True)),
    AGE_CELL,
    health_of=_quota_standing,
)
_TYPES = table_column("types", "Types", lambda found: [limit.type for limit in found.spec.limits or ()])
LIMIT_RANGES = table_printer(LimitRange, _TYPES, AGE_CELL)
PRIORITY_CLASSES = table_printer(
    PriorityClass,
    table_column("value", "Value", "value", "number"),
    table_column("global-default", "Global default", "global_default"),
    AGE_CELL,
    table_column("preemption-policy", "Preemption policy", "preemption_policy"),
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "poddisruptionbudgets.policy": BUDGETS,
    "resourcequotas": QUOTAS,
    "limitranges": LIMIT_RANGES,
    "priorityclasses.scheduling.k8s.io": PRIORITY_CLASSES,
}
