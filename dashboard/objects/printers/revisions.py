"""ReplicationControllers, and what other controllers keep: revisions and templates of pods."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, declare, labels_text, shown
from dashboard.resources.rows.shape import AGE, STATUS, Facts, Shape, age, namespaced_columns
from dashboard.resources.rows.workloads import (
    CONTAINERS,
    COUNTS,
    IMAGES,
    SELECTOR,
    Template,
    Workload,
    WorkloadSpec,
    judge,
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


def _read_controller(obj: Controller) -> Facts:
    desired, status = obj.spec.replicas, obj.status
    verdict = judge(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    cells = (
        verdict.status,
        desired,
        status.replicas,
        status.ready_replicas,
        age(obj),
        obj.spec.template.names,
        obj.spec.template.images,
        labels_text(obj.spec.selector),
    )
    return Facts(verdict.status, verdict.tone, cells, verdict.reason, verdict.since)


def _owned_by(revision: Revision) -> str:
    """The controller as kubectl names it: ``statefulset.apps/web``."""
    for owner in revision.metadata.owner_references:
        if owner.controller:
            group = owner.api_version.rpartition("/")[0]
            return f"{owner.kind.lower()}{f'.{group}' if group else ''}/{owner.name}"
    return ""


CONTROLLERS = Shape(
    namespaced_columns(STATUS, *COUNTS, AGE, CONTAINERS, IMAGES, SELECTOR), Controller, _read_controller
)
REVISIONS = declare(
    Revision,
    shown("controller", "Controller", _owned_by, "mono"),
    shown("revision", "Revision", "revision", "number"),
    AGE_SHOWN,
)
TEMPLATES = declare(
    PodTemplate,
    shown("containers", "Containers", "template.names"),
    shown("images", "Images", "template.images", "mono"),
    shown("pod-labels", "Pod labels", lambda t: labels_text(t.template.metadata.labels), "mono"),
    AGE_SHOWN,
)
SHAPES: dict[str, Shape] = {
    "replicationcontrollers": CONTROLLERS,
    "controllerrevisions.apps": REVISIONS,
    "podtemplates": TEMPLATES,
}
