"""How the cluster runs itself: flow control, leases, runtimes, versions of storage and their migration."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, STATUS_SHOWN, Standing, condition, declare, said, shown, since
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age
from informerd.objects import Object


class Conditions(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class Named(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class Typed(msgspec.Struct, frozen=True, gc=False):
    type: str = ""


class FlowSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    priority_level_configuration: Named = Named()
    matching_precedence: int = 0
    distinguisher_method: Typed = Typed()


class FlowSchema(Object, frozen=True, kw_only=True):
    spec: FlowSpec = FlowSpec()
    status: Conditions = Conditions()


class Queuing(msgspec.Struct, frozen=True, rename="camel", gc=False):
    queues: int | None = None
    hand_size: int | None = None
    queue_length_limit: int | None = None


class Response(msgspec.Struct, frozen=True, gc=False):
    queuing: Queuing = Queuing()


class Level(msgspec.Struct, frozen=True, rename="camel", gc=False):
    nominal_concurrency_shares: int | None = None
    limit_response: Response = Response()


class LevelSpec(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    limited: Level | None = None

    @property
    def level(self) -> Level:
        """What a limited one has; kubectl prints nothing of an exempt one."""
        return self.limited or Level()


class PriorityLevel(Object, frozen=True, kw_only=True):
    spec: LevelSpec = LevelSpec()


class LeaseSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    holder_identity: str = ""
    renew_time: datetime | None = None


class Lease(Object, frozen=True, kw_only=True):
    spec: LeaseSpec = LeaseSpec()


class CandidateSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    lease_name: str = ""
    binary_version: str = ""
    emulation_version: str = ""


class Candidate(Object, frozen=True, kw_only=True):
    spec: CandidateSpec = CandidateSpec()


class Runtime(Object, frozen=True, kw_only=True):
    handler: str = ""


class Encoding(msgspec.Struct, frozen=True, rename={"server": "apiServerID", "version": "encodingVersion"}, gc=False):
    server: str = ""
    version: str = ""


class VersionStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    common_encoding_version: str = ""
    storage_versions: tuple[Encoding, ...] = ()


class StorageVersion(Object, frozen=True, kw_only=True):
    status: VersionStatus = VersionStatus()


class Migrated(msgspec.Struct, frozen=True, gc=False):
    group: str = ""
    resource: str = ""


class MigrationSpec(msgspec.Struct, frozen=True, gc=False):
    resource: Migrated = Migrated()


class Migration(Object, frozen=True, kw_only=True):
    spec: MigrationSpec = MigrationSpec()
    status: Conditions = Conditions()


def _flow_standing(flow: FlowSchema) -> Standing:
    dangling = condition(flow.status.conditions, "Dangling", "True")
    if dangling is None:
        return Standing("Current", "ok")
    return Standing("Dangling", "bad", f"its priority level is missing: {said(dangling)}", since(dangling))


def _missing(flow: FlowSchema) -> str:
    return getattr(condition(flow.status.conditions, "Dangling"), "status", "?")


def _migration_standing(migration: Migration) -> Standing:
    conditions = migration.status.conditions
    if (failed := condition(conditions, "Failed", "True")) is not None:
        return Standing("Failed", "bad", f"failed: {said(failed)}", since(failed))
    if condition(conditions, "Succeeded", "True") is not None:
        return Standing("Succeeded", "idle")
    running = condition(conditions, "Running", "True")
    return (
        Standing("Running", "ok") if running is not None else Standing("Unknown", "busy", "not begun", age(migration))
    )


FLOWS = declare(
    FlowSchema,
    shown("level", "Priority level", "spec.priority_level_configuration.name", "mono"),
    shown("precedence", "Matching precedence", "spec.matching_precedence", "number"),
    shown("distinguisher", "Distinguisher method", "spec.distinguisher_method.type"),
    AGE_SHOWN,
    shown("missing", "Missing PL", _missing),
    judge=_flow_standing,
    namespaced=False,
)
LEVELS = declare(
    PriorityLevel,
    shown("type", "Type", "spec.type"),
    shown("shares", "Nominal concurrency shares", "spec.level.nominal_concurrency_shares", "number"),
    shown("queues", "Queues", "spec.level.limit_response.queuing.queues", "number"),
    shown("hand-size", "Hand size", "spec.level.limit_response.queuing.hand_size", "number"),
    shown("queue-length", "Queue length limit", "spec.level.limit_response.queuing.queue_length_limit", "number"),
    AGE_SHOWN,
    namespaced=False,
)
LEASES = declare(
    Lease,
    shown("holder", "Holder", "spec.holder_identity", "mono"),
    shown("renewed", "Renewed", "spec.renew_time", "age", priority=2),
    AGE_SHOWN,
)
CANDIDATES = declare(
    Candidate,
    shown("lease", "Lease name", "spec.lease_name", "mono"),
    shown("binary-version", "Binary version", "spec.binary_version", "mono"),
    shown("emulation-version", "Emulation version", "spec.emulation_version", "mono"),
    AGE_SHOWN,
)
RUNTIMES = declare(Runtime, shown("handler", "Handler", "handler", "mono"), AGE_SHOWN, namespaced=False)
STORAGE_VERSIONS = declare(
    StorageVersion,
    shown("common", "Common encoding version", "status.common_encoding_version", "mono"),
    shown("versions", "Storage versions", lambda v: [f"{e.server}={e.version}" for e in v.status.storage_versions]),
    AGE_SHOWN,
    namespaced=False,
)
MIGRATIONS = declare(
    Migration,
    shown("resource", "Resource", lambda m: ".".join(filter(None, [m.spec.resource.resource, m.spec.resource.group]))),
    STATUS_SHOWN,
    AGE_SHOWN,
    judge=_migration_standing,
    namespaced=False,
)
SHAPES: dict[str, Shape] = {
    "flowschemas.flowcontrol.apiserver.k8s.io": FLOWS,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": LEVELS,
    "leases.coordination.k8s.io": LEASES,
    "leasecandidates.coordination.k8s.io": CANDIDATES,
    "runtimeclasses.node.k8s.io": RUNTIMES,
    "storageversions.internal.apiserver.k8s.io": STORAGE_VERSIONS,
    "storageversionmigrations.storagemigration.k8s.io": MIGRATIONS,
}
