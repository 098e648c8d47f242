"""Printers of workload kinds.

Source: Kubernetes' pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from devcluster.server.printers.cell_text import NONE, Cell, age, age_of, duration, labels_text, name_of
from devcluster.server.storage.object_codec import Object


def deployment(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    ready = f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}"
    counts: list[Cell] = [ready, status.get("updatedReplicas", 0), status.get("availableReplicas", 0)]
    return [name_of(obj), *counts, age_of(obj, now), *_made(spec)]


def replica_set(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    counts: list[Cell] = [spec.get("replicas", 1), status.get("replicas", 0), status.get("readyReplicas", 0)]
    return [name_of(obj), *counts, age_of(obj, now), *_made(spec)]


def stateful_set(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    ready = f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}"
    return [name_of(obj), ready, age_of(obj, now), *_made(spec)[:2]]


def daemon_set(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    names = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    counts: list[Cell] = [status.get(name, 0) for name in names]
    where = labels_text(spec["template"]["spec"].get("nodeSelector"))
    return [name_of(obj), *counts, where, age_of(obj, now), *_made(spec)]


def job(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    conditions = [c["type"] for c in status.get("conditions") or () if c.get("status") == "True"]
    word = next((w for w in ("Complete", "Failed", "Suspended") if w in conditions), "Running")
    took, start = "", status.get("startTime")
    if start:
        end = status.get("completionTime")
        took = duration((datetime.fromisoformat(end).timestamp() if end else now) - _seconds(start))
    done = f"{status.get('succeeded', 0)}/{spec.get('completions', 1)}"
    return [name_of(obj), word, done, took, age_of(obj, now), *_made(spec)]


def cron_job(obj: Object, now: float) -> list[Cell]:
    spec, status = obj["spec"], obj.get("status") or {}
    last = status.get("lastScheduleTime")
    suspended = str(spec["suspend"]) if "suspend" in spec else NONE
    cells: list[Cell] = [spec["schedule"], spec.get("timeZone") or NONE, suspended, len(status.get("active") or ())]
    made = _made(spec["jobTemplate"]["spec"])
    return [name_of(obj), *cells, age(last, now) if last else NONE, age_of(obj, now), *made]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _made(spec: dict[str, Any]) -> list[Cell]:
    containers = spec["template"]["spec"]["containers"]
    names, images = ",".join(c["name"] for c in containers), ",".join(c["image"] for c in containers)
    return [names, images, labels_text((spec.get("selector") or {}).get("matchLabels"))]
