"""Printer of Pods, as ``kubectl get pods -o wide`` prints them.

The status word, READY and RESTARTS follow printPod of kubernetes pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime

import msgspec

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.pod_health import pod_health
from dashboard.objects.printers.pod_projection import Amounts, ContainerStatus, Pod
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

POD_COLUMNS = namespaced_columns(
    Column("ready", "Ready", order="fraction", words="ready"),
    STATUS_COLUMN,
    Column("restarts", "Restarts", "number", order="number", words="restarts"),
    Column("last-restart", "Last restart", "age", priority=1, order="age"),
    AGE_COLUMN,
    Column("ip", "IP", "mono", priority=1, order="ip", words="ip"),
    Column("node", "Node", "mono", priority=1, order="natural", words="node"),
    Column("nominated-node", "Nominated node", "mono", priority=2, order="natural", words="nominated node"),
    Column("readiness-gates", "Readiness gates", priority=2, order="fraction", words="readiness gates"),
    Column("cpu-limit", "CPU limit", priority=2, order="number"),
    Column("memory-limit", "Memory limit", priority=2, order="number"),
    Column("phase", "Phase", priority=2),
)


class ContainerTally(msgspec.Struct, gc=False):
    """Counters of printPod, which visits the containers in order."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart: datetime | None = None
    sidecar_restarts: int = 0
    sidecar_last_restart: datetime | None = None

    def add_restarts(self, status: ContainerStatus) -> None:
        self.restarts += status.restart_count
        self.last_restart = _later(self.last_restart, status)

    def add_sidecar_restarts(self, status: ContainerStatus) -> None:
        self.sidecar_restarts += status.restart_count
        self.sidecar_last_restart = _later(self.sidecar_last_restart, status)


def read_pod(pod: Pod) -> PrintedRow:
    """The cells of a pod and, where it is not well, why."""
    sidecars = _sidecars(pod)
    tally = ContainerTally(_starting_reason(pod))
    initializing = _read_init_containers(pod, sidecars, tally)
    if not initializing or pod.has_condition("Initialized"):
        tally.restarts, tally.last_restart = tally.sidecar_restarts, tally.sidecar_last_restart
        _read_containers(pod, tally)
    status = _deletion_word(pod) or tally.reason
    why = pod_health(pod, status, tally.restarts)
    cells = (
        f"{tally.ready}/{len(pod.spec.containers) + len(sidecars)}",
        status,
        tally.restarts,
        to_unix_seconds(tally.last_restart) if tally.restarts else None,
        created_at(pod),
        pod.status.pod_ips[0].ip if pod.status.pod_ips else pod.status.pod_ip or None,
        pod.spec.node_name or None,
        pod.status.nominated_node_name or None,
        _readiness_gates(pod),
        _limit(pod, sidecars, lambda limits: limits.cpu),
        _limit(pod, sidecars, lambda limits: limits.memory),
        sys.intern(pod.status.phase) or None,  # one text for all pods
    )
    return PrintedRow(status, why.tone, cells, why.words, why.since, why.until)


def _sidecars(pod: Pod) -> frozenset[str]:
    if not pod.spec.init_containers:
        return frozenset()
    return frozenset(c.name for c in pod.spec.init_containers if c.restart_policy == "Always")


def _starting_reason(pod: Pod) -> str:
    scheduled = pod.condition("PodScheduled")
    gated = scheduled is not None and scheduled.reason == "SchedulingGated"
    return "SchedulingGated" if gated else pod.status.reason or pod.status.phase


def _read_init_containers(pod: Pod, sidecars: frozenset[str], tally: ContainerTally) -> bool:
    """Count the init containers up to the first unfinished one. Returns whether there is one."""
    for index, status in enumerate(pod.status.init_container_statuses):
        tally.add_restarts(status)
        if status.name in sidecars:
            tally.add_sidecar_restarts(status)
        terminated, waiting = status.state.terminated, status.state.waiting
        if terminated is not None and terminated.exit_code == 0:
            continue
        if status.name in sidecars and status.started:
            tally.ready += status.ready
            continue
        if terminated is not None:
            tally.reason = f"Init:{terminated.reason_word}"
        elif waiting is not None and waiting.reason not in ("", "PodInitializing"):
            tally.reason = f"Init:{waiting.reason}"
        else:
            tally.reason = f"Init:{index}/{len(pod.spec.init_containers)}"
        return True
    return False


def _read_containers(pod: Pod, tally: ContainerTally) -> None:
    """Count the containers from the last to the first, so that the first container's problem is the one that is
    named.
    """
    running, failure = False, ""
    for status in reversed(pod.status.container_statuses):
        tally.add_restarts(status)
        terminated, waiting = status.state.terminated, status.state.waiting
        if waiting is not None and waiting.reason:
            tally.reason = waiting.reason
        elif terminated is not None:
            tally.reason = terminated.reason_word
            failure = terminated.reason_word if terminated.exit_code else failure
        elif status.ready and status.state.running is not None:
            running = True
            tally.ready += 1
    if tally.reason == "Completed":
        tally.reason = _completed_word(failure, running, pod.has_condition("Ready"))


def _completed_word(failure: str, running: bool, ready: bool) -> str:
    """The status word of a pod whose first container has succeeded: the others may not have."""
    if running and ready:
        return "Running"
    return failure or ("NotReady" if running else "Completed")


def _deletion_word(pod: Pod) -> str:
    if pod.metadata.deletion_timestamp is None:
        return ""
    if pod.status.reason == "NodeLost":
        return "Unknown"
    return "" if pod.status.phase in ("Succeeded", "Failed") else "Terminating"


def _readiness_gates(pod: Pod) -> str | None:
    gates = pod.spec.readiness_gates
    if not gates:
        return None
    return f"{sum(pod.has_condition(gate.condition_type) for gate in gates)}/{len(gates)}"


def _limit(pod: Pod, sidecars: frozenset[str], amount: Callable[[Amounts], str | int | float]) -> str | None:
    """What the containers that run together may use; None where one of them has no limit and the pod has none."""
    if of_pod := amount(pod.spec.resources.limits):
        return str(of_pod)
    together = (*pod.spec.containers, *(each for each in pod.spec.init_containers if each.name in sidecars))
    amounts = [str(amount(each.resources.limits)) for each in together]
    if not all(amounts):
        return None
    if len(amounts) == 1:
        return amounts[0]
    numbers = [parse_quantity(each) for each in amounts]
    return None if None in numbers else f"{sum(filter(None, numbers)):.12g}"


def _later(known: datetime | None, status: ContainerStatus) -> datetime | None:
    ended = status.last_state.terminated
    if ended is None or ended.finished_at is None:
        return known
    return ended.finished_at if known is None or known < ended.finished_at else known


PODS = Printer(POD_COLUMNS, Pod, read_pod)
_COLUMNS = [column.id for column in POD_COLUMNS]
_NODE, _RESTARTS, _LAST_RESTART = map(_COLUMNS.index, ("node", "restarts", "last-restart"))


def node_of_pod(pod: Row) -> str:
    """The name of a pod's node; empty where it has none."""
    node = pod.cells[_NODE] if len(pod.cells) > _NODE else None
    return node if isinstance(node, str) else ""


def restarts_of_pod(pod: Row) -> tuple[int, float | None]:
    """How often the containers of a pod were restarted, and when one of them last ended, in Unix seconds."""
    if len(pod.cells) <= _LAST_RESTART:
        return 0, None
    count, last = pod.cells[_RESTARTS], pod.cells[_LAST_RESTART]
    return count if isinstance(count, int) else 0, last if isinstance(last, float | int) else None
