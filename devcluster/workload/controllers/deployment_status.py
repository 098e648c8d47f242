"""Status and conditions of a Deployment, with the real reasons and messages.

Source: kube-controller-manager's deployment/progress.go, deployment/sync.go and deployment/util.
"""

from __future__ import annotations

from collections.abc import Sequence

from devcluster.workload.api_types import Condition, Deployment, DeploymentStatus, ReplicaSet, find_condition
from devcluster.workload.controllers.deployment_rollout import max_unavailable
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp

REASON_NEW_CREATED, REASON_NEW_FOUND, REASON_UPDATED, REASON_NEW_AVAILABLE = (
    "NewReplicaSetCreated", "FoundNewReplicaSet", "ReplicaSetUpdated", "NewReplicaSetAvailable",
)  # fmt: skip
REASON_TIMED_OUT, REASON_PAUSED, REASON_RESUMED = "ProgressDeadlineExceeded", "DeploymentPaused", "DeploymentResumed"
ProgressCondition = tuple[str, str, str]
"""Status, reason and message of the condition Progressing."""


def replica_counts(current: ReplicaSet | None, old: Sequence[ReplicaSet]) -> dict[str, int]:
    """The numbers of its status."""
    sets = [each for each in (current, *old) if each is not None]
    available = sum(each.status.available_replicas for each in sets)
    return {
        "replicas": sum(each.status.replicas for each in sets),
        "updatedReplicas": current.status.replicas if current else 0,
        "readyReplicas": sum(each.status.ready_replicas for each in sets),
        "availableReplicas": available,
        "unavailableReplicas": max(0, sum(each.spec.replicas for each in sets) - available),
        "terminatingReplicas": sum(each.status.terminating_replicas for each in sets),
    }


def progress(
    deployment: Deployment, current: ReplicaSet | None, new: dict[str, int], now: float, *, is_new: bool
) -> ProgressCondition | None:
    """The condition Progressing; None where the present one stays. `is_new`: the ReplicaSet was just created."""
    before = find_condition(deployment.status.conditions, "Progressing")
    name = current.metadata.name if current else ""
    if deployment.spec.paused:
        return ("Unknown", REASON_PAUSED, "Deployment is paused")
    if before is not None and before.reason == REASON_PAUSED:
        return ("Unknown", REASON_RESUMED, "Deployment is resumed")
    if is_new:
        return ("True", REASON_NEW_CREATED, f'Created new replica set "{name}"')
    if current is None or deployment.spec.progress_deadline_seconds is None:
        return None
    wanted = deployment.spec.replicas
    if new["updatedReplicas"] == new["replicas"] == new["availableReplicas"] == wanted:
        return ("True", REASON_NEW_AVAILABLE, f'ReplicaSet "{name}" has successfully progressed.')
    if before is not None and before.reason == REASON_NEW_AVAILABLE and new["replicas"] == new["updatedReplicas"]:
        return None  # done; that a pod is not ready, or one more is wanted, is no rollout
    if before is None:
        return ("True", REASON_NEW_FOUND, f'Found new replica set "{name}"')
    if has_progressed(deployment.status, new):
        return ("True", REASON_UPDATED, f'ReplicaSet "{name}" is progressing.')
    if seconds_left(deployment, before, now) <= 0:
        return ("False", REASON_TIMED_OUT, f'ReplicaSet "{name}" has timed out progressing.')
    return None


def has_progressed(before: DeploymentStatus, new: dict[str, int]) -> bool:
    """Whether the numbers are better than before."""
    return (
        new["updatedReplicas"] > before.updated_replicas
        or new["replicas"] - new["updatedReplicas"] < before.replicas - before.updated_replicas
        or new["readyReplicas"] > before.ready_replicas
        or new["availableReplicas"] > before.available_replicas
    )


def seconds_left(deployment: Deployment, before: Condition | None, now: float) -> float:
    """Seconds until the rollout times out; infinite where it cannot."""
    limit = deployment.spec.progress_deadline_seconds
    if (
        limit is None
        or before is None
        or before.reason in (REASON_NEW_AVAILABLE, REASON_TIMED_OUT, REASON_PAUSED)
        or not before.last_update_time
    ):
        return float("inf")
    return parse_timestamp(before.last_update_time) + limit - now


def conditions(
    deployment: Deployment, new: dict[str, int], progress_condition: ProgressCondition | None, now: str
) -> list[Json]:
    """The conditions to be written; their times change only as they do."""
    if new["availableReplicas"] >= deployment.spec.replicas - max_unavailable(deployment):
        available = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        available = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    old = {each.type: each for each in deployment.status.conditions}
    by_type = {each.type: _written(each) for each in deployment.status.conditions}
    by_type["Available"] = _condition("Available", available, old.get("Available"), now, touch=False)
    if progress_condition is not None:
        touch = progress_condition[1] == REASON_UPDATED
        by_type["Progressing"] = _condition("Progressing", progress_condition, old.get("Progressing"), now, touch=touch)
    return list(by_type.values())


def _written(each: Condition) -> Json:
    times = {"lastUpdateTime": each.last_update_time, "lastTransitionTime": each.last_transition_time}
    return {"type": each.type, "status": each.status, **times, "reason": each.reason, "message": each.message}


def _condition(kind: str, new_state: ProgressCondition, before: Condition | None, now: str, *, touch: bool) -> Json:
    status, reason, message = new_state
    if before is not None and (before.status, before.reason) == (status, reason) and not touch:
        return _written(before) | {"message": message}
    since = before.last_transition_time if before is not None and before.status == status else now
    times = {"lastUpdateTime": now, "lastTransitionTime": since}
    return {"type": kind, "status": status, **times, "reason": reason, "message": message}


def status_patch(deployment: Deployment, new: dict[str, int], conditions_body: list[Json]) -> Json | None:
    """The status as a merge patch, without numbers that are 0; None where it is written already."""
    before = deployment.status
    known = {
        "replicas": before.replicas, "updatedReplicas": before.updated_replicas,
        "readyReplicas": before.ready_replicas, "availableReplicas": before.available_replicas,
        "unavailableReplicas": before.unavailable_replicas, "terminatingReplicas": before.terminating_replicas,
    }  # fmt: skip
    same = known == new and before.observed_generation == deployment.metadata.generation
    if same and [_written(each) for each in before.conditions] == conditions_body:
        return None
    numbers = {name: number or None for name, number in new.items()}
    numbers["terminatingReplicas"] = new["terminatingReplicas"]
    return {"status": {"observedGeneration": deployment.metadata.generation, **numbers, "conditions": conditions_body}}
