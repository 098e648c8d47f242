"""Devices: what drivers offer, and who claims it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.resources.rows.column import Column
from dashboard.resources.rows.declared import (
    AGE_SHOWN,
    STATUS_SHOWN,
    Shown,
    Standing,
    condition,
    declare,
    said,
    shown,
    since,
)
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age
from informerd.objects import Object


class Allocation(msgspec.Struct, frozen=True, gc=False):
    """That there is one is all that is read."""


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


class Counts(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Devices of one pool."""

    total_devices: int | None = None
    available_devices: int | None = None
    allocated_devices: int | None = None
    unavailable_devices: int | None = None
    validation_error: str = ""


class PoolsSpec(msgspec.Struct, frozen=True, gc=False):
    driver: str = ""


class PoolsStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    pools: tuple[Counts, ...] = ()
    pool_count: int | None = None
    conditions: tuple[Condition, ...] = ()


class PoolsRequest(Object, frozen=True, kw_only=True):
    spec: PoolsSpec = PoolsSpec()
    status: PoolsStatus | None = None


def _state(claim: Claim) -> str:
    """kubectl's words: of the deletion, the allocation and who has reserved it."""
    parts = ["deleted"] if claim.metadata.deletion_timestamp is not None else []
    if claim.status.allocation is None:
        return ",".join(parts) if parts else "pending"
    return ",".join([*parts, "allocated", *(["reserved"] if claim.status.reserved_for else [])])


def _claim_standing(claim: Claim) -> Standing:
    state = _state(claim)
    return Standing(state, "busy", "waiting for a device", age(claim)) if state == "pending" else Standing(state, "ok")


def _request_standing(request: PoolsRequest) -> Standing:
    conditions = request.status.conditions if request.status is not None else ()
    if (failed := condition(conditions, "Failed", "True")) is not None:
        return Standing("Failed", "bad", f"failed: {said(failed)}", since(failed))
    if condition(conditions, "Complete", "True") is not None:
        return Standing("Complete", "idle")
    return Standing("Pending", "busy", "", age(request))


def _sum(field: str) -> Shown:
    def read(request: PoolsRequest) -> int | None:
        return sum(getattr(pool, f"{field}_devices") or 0 for pool in request.status.pools) if request.status else None

    return shown(field, field.capitalize(), read, "number")


def _errors(request: PoolsRequest) -> int | None:
    return sum(bool(pool.validation_error) for pool in request.status.pools) if request.status else None


def _completed(request: PoolsRequest) -> datetime | None:
    found = condition(request.status.conditions if request.status else (), "Complete", "True")
    return found.last_transition_time if found is not None else None


CLAIMS = declare(
    Claim, Shown(Column("state", "State", "status", words="state"), _state), AGE_SHOWN, judge=_claim_standing
)
SLICES = declare(
    DeviceSlice,
    shown("node", "Node", "spec.node_name", "mono"),
    shown("driver", "Driver", "spec.driver", "mono"),
    shown("pool", "Pool", "spec.pool.name", "mono"),
    AGE_SHOWN,
    namespaced=False,
)
TAINT_RULES = declare(
    TaintRule,
    shown("key", "Key", "spec.taint.key", "mono"),
    shown("value", "Value", "spec.taint.value", "mono"),
    shown("effect", "Effect", "spec.taint.effect"),
    shown("added", "Time added", "spec.taint.time_added", "age"),
    AGE_SHOWN,
    namespaced=False,
)
POOLS_REQUESTS = declare(
    PoolsRequest,
    shown("driver", "Driver", "spec.driver", "mono"),
    *(_sum(field) for field in ("total", "available", "allocated", "unavailable")),
    shown("errors", "Errors", _errors, "number"),
    shown("pools", "Pools", lambda r: (r.status and r.status.pool_count) or 0, "number"),
    STATUS_SHOWN,
    shown("completed", "Completed", _completed, "age"),
    AGE_SHOWN,
    judge=_request_standing,
    namespaced=False,
)
SHAPES: dict[str, Shape] = {
    "deviceclasses.resource.k8s.io": declare(Object, AGE_SHOWN, namespaced=False),
    "resourceclaims.resource.k8s.io": CLAIMS,
    "resourceclaimtemplates.resource.k8s.io": declare(Object, AGE_SHOWN),
    "resourceslices.resource.k8s.io": SLICES,
    "devicetaintrules.resource.k8s.io": TAINT_RULES,
    "resourcepoolstatusrequests.resource.k8s.io": POOLS_REQUESTS,
}
