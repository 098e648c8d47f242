"""What the workload's controllers read of each kind: small typed structs instead of whole objects."""

from __future__ import annotations

from typing import Any

import msgspec

from informerd.objects import Object

Template = dict[str, Any]
"""A pod template as it is written. Shared by all who read it: never changed in place."""


class Part(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A part of an object."""


class Condition(Part, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    last_update_time: str | None = None


def condition(conditions: tuple[Condition, ...], kind: str) -> Condition | None:
    """The condition of that type."""
    for each in conditions:  # a loop, because it runs for each pod of a ReplicaSet at each of their changes
        if each.type == kind:
            return each
    return None


class Resources(Part, frozen=True):
    requests: dict[str, str] | None = None
    limits: dict[str, str] | None = None


class Container(Part, frozen=True):
    name: str = ""
    image: str = ""
    resources: Resources = Resources()
    readiness_probe: dict[str, Any] | None = None


class Toleration(Part, frozen=True):
    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class PodSpec(Part, frozen=True):
    node_name: str = ""
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_selector: dict[str, str] | None = None
    tolerations: tuple[Toleration, ...] = ()
    restart_policy: str = "Always"
    scheduler_name: str = "default-scheduler"
    active_deadline_seconds: int | None = None


class Ended(Part, frozen=True):
    exit_code: int = 0
    reason: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class Waiting(Part, frozen=True):
    reason: str = ""


class Running(Part, frozen=True):
    started_at: str | None = None


class State(Part, frozen=True):
    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Ended | None = None


class ContainerStatus(Part, frozen=True):
    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: State = State()
    last_state: State = State()


class PodStatus(Part, frozen=True):
    phase: str = "Pending"
    reason: str = ""
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    start_time: str | None = None
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")


class Pod(Object, frozen=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def ready_since(self) -> str:
        """When the pod became ready, as it is written; "" where it is not."""
        found = condition(self.status.conditions, "Ready")
        return (found.last_transition_time or "") if found is not None and found.status == "True" else ""

    @property
    def is_ready(self) -> bool:
        """Whether the Ready condition holds."""
        found = condition(self.status.conditions, "Ready")
        return found is not None and found.status == "True"

    @property
    def has_ended(self) -> bool:
        """Whether its containers have ended for good."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def is_leaving(self) -> bool:
        """Whether it is being deleted."""
        return self.metadata.deletion_timestamp is not None


class Taint(Part, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(Part, frozen=True):
    pod_cidr: str = msgspec.field(default="", name="podCIDR")
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class Address(Part, frozen=True):
    type: str = ""
    address: str = ""


class NodeStatus(Part, frozen=True):
    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str] = {}
    addresses: tuple[Address, ...] = ()


class Node(Object, frozen=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def is_ready(self) -> bool:
        """Whether its kubelet says that it is ready."""
        found = condition(self.status.conditions, "Ready")
        return found is not None and found.status == "True"


class Selector(Part, frozen=True):
    match_labels: dict[str, str] | None = None


class RollingUpdate(Part, frozen=True):
    max_surge: int | str = "25%"
    max_unavailable: int | str = "25%"


class Strategy(Part, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: RollingUpdate = RollingUpdate()


class DeploymentSpec(Part, frozen=True):
    replicas: int = 1
    selector: dict[str, Any] = {}
    template: Template = {}
    strategy: Strategy = Strategy()
    paused: bool = False
    min_ready_seconds: int = 0
    progress_deadline_seconds: int | None = None
    revision_history_limit: int = 10


class DeploymentStatus(Part, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int = 0
    conditions: tuple[Condition, ...] = ()


class Deployment(Object, frozen=True):
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()

    @property
    def is_settled(self) -> bool:
        """Whether what it asks for is there (kubectl's ``rollout status``), nothing else is, and all is available."""
        status, wanted = self.status, self.spec.replicas
        seen = status.observed_generation == self.metadata.generation
        return seen and status.updated_replicas == status.replicas == status.available_replicas == wanted


class ReplicaSetSpec(Part, frozen=True):
    replicas: int = 1
    selector: dict[str, Any] = {}
    template: Template = {}
    min_ready_seconds: int = 0


class ReplicaSetStatus(Part, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int = 0


class ReplicaSet(Object, frozen=True):
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()


class JobSpec(Part, frozen=True):
    parallelism: int = 1
    completions: int | None = None
    backoff_limit: int = 6
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None
    completion_mode: str = "NonIndexed"
    suspend: bool = False
    template: Template = {}


class JobStatus(Part, frozen=True):
    conditions: tuple[Condition, ...] = ()
    start_time: str | None = None
    completion_time: str | None = None
    active: int = 0
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int = 0


class Job(Object, frozen=True):
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()

    @property
    def ending(self) -> Condition | None:
        """How it ended, where it has: the condition Complete or Failed."""
        return next(
            (c for c in self.status.conditions if c.type in ("Complete", "Failed") and c.status == "True"), None
        )


class MydemoSpec(Part, frozen=True):
    ip: str = ""
    port: int = 0


class MydemoStatus(Part, frozen=True):
    observed_generation: int = 0


class Mydemo(Object, frozen=True):
    spec: MydemoSpec = MydemoSpec()
    status: MydemoStatus = MydemoStatus()
