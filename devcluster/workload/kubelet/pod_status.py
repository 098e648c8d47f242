"""Pod statuses that a kubelet writes at each step; all are pure functions, with times in Unix seconds."""

from __future__ import annotations

from typing import Any

from devcluster.workload.api_types import Container, ContainerStatus, Pod
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp, timestamp

_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def pod_conditions(created: float, now: float, *, ready: bool, reason: str = "", finished: bool = False) -> list[Json]:
    """The five conditions of a scheduled pod."""
    conditions = []
    for name in _CONDITIONS:
        holds = ready or name in ("PodScheduled", "Initialized") or (name == _CONDITIONS[0] and not finished)
        since = now if name in ("Ready", "ContainersReady") else created
        condition: Json = {"type": name, "status": "True" if holds else "False", "lastProbeTime": None}
        condition["lastTransitionTime"] = timestamp(since)
        if not holds and reason:
            condition["reason"] = reason
        conditions.append(condition)
    return conditions


def container_status(
    spec: Container, state: Json, *, ready: bool, restarts: int, last: Json | None, number: str
) -> Json:
    """One container's status. `number` makes the container's and image's ids."""
    status = {
        "name": spec.name,
        "state": state,
        "lastState": {"terminated": last} if last else {},
        "ready": ready,
        "restartCount": restarts,
        "image": spec.image,
        "imageID": "" if "waiting" in state and not last else f"{spec.image.partition(':')[0]}@sha256:{number:0>64}",
        "started": "running" in state,
    }
    if "waiting" not in state:
        status["containerID"] = f"containerd://{number:0>64}"
    return status


def terminated_state(started: float, ended: float, code: int, reason: str, number: str) -> Json:
    """The end of a container."""
    times = {"startedAt": timestamp(started), "finishedAt": timestamp(ended)}
    return {"exitCode": code, "reason": reason, **times, "containerID": f"containerd://{number:0>64}"}


def unschedulable_status(now: float, message: str) -> Json:
    """A pod that fits no node."""
    condition = {"type": "PodScheduled", "status": "False", "lastProbeTime": None, "lastTransitionTime": timestamp(now)}
    condition |= {"reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [condition]}


class PodStatusBuilder:
    """The status of one pod with one container or more, all of which share its fate. Changed step by step."""

    def __init__(self, pod: Pod, *, created: float, address: str, host: str, number: str) -> None:
        self.container_specs = pod.spec.containers
        self.init_container_specs = pod.spec.init_containers
        self.created = created
        self.address = address
        self.host = host
        self.number = number
        self.restarts = 0
        self.has_crashed = False
        """Whether it ended and does not run again yet: the kubelet counts a restart when the next run begins."""
        self.started_at = created
        self.last_state: Json | None = None
        self._ready: bool | None = None
        self._since = created
        """When it became ready, or ceased to be."""

    def mark_creating(self, now: float) -> Json:
        """Scheduled, its image being pulled."""
        return self._status("Pending", _waiting("ContainerCreating"), now, ready=False, address=False)

    def mark_waiting(self, now: float, reason: str, message: str) -> Json:
        """Held up: ImagePullBackOff, CrashLoopBackOff."""
        phase = "Running" if self.last_state else "Pending"
        return self._status(phase, _waiting(reason, message), now, ready=False)

    def mark_running(self, now: float, *, ready: bool) -> Json:
        """The status of a pod that runs since `started_at`."""
        self.restarts += self.has_crashed
        self.has_crashed = False
        return self._status("Running", {"running": {"startedAt": timestamp(self.started_at)}}, now, ready=ready)

    def mark_crashed(self, now: float, code: int, reason: str) -> Json:
        """The status of a pod that crashed; `last_state` holds the end until it runs again."""
        ended = terminated_state(self.started_at, now, code, reason, self.number)
        status = self._status("Running", {"terminated": ended}, now, ready=False)
        self.last_state = ended
        self.has_crashed = True
        return status

    def mark_finished(self, now: float, code: int, reason: str = "Error") -> Json:
        """Ended for good: a job's pod, or one whose containers are not started again."""
        phase = "Failed" if code else "Succeeded"
        ended = {
            "terminated": terminated_state(self.started_at, now, code, reason if code else "Completed", self.number)
        }
        status = self._status(phase, ended, now, ready=False)
        why = "PodFailed" if code else "PodCompleted"
        status["conditions"] = pod_conditions(self.created, now, ready=False, reason=why, finished=True)
        return status

    def mark_stopped(self, now: float) -> Json:
        """Its containers have been stopped, because it is being deleted."""
        return self.mark_finished(now, 0)

    def mark_evicted(self, now: float, message: str) -> Json:
        """Ended by its kubelet, because the node ran out of something."""
        status = self.mark_finished(now, 137)
        target: Json = {"type": "DisruptionTarget", "status": "True", "lastProbeTime": None}
        target |= {"lastTransitionTime": timestamp(now), "reason": "TerminationByKubelet", "message": message}
        status["conditions"].append(target)
        return status | {"reason": "Evicted", "message": message}

    def _status(self, phase: str, state: Json, now: float, *, ready: bool, address: bool = True) -> Json:
        parts: list[Json] = [
            container_status(spec, state, ready=ready, restarts=self.restarts, last=self.last_state, number=self.number)
            for spec in self.container_specs
        ]
        reason = "" if ready else "ContainersNotReady"
        if ready is not self._ready:
            self._ready, self._since = ready, now
        status: dict[str, Any] = {
            "phase": phase,
            "conditions": pod_conditions(self.created, self._since, ready=ready, reason=reason),
            "hostIP": self.host,
            "hostIPs": [{"ip": self.host}],
            "startTime": timestamp(self.created),
            "containerStatuses": parts,
        }
        if self.init_container_specs and "waiting" not in state:
            done = {"terminated": terminated_state(self.created, self.started_at, 0, "Completed", self.number)}
            status["initContainerStatuses"] = [
                container_status(spec, done, ready=True, restarts=0, last=None, number=self.number)
                for spec in self.init_container_specs
            ]
        if address:
            status |= {"podIP": self.address, "podIPs": [{"ip": self.address}]}
        return status


def _waiting(reason: str, message: str = "") -> Json:
    return {"waiting": {"reason": reason} | ({"message": message} if message else {})}


def recover_status(pod: Pod, number: str) -> PodStatusBuilder:
    """The life of a pod that a kubelet meets when it starts: what its status says."""
    status, made = pod.status, pod.metadata.creation_timestamp
    created = parse_timestamp(status.start_time) if status.start_time else made.timestamp() if made else 0.0
    life = PodStatusBuilder(pod, created=created, address=status.pod_ip, host=status.host_ip, number=number)
    first = status.container_statuses[0] if status.container_statuses else ContainerStatus()
    life.restarts = first.restart_count
    ended = first.last_state.terminated
    if ended is not None and ended.started_at and ended.finished_at:
        life.last_state = terminated_state(
            parse_timestamp(ended.started_at), parse_timestamp(ended.finished_at), ended.exit_code, ended.reason, number
        )
    running = first.state.running
    life.has_crashed = running is None and (ended is not None or first.state.terminated is not None)
    life.started_at = parse_timestamp(running.started_at) if running and running.started_at else created
    return life


def format_duration(seconds: float) -> str:
    """Whole seconds as Go prints them: 40s, 1m20s, 5m0s."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
