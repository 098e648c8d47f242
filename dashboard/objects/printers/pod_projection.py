"""Projection of a Pod: the fields that its columns, its reason in words and its details read.

Here and in the other kinds' projections gc=False: they are trees of plain values, which the garbage collector need not
visit again and again.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from informerd.objects import Object


class Condition(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """metav1.Condition and its older equivalents."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None


class Waiting(msgspec.Struct, frozen=True, gc=False):
    reason: str = ""
    message: str = ""


class Running(msgspec.Struct, frozen=True, rename="camel", gc=False):
    started_at: datetime | None = None


class Terminated(msgspec.Struct, frozen=True, rename="camel", gc=False):
    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def reason_word(self) -> str:
        """kubectl's word for the end: the reason, else the signal, else the exit code."""
        if self.reason:
            return self.reason
        return f"Signal:{self.signal}" if self.signal else f"ExitCode:{self.exit_code}"


class ContainerState(msgspec.Struct, frozen=True, gc=False):
    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class ContainerStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class Amounts(msgspec.Struct, frozen=True, gc=False):
    """CPU and memory as quantities."""

    cpu: str | int | float = ""
    memory: str | int | float = ""


class Resources(msgspec.Struct, frozen=True, gc=False):
    limits: Amounts = Amounts()


class Container(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    resources: Resources = Resources()
    restart_policy: str = ""
    """Always on an init container makes it a sidecar (KEP-753)."""


class ReadinessGate(msgspec.Struct, frozen=True, rename="camel", gc=False):
    condition_type: str = ""


class PodIP(msgspec.Struct, frozen=True, gc=False):
    ip: str = ""


class PodSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    node_name: str = ""
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    readiness_gates: tuple[ReadinessGate, ...] = ()
    resources: Resources = Resources()
    """Of all containers together (KEP-2837)."""


class PodStatus(
    msgspec.Struct,
    frozen=True,
    rename={
        "pod_ip": "podIP",
        "pod_ips": "podIPs",
        "start_time": "startTime",
        "nominated_node_name": "nominatedNodeName",
        "container_statuses": "containerStatuses",
        "init_container_statuses": "initContainerStatuses",
    },
    gc=False,
):
    phase: str = ""
    reason: str = ""
    message: str = ""
    pod_ip: str = ""
    pod_ips: tuple[PodIP, ...] = ()
    start_time: datetime | None = None
    nominated_node_name: str = ""
    conditions: tuple[Condition, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(Object, frozen=True, kw_only=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    def condition(self, name: str) -> Condition | None:
        """The condition of that type; None where the pod has none."""
        for condition in self.status.conditions:
            if condition.type == name:
                return condition
        return None

    def has_condition(self, name: str) -> bool:
        """Whether the condition of that type is True."""
        condition = self.condition(name)
        return condition is not None and condition.status == "True"
