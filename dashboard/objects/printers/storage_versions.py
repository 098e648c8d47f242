"""Printers of StorageVersions and StorageVersionMigrations."""

from __future__ import annotations

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
    "storageversions.internal.apiserver.k8s.io": STORAGE_VERSIONS,
    "storageversionmigrations.storagemigration.k8s.io": MIGRATIONS,
}
