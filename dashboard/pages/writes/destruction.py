"""Changes that destroy: pods are stopped, or a clean-up is skipped. docs/security.md has the table.

A deletion, an eviction and a drain always do, so nobody asks about those here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.fields.field_access import Value, get

_JOBS = "jobs.batch"


def destruction_text(was: dict[str, Value], now: dict[str, Value]) -> str:
    """What the change from `was` to `now` destroys, as a sentence; empty where it destroys nothing."""
    replicas, number = get(was, ("spec", "replicas")), get(now, ("spec", "replicas"))
    if _is_count(replicas) and replicas and _is_count(number) and not number:
        return f"It stops all {replicas} replicas." if replicas > 1 else "It stops its only replica."
    if _is_job(now) and get(now, ("spec", "suspend")) is True and get(was, ("spec", "suspend")) is not True:
        return "It ends the Job's running pods."
    kept = _items(get(now, ("metadata", "finalizers")))
    removed = [str(name) for name in _items(get(was, ("metadata", "finalizers"))) if name not in kept]
    if removed:
        return f"It removes {', '.join(removed)}: the clean-up that this finalizer stands for does not happen."
    tainted_before = _items(get(was, ("spec", "taints")))
    if any(_evicts(taint) and taint not in tainted_before for taint in _items(get(now, ("spec", "taints")))):
        return "It evicts the node's pods that do not tolerate the new NoExecute taint."
    return ""


def patch_destroys(key: str, patch: Mapping[str, Any]) -> bool:
    """Whether a patch of objects of the kind `key` can destroy, whatever the objects are like."""
    spec, metadata = patch.get("spec"), patch.get("metadata")
    spec, metadata = spec if isinstance(spec, dict) else {}, metadata if isinstance(metadata, dict) else {}
    replicas = spec.get("replicas")
    return (
        (_is_count(replicas) and not replicas)
        or (key == _JOBS and spec.get("suspend") is True)
        or any("finalizers" in name or name == "$patch" for name in metadata)
        or (key == "nodes" and any("taints" in name or name == "$patch" for name in spec))
    )


def undo_destroys(key: str, patch: Mapping[str, Any]) -> bool:
    """The same of putting back what such a patch changed."""
    spec, metadata = patch.get("spec"), patch.get("metadata")
    spec, metadata = spec if isinstance(spec, dict) else {}, metadata if isinstance(metadata, dict) else {}
    return (
        "replicas" in spec
        or (key == _JOBS and "suspend" in spec)
        or any("finalizers" in name or name == "$patch" for name in metadata)
        or any(name == "$patch" for name in spec)
        or (key == "nodes" and any("taints" in name for name in spec))
    )


def _is_count(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_job(value: dict[str, Value]) -> bool:
    return value.get("kind") == "Job" and str(value.get("apiVersion", "")).startswith("batch/")


def _evicts(taint: Value) -> bool:
    return isinstance(taint, dict) and taint.get("effect") == "NoExecute"


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []
