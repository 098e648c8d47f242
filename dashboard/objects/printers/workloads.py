"""Printers of Deployments, ReplicaSets, StatefulSets and DaemonSets: kubectl's wide columns, and a status word.

kubectl prints no status for these. The words are: Available or Ready, Progressing, Unavailable, Stalled, Failed,
Paused, ScaledDown and Terminating; the reason says why.
"""

from __future__ import annotations

import msgspec

from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    Column,
    PrintedRow,
    Printer,
    created_at,
    namespaced_columns,
    to_unix_seconds,
)
from informerd.objects import Object

READY_COLUMN = Column("ready", "Ready", order="fraction", words="ready")
CONTAINERS_COLUMN = Column("containers", "Containers", priority=2, words="containers")
IMAGES_COLUMN = Column("images", "Images", "mono", priority=1, words="images")
SELECTOR_COLUMN = Column("selector", "Selector", "mono", priority=2)


def count_column(name: str, header: str, *, priority: int = 0) -> Column:
    """A column of numbers whose changes make a feed line."""
    return Column(name, header, "number", priority, "number", header.lower())


class TemplateContainer(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    image: str = ""


class TemplateSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    node_selector: dict[str, str] = {}
    containers: tuple[TemplateContainer, ...] = ()


class Template(msgspec.Struct, frozen=True, gc=False):
    spec: TemplateSpec = TemplateSpec()

    @property
    def names(self) -> str:
        return ",".join(container.name for container in self.spec.containers)

    @property
    def images(self) -> str:
        return ",".join(container.image for container in self.spec.containers)


class Requirement(msgspec.Struct, frozen=True, gc=False):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.operator == "Exists":
            return self.key
        if self.operator == "DoesNotExist":
            return f"!{self.key}"
        return f"{self.key} {'in' if self.operator == 'In' else 'notin'} ({','.join(sorted(self.values))})"


class Selector(msgspec.Struct, frozen=True, rename="camel", gc=False):
    match_labels: dict[str, str] = {}
    match_expressions: tuple[Requirement, ...] = ()

    def __str__(self) -> str:
        """As metav1.FormatLabelSelector writes it."""
        parts = [(key, f"{key}={value}") for key, value in self.match_labels.items()]
        parts += [(requirement.key, str(requirement)) for requirement in self.match_expressions]
        return ",".join(text for _, text in sorted(parts, key=lambda part: part[0]))


class WorkloadSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    replicas: int = 1
    paused: bool = False
    selector: Selector = Selector()
    template: Template = Template()


class WorkloadStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    observed_generation: int = 0
    replicas: int = 0
    ready_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    conditions: tuple[Condition, ...] = ()


class Workload(Object, frozen=True, kw_only=True):
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()

    def condition(self, name: str) -> Condition | None:
        return next((c for c in self.status.conditions if c.type == name), None)

    @property
    def is_observed(self) -> bool:
        """Whether the controller has seen the latest spec."""
        return self.status.observed_generation >= self.metadata.generation


class WorkloadHealth(msgspec.Struct, frozen=True, gc=False):
    status: str
    tone: Tone
    reason: str = ""
    since: float | None = None


def workload_health(
    obj: Workload, desired: int, ready: int, updated: int | None, total: int, healthy_status: str
) -> WorkloadHealth:
    """The status word of a set of pods. `updated` is None for kinds without rollouts."""
    meta, progressing = obj.metadata, obj.condition("Progressing")
    failure = obj.condition("ReplicaFailure")
    if meta.deletion_timestamp is not None:
        return WorkloadHealth("Terminating", "busy", "", to_unix_seconds(meta.deletion_timestamp))
    if failure is not None and failure.status == "True":
        words = f"pods cannot be created: {failure.message or failure.reason}"
        return WorkloadHealth("Failed", "bad", words, to_unix_seconds(failure.last_transition_time))
    if progressing is not None and progressing.status == "False":
        words = f"rollout is stuck: {progressing.message or progressing.reason}"
        return WorkloadHealth("Stalled", "bad", words, to_unix_seconds(progressing.last_transition_time))
    if desired == 0 and total == 0:
        return WorkloadHealth("ScaledDown", "idle")
    since = _unready_since(obj)
    if ready < desired:
        unready = desired - ready
        words = f"{unready} of {desired} pod{'' if desired == 1 else 's'} {'is' if unready == 1 else 'are'} not ready"
        return (
            WorkloadHealth("Progressing", "busy", words, since)
            if ready
            else WorkloadHealth("Unavailable", "warn", words, since)
        )
    if obj.spec.paused:
        return WorkloadHealth("Paused", "idle", "its rollout is paused")
    if not obj.is_observed or total > desired or (updated is not None and updated < desired):
        return WorkloadHealth("Progressing", "busy", "", since)
    return WorkloadHealth(healthy_status, "ok")


def _unready_since(obj: Workload) -> float | None:
    """Since when too few pods are available; None where the object does not say so, as in ReplicaSets."""
    available = obj.condition("Available")
    if available is None or available.status == "True":
        return None
    return to_unix_seconds(available.last_transition_time)


def _facts(verdict: WorkloadHealth, *cells: str | float | None) -> PrintedRow:
    return PrintedRow(verdict.status, verdict.tone, cells, verdict.reason, verdict.since)


def _texts(obj: Workload) -> tuple[str, str, str]:
    return obj.spec.template.names, obj.spec.template.images, str(obj.spec.selector)


def read_deployment(obj: Workload) -> PrintedRow:
    desired, status = obj.spec.replicas, obj.status
    verdict = workload_health(
        obj, desired, status.available_replicas, status.updated_replicas, status.replicas, "Available"
    )
    ready = f"{status.ready_replicas}/{desired}"
    numbers = (status.updated_replicas, status.available_replicas)
    return _facts(verdict, ready, verdict.status, *numbers, created_at(obj), *_texts(obj))


def read_replicaset(obj: Workload) -> PrintedRow:
    desired, status = obj.spec.replicas, obj.status
    verdict = workload_health(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    return _facts(
        verdict, verdict.status, desired, status.replicas, status.ready_replicas, created_at(obj), *_texts(obj)
    )


def read_statefulset(obj: Workload) -> PrintedRow:
    desired, status = obj.spec.replicas, obj.status
    verdict = workload_health(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    return _facts(verdict, f"{status.ready_replicas}/{desired}", verdict.status, created_at(obj), *_texts(obj)[:2])


def read_daemonset(obj: Workload) -> PrintedRow:
    status = obj.status
    desired, current = status.desired_number_scheduled, status.current_number_scheduled
    verdict = workload_health(obj, desired, status.number_ready, status.updated_number_scheduled, current, "Ready")
    numbers = (desired, current, status.number_ready, status.updated_number_scheduled, status.number_available)
    nodes = ",".join(f"{key}={value}" for key, value in sorted(obj.spec.template.spec.node_selector.items()))
    return _facts(verdict, verdict.status, *numbers, nodes or None, created_at(obj), *_texts(obj))


DEPLOYMENTS = Printer(
    namespaced_columns(
        READY_COLUMN,
        STATUS_COLUMN,
        count_column("up-to-date", "Up-to-date"),
        count_column("available", "Available"),
        AGE_COLUMN,
        CONTAINERS_COLUMN,
        IMAGES_COLUMN,
        SELECTOR_COLUMN,
    ),
    Workload,
    read_deployment,
)
COUNT_COLUMNS = (count_column("desired", "Desired"), count_column("current", "Current"), count_column("ready", "Ready"))
REPLICASETS = Printer(
    namespaced_columns(STATUS_COLUMN, *COUNT_COLUMNS, AGE_COLUMN, CONTAINERS_COLUMN, IMAGES_COLUMN, SELECTOR_COLUMN),
    Workload,
    read_replicaset,
)
STATEFULSETS = Printer(
    namespaced_columns(READY_COLUMN, STATUS_COLUMN, AGE_COLUMN, CONTAINERS_COLUMN, IMAGES_COLUMN),
    Workload,
    read_statefulset,
)
DAEMONSETS = Printer(
    namespaced_columns(
        STATUS_COLUMN,
        *COUNT_COLUMNS,
        count_column("up-to-date", "Up-to-date"),
        count_column("available", "Available"),
        Column("node-selector", "Node selector", "mono", words="node selector"),
        AGE_COLUMN,
        CONTAINERS_COLUMN,
        IMAGES_COLUMN,
        SELECTOR_COLUMN,
    ),
    Workload,
    read_daemonset,
)
