"""Printer of pods, as ``kubectl get pods`` shows them.

Source: Kubernetes' pkg/printers/internalversion/printers.go, printPod.
"""

from __future__ import annotations

from typing import Any

from devcluster.server.printers.cell_text import NONE, Cell, age, age_of, name_of
from devcluster.server.storage.object_codec import Object


def pod_ready(obj: Object) -> str:
    """``1/2``: ready containers of all."""
    statuses = (obj.get("status") or {}).get("containerStatuses") or []
    total = len((obj.get("spec") or {}).get("containers") or [])
    return f"{sum(bool(status.get('ready')) for status in statuses)}/{total}"


def pod_restarts(obj: Object) -> tuple[int, str | None]:
    """The restarts of all containers, and when the last terminated one ended; None without any."""
    statuses = (obj.get("status") or {}).get("containerStatuses") or []
    ended = [((s.get("lastState") or {}).get("terminated") or {}).get("finishedAt") for s in statuses]
    return sum(s.get("restartCount", 0) for s in statuses), max(filter(None, ended), default=None)


def pod_status(obj: Object) -> str:
    """The STATUS column: Running, Pending, Init:0/1, CrashLoopBackOff, Completed, Terminating, …"""
    status = obj.get("status") or {}
    word = status.get("reason") or status.get("phase") or "Unknown"
    initial = _init_word(obj)
    word = _container_word(status, word) if initial is None else initial
    if "deletionTimestamp" in obj["metadata"]:
        return "Unknown" if status.get("reason") == "NodeLost" else "Terminating"
    return str(word)


def _init_word(obj: Object) -> str | None:
    statuses = (obj.get("status") or {}).get("initContainerStatuses") or []
    for position, status in enumerate(statuses):
        state = status.get("state") or {}
        ended = state.get("terminated")
        if ended and ended.get("exitCode") == 0:
            continue
        if ended:
            return "Init:" + (ended.get("reason") or f"ExitCode:{ended.get('exitCode')}")
        waiting = (state.get("waiting") or {}).get("reason", "")
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}"
        return f"Init:{position}/{len(statuses)}"
    return None


def _container_word(pod_status: dict[str, Any], word: str) -> str:
    running = False
    for status in reversed(pod_status.get("containerStatuses") or []):
        state = status.get("state") or {}
        waiting, ended = state.get("waiting") or {}, state.get("terminated")
        if waiting.get("reason"):
            word = waiting["reason"]
        elif ended:
            signal = ended.get("signal")
            word = ended.get("reason") or (f"Signal:{signal}" if signal else f"ExitCode:{ended.get('exitCode')}")
        elif state.get("running") and status.get("ready"):
            running = True
    if word != "Completed" or not running:
        return word
    is_ready = {"type": "Ready", "status": "True"}.items()
    return "Running" if any(is_ready <= each.items() for each in pod_status.get("conditions") or ()) else "NotReady"


def pod(obj: Object, now: float) -> list[Cell]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    gates = NONE if not spec.get("readinessGates") else f"0/{len(spec['readinessGates'])}"
    nominated = status.get("nominatedNodeName") or NONE
    address, node = status.get("podIP") or NONE, spec.get("nodeName") or NONE
    restarts, ended = pod_restarts(obj)
    shown = f"{restarts} ({age(ended, now)} ago)" if restarts and ended else str(restarts)
    return [name_of(obj), pod_ready(obj), pod_status(obj), shown, age_of(obj, now), address, node, nominated, gates]
