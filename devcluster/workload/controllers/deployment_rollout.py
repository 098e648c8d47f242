"""Replica counts of each ReplicaSet in the next step of a rollout, as pure functions.

Source: kube-controller-manager's deployment/rolling.go, deployment/sync.go and deployment/util.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from devcluster.workload.api_types import Deployment, ReplicaSet

REVISION_ANNOTATION = "deployment.kubernetes.io/revision"
DESIRED_REPLICAS_ANNOTATION = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS_ANNOTATION = "deployment.kubernetes.io/max-replicas"

Plan = dict[str, int]
"""By ReplicaSet's uid the number of pods that it is to have next; those that stay as they are, are left out."""


def revision(replica_set: ReplicaSet) -> int:
    """Its revision; 0 where it has none."""
    text = replica_set.metadata.annotations.get(REVISION_ANNOTATION, "")
    return int(text) if text.isdecimal() else 0


def resolve_fenceposts(deployment: Deployment) -> tuple[int, int]:
    """(maxSurge, maxUnavailable) in pods: surge rounded up, unavailable down, and never both 0."""
    if deployment.spec.strategy.type != "RollingUpdate":
        return 0, 0
    rolling, wanted = deployment.spec.strategy.rolling_update, deployment.spec.replicas
    surge = math.ceil(_share(rolling.max_surge, wanted))
    unavailable = math.floor(_share(rolling.max_unavailable, wanted))
    return (surge, unavailable) if surge or unavailable else (0, 1)


def max_unavailable(deployment: Deployment) -> int:
    """The number of pods that may be unavailable during the rollout."""
    if deployment.spec.strategy.type != "RollingUpdate" or not deployment.spec.replicas:
        return 0
    return min(resolve_fenceposts(deployment)[1], deployment.spec.replicas)


def plan_rolling_update(deployment: Deployment, current: ReplicaSet, old: Sequence[ReplicaSet]) -> Plan:
    """The next step of a rolling update: the new ReplicaSet grows first, then the old ones shrink."""
    new_count = new_replica_count(deployment, current.spec.replicas, [current, *old])
    if new_count != current.spec.replicas:
        return {current.metadata.uid: new_count}
    return _shrunk(deployment, current, old)


def new_replica_count(deployment: Deployment, replicas: int, sets: Sequence[ReplicaSet]) -> int:
    """The next size of the new ReplicaSet, which has `replicas` now, among all `sets`."""
    wanted = deployment.spec.replicas
    if replicas >= wanted or deployment.spec.strategy.type != "RollingUpdate":
        return wanted
    total = sum(each.spec.replicas for each in sets)
    room = wanted + resolve_fenceposts(deployment)[0] - total
    return replicas + max(0, min(room, wanted - replicas))


def _shrunk(deployment: Deployment, current: ReplicaSet, old: Sequence[ReplicaSet]) -> Plan:
    sets = [current, *old]
    least = deployment.spec.replicas - max_unavailable(deployment)
    coming = current.spec.replicas - current.status.available_replicas
    spare = sum(each.spec.replicas for each in sets) - least - coming
    if spare <= 0:
        return {}
    left = {each.metadata.uid: each.spec.replicas for each in old}
    for each in old:  # pods that are not available can go without harm
        gone = min(spare, each.spec.replicas - each.status.available_replicas)
        if gone > 0:
            left[each.metadata.uid] -= gone
            spare -= gone
    more = sum(each.status.available_replicas for each in sets) - least
    for each in old:
        gone = max(0, min(more, left[each.metadata.uid]))
        left[each.metadata.uid] -= gone
        more -= gone
    return {each.metadata.uid: left[each.metadata.uid] for each in old if left[each.metadata.uid] != each.spec.replicas}


def plan_rescale(deployment: Deployment, current: ReplicaSet | None, old: Sequence[ReplicaSet]) -> Plan:
    """The share of each ReplicaSet after a change of `replicas` in mid-rollout or while paused."""
    wanted = deployment.spec.replicas
    sets = [each for each in (current, *old) if each is not None]
    active = [each for each in sets if each.spec.replicas]
    if len(active) <= 1:
        only = active[0] if active else current or (max(sets, key=revision) if sets else None)
        return {only.metadata.uid: wanted} if only is not None and only.spec.replicas != wanted else {}
    if deployment.spec.strategy.type != "RollingUpdate":
        return {}
    return _in_proportion(active, wanted + resolve_fenceposts(deployment)[0] if wanted else 0)


def _in_proportion(active: Sequence[ReplicaSet], total: int) -> Plan:
    """A number of pods shared among those that have some, the largest first; the first takes the rounding rest."""
    before = sum(each.spec.replicas for each in active)
    ranked = sorted(active, key=lambda each: (-each.spec.replicas, revision(each)))
    shares = {each.metadata.uid: round(each.spec.replicas * total / before) for each in ranked}
    first = ranked[0].metadata.uid
    shares[first] = max(0, shares[first] + total - sum(shares.values()))
    return {
        each.metadata.uid: shares[each.metadata.uid]
        for each in ranked
        if shares[each.metadata.uid] != each.spec.replicas
    }


def is_scaling_event(deployment: Deployment, sets: Sequence[ReplicaSet]) -> bool:
    """Whether `replicas` was changed since the ReplicaSets were scaled."""
    wanted = str(deployment.spec.replicas)
    return any(
        each.spec.replicas and each.metadata.annotations.get(DESIRED_REPLICAS_ANNOTATION, wanted) != wanted
        for each in sets
    )


def _share(value: int | str, of: int) -> float:
    if isinstance(value, int):
        return float(value)
    return int(value.rstrip("%")) * of / 100
