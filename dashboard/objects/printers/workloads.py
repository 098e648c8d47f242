"""Deployments, ReplicaSets, StatefulSets and DaemonSets: kubectl's wide columns, and a status word of our own.

kubectl prints no status for these. Ours are: Available or Ready, Progressing, Unavailable, Stalled, Failed, Paused,
ScaledDown and Terminating; what they rest on is the reason in words.
"""

from __future__ import annotations

import msgspec

from dashboard.live.messages import Tone
from dashboard.resources.rows.column import Column
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import AGE, STATUS, Facts, Shape, age, namespaced_columns, seconds
from informerd.objects import Object

READY = Column("ready", "Ready", order="fraction", words="ready")
CONTAINERS = Column("containers", "Containers", priority=2, words="containers")
IMAGES = Column("images", "Images", "mono", priority=1, words="images")
SELECTOR = Column("selector", "Selector", "mono", priority=2)


def count_column(name: str, header: str, *, priority: int = 0) -> Column:
    """A column of numbers whose changes are worth a feed line."""
    return Column(name, header, "number", priority, "number", header.lower())


class Image(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    image: str = ""


class TemplateSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    node_selector: dict[str, str] = {}
    containers: tuple[Image, ...] = ()


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
    def observed(self) -> bool:
        """Whether the controller has seen the latest spec."""
        return self.status.observed_generation >= self.metadata.generation


class Verdict(msgspec.Struct, frozen=True, gc=False):
    status: str
    tone: Tone
    reason: str = ""
    since: float | None = None


def judge(obj: Workload, desired: int, ready: int, updated: int | None, total: int, well: str) -> Verdict:
    """The status word of a set of pods. `updated` is None for kinds without rollouts."""
    meta, progressing = obj.metadata, obj.condition("Progressing")
    failure = obj.condition("ReplicaFailure")
    if meta.deletion_timestamp is not None:
        return Verdict("Terminating", "busy", "", seconds(meta.deletion_timestamp))
    if failure is not None and failure.status == "True":
        words = f"pods cannot be created: {failure.message or failure.reason}"
        return Verdict("Failed", "bad", words, seconds(failure.last_transition_time))
    if progressing is not None and progressing.status == "False":
        words = f"rollout is stuck: {progressing.message or progressing.reason}"
        return Verdict("Stalled", "bad", words, seconds(progressing.last_transition_time))
    if desired == 0 and total == 0:
        return Verdict("ScaledDown", "idle")
    since = _unready_since(obj)
    if ready < desired:
        words = f"{desired - ready} of {desired} {'pod is' if desired == 1 else 'pods are'} not ready"
        return Verdict("Progressing", "busy", words, since) if ready else Verdict("Unavailable", "warn", words, since)
    if obj.spec.paused:
        return Verdict("Paused", "idle", "its rollout is paused")
    if not obj.observed or total > desired or (updated is not None and updated < desired):
        return Verdict("Progressing", "busy", "", since)
    return Verdict(well, "ok")


def _unready_since(obj: Workload) -> float | None:
    """Since when too few pods are available; None where nothing in the object says so, as in ReplicaSets."""
    available = obj.condition("Available")
    if available is None or available.status == "True":
        return None
    return seconds(available.last_transition_time)


def _facts(verdict: Verdict, *cells: str | float | None) -> Facts:
    return Facts(verdict.status, verdict.tone, cells, verdict.reason, verdict.since)


def _texts(obj: Workload) -> tuple[str, str, str]:
    return obj.spec.template.names, obj.spec.template.images, str(obj.spec.selector)


def read_deployment(obj: Workload) -> Facts:
    desired, status = obj.spec.replicas, obj.status
    verdict = judge(obj, desired, status.available_replicas, status.updated_replicas, status.replicas, "Available")
    ready = f"{status.ready_replicas}/{desired}"
    numbers = (status.updated_replicas, status.available_replicas)
    return _facts(verdict, ready, verdict.status, *numbers, age(obj), *_texts(obj))


def read_replicaset(obj: Workload) -> Facts:
    desired, status = obj.spec.replicas, obj.status
    verdict = judge(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    return _facts(verdict, verdict.status, desired, status.replicas, status.ready_replicas, age(obj), *_texts(obj))


def read_statefulset(obj: Workload) -> Facts:
    desired, status = obj.spec.replicas, obj.status
    verdict = judge(obj, desired, status.ready_replicas, None, status.replicas, "Ready")
    return _facts(verdict, f"{status.ready_replicas}/{desired}", verdict.status, age(obj), *_texts(obj)[:2])


def read_daemonset(obj: Workload) -> Facts:
    status = obj.status
    desired, current = status.desired_number_scheduled, status.current_number_scheduled
    verdict = judge(obj, desired, status.number_ready, status.updated_number_scheduled, current, "Ready")
    numbers = (desired, current, status.number_ready, status.updated_number_scheduled, status.number_available)
    nodes = ",".join(f"{key}={value}" for key, value in sorted(obj.spec.template.spec.node_selector.items()))
    return _facts(verdict, verdict.status, *numbers, nodes or None, age(obj), *_texts(obj))


DEPLOYMENTS = Shape(
    namespaced_columns(
        READY,
        STATUS,
        count_column("up-to-date", "Up-to-date"),
        count_column("available", "Available"),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    Workload,
    read_deployment,
)
COUNTS = (count_column("desired", "Desired"), count_column("current", "Current"), count_column("ready", "Ready"))
REPLICASETS = Shape(namespaced_columns(STATUS, *COUNTS, AGE, CONTAINERS, IMAGES, SELECTOR), Workload, read_replicaset)
STATEFULSETS = Shape(namespaced_columns(READY, STATUS, AGE, CONTAINERS, IMAGES), Workload, read_statefulset)
DAEMONSETS = Shape(
    namespaced_columns(
        STATUS,
        *COUNTS,
        count_column("up-to-date", "Up-to-date"),
        count_column("available", "Available"),
        Column("node-selector", "Node selector", "mono", words="node selector"),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    Workload,
    read_daemonset,
)
