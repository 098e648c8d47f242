"""Printers of the control plane's own kinds: flow control, leases, runtime classes, storage versions and migrations."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer, created_at
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


class Conditions(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class NameReference(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class TypeReference(msgspec.Struct, frozen=True, gc=False):
    type: str = ""


class FlowSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    priority_level_configuration: NameReference = NameReference()
    matching_precedence: int = 0
    distinguisher_method: TypeReference = TypeReference()


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
        """The settings of a limited level; kubectl prints none for an exempt one."""
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


class MigratedResource(msgspec.Struct, frozen=True, gc=False):
    group: str = ""
    resource: str = ""


class MigrationSpec(msgspec.Struct, frozen=True, gc=False):
    resource: MigratedResource = MigratedResource()


class Migration(Object, frozen=True, kw_only=True):
    spec: MigrationSpec = MigrationSpec()
    status: Conditions = Conditions()


def _flow_standing(flow: FlowSchema) -> Health:
    dangling = find_condition(flow.status.conditions, "Dangling", "True")
    if dangling is None:
        return Health("Current", "ok")
    return Health(
        "Dangling", "bad", f"its priority level is missing: {condition_text(dangling)}", condition_since(dangling)
    )


def _missing(flow: FlowSchema) -> str:
    return getattr(find_condition(flow.status.conditions, "Dangling"), "status", "?")


def _migration_standing(migration: Migration) -> Health:
    conditions = migration.status.conditions
    if (failed := find_condition(conditions, "Failed", "True")) is not None:
        return Health("Failed", "bad", f"failed: {condition_text(failed)}", condition_since(failed))
    if find_condition(conditions, "Succeeded", "True") is not None:
        return Health("Succeeded", "idle")
    running = find_condition(conditions, "Running", "True")
    return (
        Health("Running", "ok")
        if running is not None
        else Health("Unknown", "busy", "not begun", created_at(migration))
    )


FLOWS = table_printer(
    FlowSchema,
    table_column("level", "Priority level", "spec.priority_level_configuration.name", "mono"),
    table_column("precedence", "Matching precedence", "spec.matching_precedence", "number"),
    table_column("distinguisher", "Distinguisher method", "spec.distinguisher_method.type"),
    AGE_CELL,
    table_column("missing", "Missing PL", _missing),
    health_of=_flow_standing,
    namespaced=False,
)
LEVELS = table_printer(
    PriorityLevel,
    table_column("type", "Type", "spec.type"),
    table_column("shares", "Nominal concurrency shares", "spec.level.nominal_concurrency_shares", "number"),
    table_column("queues", "Queues", "spec.level.limit_response.queuing.queues", "number"),
    table_column("hand-size", "Hand size", "spec.level.limit_response.queuing.hand_size", "number"),
    table_column(
        "queue-length", "Queue length limit", "spec.level.limit_response.queuing.queue_length_limit", "number"
    ),
    AGE_CELL,
    namespaced=False,
)
LEASES = table_printer(
    Lease,
    table_column("holder", "Holder", "spec.holder_identity", "mono"),
    table_column("renewed", "Renewed", "spec.renew_time", "age", priority=2),
    AGE_CELL,
)
CANDIDATES = table_printer(
    Candidate,
    table_column("lease", "Lease name", "spec.lease_name", "mono"),
    table_column("binary-version", "Binary version", "spec.binary_version", "mono"),
    table_column("emulation-version", "Emulation version", "spec.emulation_version", "mono"),
    AGE_CELL,
)
RUNTIMES = table_printer(Runtime, table_column("handler", "Handler", "handler", "mono"), AGE_CELL, namespaced=False)
STORAGE_VERSIONS = table_printer(
    StorageVersion,
    table_column("common", "Common encoding version", "status.common_encoding_version", "mono"),
    table_column(
        "versions", "Storage versions", lambda v: [f"{e.server}={e.version}" for e in v.status.storage_versions]
    ),
    AGE_CELL,
    namespaced=False,
)
MIGRATIONS = table_printer(
    Migration,
    table_column(
        "resource", "Resource", lambda m: ".".join(filter(None, [m.spec.resource.resource, m.spec.resource.group]))
    ),
    STATUS_CELL,
    AGE_CELL,
    health_of=_migration_standing,
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "flowschemas.flowcontrol.apiserver.k8s.io": FLOWS,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": LEVELS,
    "leases.coordination.k8s.io": LEASES,
    "leasecandidates.coordination.k8s.io": CANDIDATES,
    "runtimeclasses.node.k8s.io": RUNTIMES,
    "storageversions.internal.apiserver.k8s.io": STORAGE_VERSIONS,
    "storageversionmigrations.storagemigration.k8s.io": MIGRATIONS,
}
