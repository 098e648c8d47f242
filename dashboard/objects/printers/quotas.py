"""What bounds others: disruption budgets, quotas, limit ranges, priorities."""

from __future__ import annotations

import msgspec

from dashboard.resources.quantity import parse_quantity
from dashboard.resources.rows.declared import AGE_SHOWN, STATUS_SHOWN, Standing, condition, declare, said, shown, since
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape
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


def _budget_standing(budget: Budget) -> Standing:
    """A budget that blocks every eviction holds up drains, but nothing is broken by it: it is not counted as wrong."""
    status = budget.status
    allowed = condition(status.conditions, "DisruptionAllowed")
    if allowed is not None and allowed.reason == "SyncFailed":
        return Standing("SyncFailed", "bad", f"cannot be computed: {said(allowed)}", since(allowed))
    if status.observed_generation < budget.metadata.generation:
        return Standing("Pending", "busy", "not computed yet")
    if not status.expected_pods:
        return Standing("NoPods", "idle", "selects no pods")
    healthy = f"{status.current_healthy} of {status.expected_pods} pods healthy, {status.desired_healthy} needed"
    if status.current_healthy < status.desired_healthy:
        return Standing("Unhealthy", "warn", f"no pod may be evicted: {healthy}", since(allowed))
    if not status.disruptions_allowed:
        return Standing("Blocking", "warn", f"no pod may be evicted: {healthy}")
    return Standing("Allowing", "ok")


def _quota_standing(quota: Quota) -> Standing:
    full = [
        f"{name}: {quota.status.used.get(name, '0')} of {hard} used"
        for name, hard in sorted(quota.status.hard.items())
        if _is_full(quota.status.used.get(name, "0"), hard)
    ]
    if full:
        return Standing("Exhausted", "warn", ", ".join(full))
    return Standing("Available", "ok") if quota.status.hard else Standing("Pending", "busy", "not counted yet")


def _is_full(used: str, hard: str) -> bool:
    """A limit of nothing forbids, and is full only where there is something still."""
    mine, most = parse_quantity(used) or 0.0, parse_quantity(hard)
    return most is not None and mine >= most and mine > 0


def _used(quota: Quota, *, limits: bool) -> str:
    """Each resource with what is used and what may be, those of limits apart from the others."""
    status = quota.status
    return ", ".join(
        f"{name}: {status.used.get(name, '0')}/{hard}"
        for name, hard in sorted(status.hard.items())
        if name.startswith("limits") == limits
    )


def _bound(value: int | str | None) -> str:
    return "N/A" if value is None else str(value)


BUDGETS = declare(
    Budget,
    STATUS_SHOWN,
    shown("min-available", "Min available", lambda b: _bound(b.spec.min_available), order="fraction"),
    shown("max-unavailable", "Max unavailable", lambda b: _bound(b.spec.max_unavailable), order="fraction"),
    shown("allowed", "Allowed disruptions", "status.disruptions_allowed", "number"),
    AGE_SHOWN,
    judge=_budget_standing,
)
QUOTAS = declare(
    Quota,
    STATUS_SHOWN,
    shown("request", "Request", lambda quota: _used(quota, limits=False)),
    shown("limit", "Limit", lambda quota: _used(quota, limits=True)),
    AGE_SHOWN,
    judge=_quota_standing,
)
_TYPES = shown("types", "Types", lambda found: [limit.type for limit in found.spec.limits or ()])
LIMIT_RANGES = declare(LimitRange, _TYPES, AGE_SHOWN)
PRIORITY_CLASSES = declare(
    PriorityClass,
    shown("value", "Value", "value", "number"),
    shown("global-default", "Global default", "global_default"),
    AGE_SHOWN,
    shown("preemption-policy", "Preemption policy", "preemption_policy"),
    namespaced=False,
)
SHAPES: dict[str, Shape] = {
    "poddisruptionbudgets.policy": BUDGETS,
    "resourcequotas": QUOTAS,
    "limitranges": LIMIT_RANGES,
    "priorityclasses.scheduling.k8s.io": PRIORITY_CLASSES,
}
