"""Printers of ReplicationControllers, ControllerRevisions and PodTemplates."""

from __future__ import annotations

import msgspec

from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    PrintedRow,
    Printer,
    created_at,
    namespaced_columns,
)
from dashboard.objects.printers.table_printer import AGE_CELL, labels_text, table_column, table_printer
from dashboard.objects.printers.workloads import (
    CONTAINERS_COLUMN,
    COUNT_COLUMNS,
    IMAGES_COLUMN,
    SELECTOR_COLUMN,
    Template,
    Workload,
    WorkloadSpec,
    workload_health,
)
from informerd.objects import Object


class ControllerSpec(WorkloadSpec, frozen=True, rename="camel", gc=False):
    selector: dict[str, str] = {}  # type: ignore[assignment]


class Controller(Workload, frozen=True, kw_only=True):
    spec: ControllerSpec = ControllerSpec()


class Revision(Object, frozen=True, kw_only=True):
    revision: int = 0


class TemplateMeta(msgspec.Struct, frozen=True, gc=False):
    labels: dict[str, str] = {}


class LabelledTemplate(Template, frozen=True, gc=False):
    metadata: TemplateMeta = TemplateMeta()


class PodTemplate(Object, frozen=True, kw_only=True):
    template: LabelledTemplate = LabelledTemplate()


def _read_controller(obj: Controller) -> PrintedRow:
    desired, status = obj.spec.replicas, obj.status
    verdict = workload_health(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    cells = (
        verdict.status,
        desired,
        status.replicas,
        status.ready_replicas,
        created_at(obj),
        obj.spec.template.names,
        obj.spec.template.images,
        labels_text(obj.spec.selector),
    )
    return PrintedRow(verdict.status, verdict.tone, cells, verdict.reason, verdict.since)


def _owned_by(revision: Revision) -> str:
    """The controller as kubectl names it: ``statefulset.apps/web``."""
    for owner in revision.metadata.owner_references:
        if owner.controller:
            group = owner.api_version.rpartition("/")[0]
            return f"{owner.kind.lower()}{f'.{group}' if group else ''}/{owner.name}"
    return ""


CONTROLLERS = Printer(
    namespaced_columns(STATUS_COLUMN, *COUNT_COLUMNS, AGE_COLUMN, CONTAINERS_COLUMN, IMAGES_COLUMN, SELECTOR_COLUMN),
    Controller,
    _read_controller,
)
REVISIONS = table_printer(
    Revision,
    table_column("controller", "Controller", _owned_by, "mono"),
    table_column("revision", "Revision", "revision", "number"),
    AGE_CELL,
)
TEMPLATES = table_printer(
    PodTemplate,
    table_column("containers", "Containers", "template.names"),
    table_column("images", "Images", "template.images", "mono"),
    table_column("pod-labels", "Pod labels", lambda t: labels_text(t.template.metadata.labels), "mono"),
    AGE_CELL,
)
PRINTERS: dict[str, Printer] = {
    "replicationcontrollers": CONTROLLERS,
    "controllerrevisions.apps": REVISIONS,
    "podtemplates": TEMPLATES,
}
