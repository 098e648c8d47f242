"""Pod statuses: what a kubelet writes at each step of a pod's life. Pure functions; times are Unix seconds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from devcluster.workload.building import Json, stamp

_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def conditions(created: float, now: float, *, ready: bool, reason: str = "", finished: bool = False) -> list[Json]:
    """The five conditions of a scheduled pod."""
    found = []
    for name in _CONDITIONS:
        holds = ready or name in ("PodScheduled", "Initialized") or (name == _CONDITIONS[0] and not finished)
        since = now if name in ("Ready", "ContainersReady") else created
        condition: Json = {"type": name, "status": "True" if holds else "False", "lastProbeTime": None}
        condition["lastTransitionTime"] = stamp(since)
        if not holds and reason:
            condition["reason"] = reason
        found.append(condition)
    return found


def container(spec: Json, state: Json, *, ready: bool, restarts: int, last: Json | None, number: str) -> Json:
    """One container's status. `number` makes the container's and image's ids."""
    status = {
        "name": spec["name"],
        "state": state,
        "lastState": {"terminated": last} if last else {},
        "ready": ready,
        "restartCount": restarts,
        "image": spec["image"],
        "imageID": ""
        if "waiting" in state and not restarts
        else f"{spec['image'].partition(':')[0]}@sha256:{number:0>64}",
        "started": "running" in state,
    }
    if "waiting" not in state:
        status["containerID"] = f"containerd://{number:0>64}"
    return status


def terminated(started: float, ended: float, code: int, reason: str, number: str) -> Json:
    """The end of a container."""
    times = {"startedAt": stamp(started), "finishedAt": stamp(ended)}
    return {"exitCode": code, "reason": reason, **times, "containerID": f"containerd://{number:0>64}"}


def unschedulable(now: float, message: str) -> Json:
    """A pod that fits no node."""
    condition = {"type": "PodScheduled", "status": "False", "lastProbeTime": None, "lastTransitionTime": stamp(now)}
    condition |= {"reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [condition]}


class PodLife:
    """The status of one pod with one container or more, all of which share its fate. Changed step by step."""

    def __init__(self, pod: Json, *, created: float, address: str, host: str, number: str) -> None:
        self.specs: list[Json] = pod["spec"]["containers"]
        self.created = created
        self.address = address
        self.host = host
        self.number = number
        self.restarts = 0
        self.started = created
        self.last: Json | None = None

    def creating(self, now: float) -> Json:
        """Scheduled, its image being pulled."""
        return self._status("Pending", _waiting("ContainerCreating"), now, ready=False, address=False)

    def waiting(self, now: float, reason: str, message: str) -> Json:
        """Held up: ImagePullBackOff, CrashLoopBackOff."""
        phase = "Running" if self.restarts else "Pending"
        return self._status(phase, _waiting(reason, message), now, ready=False)

    def running(self, now: float, *, ready: bool) -> Json:
        """Running since `started`."""
        return self._status("Running", {"running": {"startedAt": stamp(self.started)}}, now, ready=ready)

    def crashed(self, now: float, code: int, reason: str) -> Json:
        """Ended against its will; `last` holds the end until it runs again."""
        ended = terminated(self.started, now, code, reason, self.number)
        status = self._status("Running", {"terminated": ended}, now, ready=False)
        self.last = ended
        self.restarts += 1
        return status

    def finished(self, now: float, code: int) -> Json:
        """A job's pod at its end."""
        reason, phase = ("Completed", "Succeeded") if code == 0 else ("Error", "Failed")
        ended = {"terminated": terminated(self.started, now, code, reason, self.number)}
        status = self._status(phase, ended, now, ready=False)
        why = "PodCompleted" if code == 0 else "PodFailed"
        status["conditions"] = conditions(self.created, now, ready=False, reason=why, finished=True)
        return status

    def _status(self, phase: str, state: Json, now: float, *, ready: bool, address: bool = True) -> Json:
        parts: list[Json] = [
            container(spec, state, ready=ready, restarts=self.restarts, last=self.last, number=self.number)
            for spec in self.specs
        ]
        reason = "" if ready else "ContainersNotReady"
        status: dict[str, Any] = {
            "phase": phase,
            "conditions": conditions(self.created, now, ready=ready, reason=reason),
            "hostIP": self.host,
            "hostIPs": [{"ip": self.host}],
            "startTime": stamp(self.created),
            "containerStatuses": parts,
        }
        if address:
            status |= {"podIP": self.address, "podIPs": [{"ip": self.address}]}
        return status


def _waiting(reason: str, message: str = "") -> Json:
    return {"waiting": {"reason": reason} | ({"message": message} if message else {})}


def recovered(pod: Json, number: str) -> PodLife:
    """The life of a pod that a kubelet meets when it starts: what its status says."""
    status = pod["status"]
    created = unix(status.get("startTime") or pod["metadata"]["creationTimestamp"])
    life = PodLife(pod, created=created, address=status.get("podIP", ""), host=status.get("hostIP", ""), number=number)
    first = (status.get("containerStatuses") or [{}])[0]
    life.restarts = first.get("restartCount", 0)
    life.last = (first.get("lastState") or {}).get("terminated")
    running = (first.get("state") or {}).get("running")
    life.started = unix(running["startedAt"]) if running else created
    return life


def unix(text: str) -> float:
    """A timestamp as Unix seconds."""
    return datetime.fromisoformat(text).timestamp()
