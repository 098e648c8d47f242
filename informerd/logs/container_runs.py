"""Runs of a pod's containers, as the pod's status has them: a container that is started again begins a new run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["init", "sidecar", "container", "ephemeral"]


@dataclass(frozen=True, slots=True)
class ContainerRun:
    """One run, from a start to an end. Times are RFC 3339, empty where they are not known."""

    id: str
    """``containerd://…``"""
    started: str = ""
    finished: str = ""
    """Empty while it runs."""
    exit_code: int = 0
    reason: str = ""
    """Why it ended: Completed, Error, OOMKilled …"""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the other runs of its container."""
        return self.id, self.started

    @property
    def is_over(self) -> bool:
        return bool(self.finished)


@dataclass(frozen=True, slots=True)
class ContainerRuns:
    """What is known of the runs of one container."""

    name: str
    role: Role
    restarts: int = 0
    run: ContainerRun | None = None
    """The one that runs, or the last one; None before the first."""
    before: ContainerRun | None = None
    """The one before it, whose log ``previous`` reads."""
    waiting: str = ""
    """Why it does not run now: ContainerCreating, CrashLoopBackOff …"""


def containers_of(pod: Mapping[str, Any]) -> tuple[ContainerRuns, ...]:
    """The containers of a pod, in the order in which they start. `pod` is the object as JSON."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    statuses = {
        each["name"]: each
        for part in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
        for each in status.get(part) or ()
    }
    return tuple(_runs(name, role, statuses.get(name) or {}) for name, role in _roles(spec))


def default_container(pod: Mapping[str, Any]) -> str:
    """The container that kubectl would take: the annotated one, else the first; empty where the pod has none."""
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    names = [each["name"] for each in (pod.get("spec") or {}).get("containers") or ()]
    annotated: str = annotations.get("kubectl.kubernetes.io/default-container") or ""
    return annotated if annotated in names else next(iter(names), "")


def is_over_for_good(pod: Mapping[str, Any], runs: ContainerRuns) -> bool:
    """Whether the container has ended and will not be started again."""
    if runs.run is None or not runs.run.is_over:
        return False
    policy = (pod.get("spec") or {}).get("restartPolicy")
    succeeded = runs.run.exit_code == 0 and (policy == "OnFailure" or runs.role == "init")
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return ended or succeeded or runs.role == "ephemeral" or (policy == "Never" and runs.role != "sidecar")


def runs_of(pod: Mapping[str, Any], container: str) -> ContainerRuns | None:
    """The runs of one container; None where the pod has none of this name."""
    return next((each for each in containers_of(pod) if each.name == container), None)


def _roles(spec: Mapping[str, Any]) -> Iterator[tuple[str, Role]]:
    for each in spec.get("initContainers") or ():
        yield each["name"], "sidecar" if each.get("restartPolicy") == "Always" else "init"
    for each in spec.get("containers") or ():
        yield each["name"], "container"
    for each in spec.get("ephemeralContainers") or ():
        yield each["name"], "ephemeral"


def _runs(name: str, role: Role, status: Mapping[str, Any]) -> ContainerRuns:
    state, last = status.get("state") or {}, (status.get("lastState") or {}).get("terminated")
    running, over, waiting = state.get("running"), state.get("terminated"), state.get("waiting")
    before = _ended_run(last) if last else None
    run = _ended_run(over) if over else None
    if running is not None:
        run = ContainerRun(status.get("containerID") or "", running.get("startedAt") or "")
    elif run is None and before is not None:  # it waits for the next one
        run, before = before, None
    return ContainerRuns(name, role, status.get("restartCount") or 0, run, before, (waiting or {}).get("reason") or "")


def _ended_run(over: Mapping[str, Any]) -> ContainerRun:
    return ContainerRun(
        over.get("containerID") or "",
        over.get("startedAt") or "",
        over.get("finishedAt") or "",
        over.get("exitCode") or 0,
        over.get("reason") or "",
    )
