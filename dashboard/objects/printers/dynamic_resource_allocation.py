"""Printers of dynamic resource allocation (DRA): device classes, resource slices, claims and their templates, taint
rules and pool status requests.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Column, Printer, created_at
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    TableColumn,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object


class Allocation(msgspec.Struct, frozen=True, gc=False):
    """An allocation, of which only the presence is read."""


class ClaimStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    allocation: Allocation | None = None
    reserved_for: tuple[msgspec.Raw, ...] = ()


class Claim(Object, frozen=True, kw_only=True):
    status: ClaimStatus = ClaimStatus()


class Pool(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class SliceSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    node_name: str = ""
    driver: str = ""
    pool: Pool = Pool()


class DeviceSlice(Object, frozen=True, kw_only=True):
    spec: SliceSpec = SliceSpec()


class Taint(msgspec.Struct, frozen=True, rename="camel", gc=False):
    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: datetime | None = None


class TaintSpec(msgspec.Struct, frozen=True, gc=False):
    taint: Taint = Taint()


class TaintRule(Object, frozen=True, kw_only=True):
    spec: TaintSpec = TaintSpec()


class PoolCounts(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Devices of one pool."""

    total_devices: int | None = None
    available_devices: int | None = None
    allocated_devices: int | None = None
    unavailable_devices: int | None = None
    validation_error: str = ""


class PoolsSpec(msgspec.Struct, frozen=True, gc=False):
    driver: str = ""


class PoolsStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    pools: tuple[PoolCounts, ...] = ()
    pool_count: int | None = None
    conditions: tuple[Condition, ...] = ()


class PoolsRequest(Object, frozen=True, kw_only=True):
    spec: PoolsSpec = PoolsSpec()
    status: PoolsStatus | None = None


def _state(claim: Claim) -> str:
    """kubectl's words for the deletion, the allocation and the reservation."""
    parts = ["deleted"] if claim.metadata.deletion_timestamp is not None else []
    if claim.status.allocation is None:
        return ",".join(parts) if parts else "pending"
    return ",".join([*parts, "allocated", *(["reserved"] if claim.status.reserved_for else [])])


def _claim_standing(claim: Claim) -> Health:
    state = _state(claim)
    return (
        Health(state, "busy", "waiting for a device", created_at(claim)) if state == "pending" else Health(state, "ok")
    )


def _request_standing(request: PoolsRequest) -> Health:
    conditions = request.status.conditions if request.status is not None else ()
    if (failed := find_condition(conditions, "Failed", "True")) is not None:
        return Health("Failed", "bad", f"failed: {condition_text(failed)}", condition_since(failed))
    if find_condition(conditions, "Complete", "True") is not None:
        return Health("Complete", "idle")
    return Health("Pending", "busy", "", created_at(request))


def _sum(field: str) -> TableColumn:
    def read(request: PoolsRequest) -> int | None:
        return sum(getattr(pool, f"{field}_devices") or 0 for pool in request.status.pools) if request.status else None

    return table_column(field, field.capitalize(), read, "number")


def _errors(request: PoolsRequest) -> int | None:
    return sum(bool(pool.validation_error) for pool in request.status.pools) if request.status else None


def _completed(request: PoolsRequest) -> datetime | None:
    condition = find_condition(request.status.conditions if request.status else (), "Complete", "True")
    return condition.last_transition_time if condition is not None else None


CLAIMS = table_printer(
    Claim, TableColumn(Column("state", "State", "status", words="state"), _state), AGE_CELL, health_of=_claim_standing
)
SLICES = table_printer(
    DeviceSlice,
    table_column("node", "Node", "spec.node_name", "mono"),
    table_column("driver", "Driver", "spec.driver", "mono"),
    table_column("pool", "Pool", "spec.pool.name", "mono"),
    AGE_CELL,
    namespaced=False,
)
TAINT_RULES = table_printer(
    TaintRule,
    table_column("key", "Key", "spec.taint.key", "mono"),
    table_column("value", "Value", "spec.taint.value", "mono"),
    table_column("effect", "Effect", "spec.taint.effect"),
    table_column("added", "Time added", "spec.taint.time_added", "age"),
    AGE_CELL,
    namespaced=False,
)
POOLS_REQUESTS = table_printer(
    PoolsRequest,
    table_column("driver", "Driver", "spec.driver", "mono"),
    *(_sum(field) for field in ("total", "available", "allocated", "unavailable")),
    table_column("errors", "Errors", _errors, "number"),
    table_column("pools", "Pools", lambda r: (r.status and r.status.pool_count) or 0, "number"),
    STATUS_CELL,
    table_column("completed", "Completed", _completed, "age"),
    AGE_CELL,
    health_of=_request_standing,
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "deviceclasses.resource.k8s.io": table_printer(Object, AGE_CELL, namespaced=False),
    "resourceclaims.resource.k8s.io": CLAIMS,
    "resourceclaimtemplates.resource.k8s.io": table_printer(Object, AGE_CELL),
    "resourceslices.resource.k8s.io": SLICES,
    "devicetaintrules.resource.k8s.io": TAINT_RULES,
    "resourcepoolstatusrequests.resource.k8s.io": POOLS_REQUESTS,
}
