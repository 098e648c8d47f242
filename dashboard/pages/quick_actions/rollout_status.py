"""Rollout status in words, by the rules of ``kubectl rollout status``.

Source: kubectl's pkg/polymorphichelpers/rollout_status.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.objects.kinds.row import Tone


@dataclass(frozen=True, slots=True)
class RolloutStatus:
    """Status of a rollout; `is_over`: nothing more happens without a change."""

    words: str
    tone: Tone
    is_over: bool


def rollout_status(key: str, obj: Mapping[str, Any]) -> RolloutStatus | None:
    """The status; None for kinds without rollouts."""
    read = {
        "deployments.apps": _deployment,
        "daemonsets.apps": _daemon_set,
        "statefulsets.apps": _stateful_set,
        "replicasets.apps": _replicas,
        "replicationcontrollers": _replicas,
    }.get(key)
    if read is None:
        return None
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    if obj["metadata"].get("generation", 0) > status.get("observedGeneration", 0):
        return RolloutStatus("Its controller has not seen the change yet.", "busy", is_over=False)
    return read(spec, status)


def _deployment(spec: Mapping[str, Any], status: Mapping[str, Any]) -> RolloutStatus:
    conditions = {each["type"]: each for each in status.get("conditions") or ()}
    if conditions.get("Progressing", {}).get("reason") == "ProgressDeadlineExceeded":
        return RolloutStatus(
            f"It makes no progress: {conditions['Progressing'].get('message', '')}", "bad", is_over=False
        )
    wanted, updated = spec.get("replicas", 1), status.get("updatedReplicas", 0)
    there, available = status.get("replicas", 0), status.get("availableReplicas", 0)
    if spec.get("paused"):
        return RolloutStatus(
            f"It is paused: {updated} of {wanted} pods have the newest template.", "idle", is_over=True
        )
    if updated < wanted:
        return RolloutStatus(f"{updated} of {wanted} pods have the newest template.", "busy", is_over=False)
    if there > updated:
        return RolloutStatus(
            f"All new pods are created; {_pods(there - updated, 'old ')} must still end.", "busy", is_over=False
        )
    if available < updated:
        return RolloutStatus(f"{available} of {updated} pods are available.", "busy", is_over=False)
    return _done(wanted, "new and available")


def _daemon_set(spec: Mapping[str, Any], status: Mapping[str, Any]) -> RolloutStatus:
    wanted, updated = status.get("desiredNumberScheduled", 0), status.get("updatedNumberScheduled", 0)
    available = status.get("numberAvailable", 0)
    if updated < wanted and _is_on_delete(spec):
        return _replaced_on_delete(updated, wanted)
    if updated < wanted:
        return RolloutStatus(f"{updated} of {wanted} nodes have the new pod.", "busy", is_over=False)
    if available < wanted:
        return RolloutStatus(f"{available} of {wanted} new pods are available.", "busy", is_over=False)
    return _done(wanted, "new and available")


def _stateful_set(spec: Mapping[str, Any], status: Mapping[str, Any]) -> RolloutStatus:
    wanted, ready = spec.get("replicas", 1), status.get("readyReplicas", 0)
    partition = ((spec.get("updateStrategy") or {}).get("rollingUpdate") or {}).get("partition") or 0
    due, updated = max(0, wanted - partition), status.get("updatedReplicas", 0)
    if status.get("replicas", 0) > wanted:
        return RolloutStatus(f"{_pods(status['replicas'] - wanted)} must still end.", "busy", is_over=False)
    if ready < wanted:
        return RolloutStatus(f"{ready} of {wanted} pods are ready.", "busy", is_over=False)
    is_new = status.get("updateRevision") == status.get("currentRevision")
    if not is_new and updated < wanted and _is_on_delete(spec):
        return _replaced_on_delete(updated, wanted)
    if not is_new and updated < due:
        return RolloutStatus(f"{updated} of {due} pods are new.", "busy", is_over=False)
    return _done(wanted, "ready")


def _replicas(spec: Mapping[str, Any], status: Mapping[str, Any]) -> RolloutStatus:
    wanted, there, ready = spec.get("replicas", 1), status.get("replicas", 0), status.get("readyReplicas", 0)
    if there > wanted:
        return RolloutStatus(f"{_pods(there - wanted)} must still end.", "busy", is_over=False)
    if ready < wanted:
        return RolloutStatus(f"{ready} of {wanted} pods are ready.", "busy", is_over=False)
    return _done(wanted, "ready")


def _done(wanted: int, adjective: str) -> RolloutStatus:
    words = (
        "it has no pods"
        if not wanted
        else f"all {wanted} pods are {adjective}"
        if wanted > 1
        else f"its pod is {adjective}"
    )
    return RolloutStatus(f"Done: {words}.", "ok", is_over=True)


def _is_on_delete(spec: Mapping[str, Any]) -> bool:
    return (spec.get("updateStrategy") or {}).get("type") == "OnDelete"


def _replaced_on_delete(updated: int, wanted: int) -> RolloutStatus:
    strategy = "Its update strategy is OnDelete: the others are replaced when they are deleted."
    return RolloutStatus(f"{updated} of {wanted} pods are new. {strategy}", "idle", is_over=True)


def _pods(count: int, adjective: str = "") -> str:
    return f"{count} {adjective}{'pod' if count == 1 else 'pods'}"
