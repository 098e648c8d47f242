"""Printers of ResourceQuotas and LimitRanges."""

from __future__ import annotations

import msgspec

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.health import Health
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    table_column,
    table_printer,
)
from informerd.objects import Object


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
PRINTERS: dict[str, Printer] = {
    "resourcequotas": QUOTAS,
    "limitranges": LIMIT_RANGES,
}
