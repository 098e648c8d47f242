"""API type of Pods."""

from __future__ import annotations

from typing import Any

import msgspec

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition, find_condition
from informerd.objects import Object

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Resources(ApiStruct, frozen=True):
    requests: dict[str, str] | None = None
    limits: dict[str, str] | None = None


class Container(ApiStruct, frozen=True):
    name: str = ""
    image: str = ""
    resources: Resources = Resources()
    readiness_probe: dict[str, Any] | None = None


class Toleration(ApiStruct, frozen=True):
    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class PodSpec(ApiStruct, frozen=True):
    node_name: str = ""
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_selector: dict[str, str] | None = None
    affinity: dict[str, Any] | None = None
    tolerations: tuple[Toleration, ...] = ()
    restart_policy: str = "Always"
    scheduler_name: str = "default-scheduler"
    active_deadline_seconds: int | None = None


class ContainerStateTerminated(ApiStruct, frozen=True):
    exit_code: int = 0
    reason: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class ContainerStateWaiting(ApiStruct, frozen=True):
    reason: str = ""


class ContainerStateRunning(ApiStruct, frozen=True):
    started_at: str | None = None


class ContainerState(ApiStruct, frozen=True):
    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(ApiStruct, frozen=True):
    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class PodStatus(ApiStruct, frozen=True):
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
    def pinned_node(self) -> str:
        """The node that it names by its affinity, as pods of DaemonSets do; empty where it names none."""
        required = (self.spec.affinity or {}).get("nodeAffinity", {}).get(_REQUIRED) or {}
        fields = [field for term in required.get("nodeSelectorTerms") or () for field in term.get("matchFields") or ()]
        return str(fields[0]["values"][0]) if len(fields) == 1 and fields[0].get("values") else ""

    @property
    def intended_node(self) -> str:
        """The node that it is on, or is for."""
        return self.spec.node_name or self.pinned_node

    @property
    def ready_since(self) -> str:
        """When the pod became ready, as it is written; "" where it is not."""
        condition = find_condition(self.status.conditions, "Ready")
        return (condition.last_transition_time or "") if condition is not None and condition.status == "True" else ""

    @property
    def is_ready(self) -> bool:
        """Whether the Ready condition holds."""
        condition = find_condition(self.status.conditions, "Ready")
        return condition is not None and condition.status == "True"

    @property
    def has_ended(self) -> bool:
        """Whether its containers have ended for good."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted."""
        return self.metadata.deletion_timestamp is not None
