"""Pods in every state that kubectl has a word for, with the reason that the dashboard gives for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.objects.kinds.row import Tone

Json = dict[str, Any]
LONG_AGO = (datetime.now(UTC) - timedelta(days=20, hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
"""A moment that kubectl calls 20d ago."""


BEFORE = (datetime.now(UTC) - timedelta(days=21)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class PodState:
    """A pod with two containers, api and log: its status, its spec beyond them, and what its row should say."""

    name: str
    word: str
    tone: Tone
    reason: str
    status: Json
    spec: Json
    finalizers: tuple[str, ...] = ()
    deleted: bool = False


def condition(name: str, status: str, reason: str = "", message: str = "") -> Json:
    return {"type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": LONG_AGO}


def ended(code: int, reason: str = "", signal: int = 0) -> Json:
    return {"terminated": {"exitCode": code, "reason": reason, "signal": signal, "finishedAt": LONG_AGO}}


def waiting(reason: str, message: str = "") -> Json:
    return {"state": {"waiting": {"reason": reason, "message": message}}}


RUN: Json = {"ready": True, "started": True, "state": {"running": {"startedAt": BEFORE}}}
STARTING: Json = {"ready": False, "started": True, "state": {"running": {"startedAt": LONG_AGO}}}
UNREADY: Json = {**RUN, "ready": False}
DONE: Json = {"state": ended(0, "Completed")}
INIT: Json = waiting("PodInitializing")
CRASH: Json = {"restartCount": 14, **waiting("CrashLoopBackOff", "back-off 5m0s"), "lastState": ended(137, "OOMKilled")}
READY = (condition("Initialized", "True"), condition("Ready", "True"))
NOT_READY = (condition("Initialized", "True"), condition("Ready", "False", "ContainersNotReady", "not all ready"))
FULL = "0/4 nodes are available: 4 Insufficient memory."
HOLD = "example.org/hold"


def statuses(*found: Json, names: tuple[str, ...] = ("api", "log")) -> list[Json]:
    plain: Json = {"image": "i", "imageID": "", "ready": False, "restartCount": 0}
    return [{**plain, "name": name, **status} for name, status in zip(names, found, strict=False)]


def on_node(
    name: str,
    word: str,
    tone: Tone,
    *containers: Json,
    phase: str = "Running",
    reason: str = "",
    conditions: tuple[Json, ...] = (),
    **status: Any,
) -> PodState:
    """A pod on node-1 with these container statuses."""
    if said := status.pop("status_reason", ""):
        status["reason"] = said
    status |= {"phase": phase, "conditions": list(conditions), "containerStatuses": statuses(*containers)}
    return PodState(name, word, tone, reason, status, {"nodeName": "node-1"})


def initializing(
    name: str, word: str, tone: Tone, *inits: Json, reason: str = "", sidecar: bool = False, **more: Any
) -> PodState:
    """A pod on node-1 with these statuses of its init containers."""
    names = tuple(f"init-{index}" for index in range(len(inits)))
    policy = {"restartPolicy": "Always"} if sidecar else {}
    state = on_node(name, word, tone, *more.pop("containers", ()), reason=reason, **{"phase": "Pending", **more})
    specs = [{"name": init, "image": "i", **policy} for init in names]
    status = {**state.status, "initContainerStatuses": statuses(*inits, names=names)}
    return replace(state, status=status, spec={**state.spec, "initContainers": specs})


def unscheduled(name: str, word: str, tone: Tone, reason: str, *conditions: Json, **spec: Any) -> PodState:
    """A pod on no node."""
    return PodState(name, word, tone, reason, {"phase": "Pending", "conditions": list(conditions)}, spec)


def leaving(state: PodState, *finalizers: str) -> PodState:
    """The pod after its deletion has been asked for."""
    return replace(state, deleted=True, finalizers=finalizers)


BACK_OFF = waiting("ImagePullBackOff", 'Back-off pulling image "x"')
NO_SECRET = waiting("CreateContainerConfigError", 'secret "x" not found')
GATES = (condition("a.example/x", "True"), condition("a.example/y", "False"))

STATES = (
    unscheduled(
        "unscheduled", "Pending", "warn", f"pending: {FULL}", condition("PodScheduled", "False", "Unschedulable", FULL)
    ),
    unscheduled(
        "gated",
        "SchedulingGated",
        "busy",
        "waiting: scheduling gates hold it back",
        condition("PodScheduled", "False", "SchedulingGated"),
        schedulingGates=[{"name": "example.org/gate"}],
    ),
    on_node("bound", "Pending", "busy", phase="Pending", reason="pending: waiting for node-1 to start it"),
    on_node("creating", "ContainerCreating", "busy", *[waiting("ContainerCreating")] * 2, phase="Pending"),
    on_node("running", "Running", "ok", RUN, RUN, conditions=READY, podIPs=[{"ip": "10.4.7.21"}, {"ip": "fd00::21"}]),
    on_node("restarted", "Running", "ok", {**RUN, "restartCount": 4, "lastState": ended(1)}, RUN, conditions=READY),
    on_node(
        "starting", "Running", "busy", RUN, STARTING, conditions=NOT_READY, reason="starting: log is not ready yet"
    ),
    on_node("unready", "Running", "warn", RUN, UNREADY, conditions=NOT_READY, reason="not ready: log is not ready"),
    on_node(
        "crash",
        "CrashLoopBackOff",
        "bad",
        CRASH,
        RUN,
        conditions=NOT_READY,
        reason="crash loop: api exited 137 (OOMKilled), restarted 14 times",
    ),
    on_node(
        "image",
        "ImagePullBackOff",
        "bad",
        BACK_OFF,
        RUN,
        reason='image: api: Back-off pulling image "x"',
        phase="Pending",
    ),
    on_node(
        "config",
        "CreateContainerConfigError",
        "bad",
        RUN,
        NO_SECRET,
        phase="Pending",
        reason='create container config error: log: secret "x" not found',
    ),
    initializing("init-first", "Init:0/2", "busy", {"state": {"running": {}}}, INIT),
    initializing("init-second", "Init:1/2", "busy", DONE, INIT),
    initializing(
        "init-crash",
        "Init:CrashLoopBackOff",
        "bad",
        CRASH,
        INIT,
        reason="crash loop: init-0 exited 137 (OOMKilled), restarted 14 times",
    ),
    initializing(
        "init-error",
        "Init:Error",
        "bad",
        {"state": ended(1, "Error")},
        INIT,
        reason="init container ended: init-0 exited 1",
    ),
    initializing(
        "init-code", "Init:ExitCode:3", "bad", {"state": ended(3)}, INIT, reason="init container ended: init-0 exited 3"
    ),
    initializing(
        "init-signal",
        "Init:Signal:9",
        "bad",
        {"state": ended(137, "", 9)},
        INIT,
        reason="init container ended: init-0 exited 137",
    ),
    initializing(
        "init-done",
        "PodInitializing",
        "busy",
        DONE,
        DONE,
        containers=(INIT, INIT),
        conditions=(condition("Initialized", "True"),),
    ),
    initializing(
        "sidecar",
        "Running",
        "ok",
        {**RUN, "restartCount": 2, "lastState": ended(1, "Error")},
        sidecar=True,
        phase="Running",
        conditions=READY,
        containers=(RUN, {**RUN, "restartCount": 3}),
    ),
    initializing("sidecar-start", "Init:0/1", "busy", {"started": False, "state": {"running": {}}}, sidecar=True),
    on_node("completed", "Completed", "idle", DONE, DONE, phase="Succeeded"),
    on_node(
        "failed", "Error", "bad", {"state": ended(2, "Error")}, DONE, phase="Failed", reason="failed: api exited 2"
    ),
    on_node(
        "half-failed",
        "Error",
        "bad",
        DONE,
        {"state": ended(2, "Error")},
        phase="Failed",
        reason="failed: log exited 2",
    ),
    on_node(
        "evicted",
        "Evicted",
        "bad",
        phase="Failed",
        status_reason="Evicted",
        reason="evicted: The node was low on resource: memory.",
        message="The node was low on resource: memory.",
    ),
    on_node("exit-code", "ExitCode:7", "bad", {"state": ended(7)}, RUN, reason="container ended: api exited 7"),
    on_node(
        "signal",
        "Signal:15",
        "bad",
        {"state": ended(143, "", 15), "restartCount": 1},
        RUN,
        reason="container ended: api exited 143, restarted once",
    ),
    on_node("half-done", "NotReady", "warn", DONE, RUN, conditions=NOT_READY, reason="not ready: not all ready"),
    on_node(
        "half-started", "Completed", "warn", DONE, UNREADY, conditions=NOT_READY, reason="not ready: log is not ready"
    ),
    on_node("half-alive", "Error", "bad", DONE, {"state": ended(2, "Error")}, reason="container ended: log exited 2"),
    on_node("half-ready", "Running", "ok", DONE, RUN, conditions=READY),
    replace(
        on_node(
            "gates",
            "Running",
            "warn",
            RUN,
            RUN,
            conditions=NOT_READY + GATES,
            reason="not ready: not all ready",
            nominatedNodeName="node-9",
        ),
        spec={"readinessGates": [{"conditionType": f"a.example/{name}"} for name in "xy"]},
    ),
    leaving(on_node("leaving", "Terminating", "busy", RUN, RUN)),
    leaving(
        on_node("held", "Terminating", "busy", RUN, RUN, reason=f"being deleted, held by finalizers: {HOLD}"), HOLD
    ),
    leaving(on_node("lost", "Unknown", "bad", RUN, RUN, reason="its node is lost", status_reason="NodeLost")),
    leaving(
        on_node(
            "done-held",
            "Completed",
            "busy",
            DONE,
            DONE,
            phase="Succeeded",
            reason=f"being deleted, held by finalizers: {HOLD}",
        ),
        HOLD,
    ),
)


def pod_of(state: PodState, namespace: str) -> Json:
    """The pod without its status, ready to be created."""
    spec = {"containers": [{"name": "api", "image": "i"}, {"name": "log", "image": "i"}], **state.spec}
    spec |= {"automountServiceAccountToken": False, "serviceAccountName": "default"}
    metadata = {"name": state.name, "namespace": namespace, "finalizers": list(state.finalizers)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
