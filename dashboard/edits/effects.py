"""What a change does to the pods of a workload, as data: one review puts it into words for one, another for many.

Each function compares what is there with what would be stored, so defaults are filled in already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from dashboard.edits.before_after import Object, differs
from dashboard.edits.fields import ABSENT, Value, get

What = Literal[
    "scales", "pauses", "goes on", "rolls", "recreates", "waits", "no pods", "by hand", "one by one", "held",
    "node by node", "moves", "later", "in place", "says", "autoscaled", "autoscaled?", "controlled",
]  # fmt: skip
"""The new template: rolls, recreates · waits: until it is resumed · no pods: there are none · by hand: once each is
deleted · one by one, held: a StatefulSet, by its partition · node by node, moves: a DaemonSet · later: for pods to
come · in place: containers of a pod. controlled: what is deleted has one that may make another. says: any other
sentence."""


class Effect(msgspec.Struct, frozen=True, array_like=True):
    """One thing that a change does to one object."""

    what: What
    pods: int = 0
    """Those that are replaced or restarted."""
    more: int = 0
    """maxSurge, in pods · what is asked for before it scales · a StatefulSet's partition."""
    fewer: int = 0
    """maxUnavailable, in pods · what is asked for after it scaled."""
    words: str = ""
    """A sentence; a DaemonSet's maxUnavailable; the autoscaler, the controller."""


def workload_effects(was: Object, now: Object) -> tuple[Effect, ...] | None:
    """What becomes of its pods; None for a kind of which that is not known.

    `was` may have its status: how many pods a DaemonSet has only that tells.
    """
    group = str(now.get("apiVersion", "")).rpartition("/")[0]
    found = _KINDS.get((group, str(now.get("kind", ""))))
    return None if found is None else tuple(found(was, now))


def fenceposts(surge: Value, unavailable: Value, replicas: int) -> tuple[int, int]:
    """How many pods more and how many fewer a rolling update may have; as ResolveFenceposts of the controller.

    Source: kubernetes pkg/controller/deployment/util/deployment_util.go.
    """
    more, fewer = _share(surge, replicas, math.ceil), _share(unavailable, replicas, math.floor)
    return (more, fewer) if more or fewer else (0, 1)


def _deployment(was: Object, now: Object) -> list[Effect]:
    found, replicas, paused = _scaled(was, now), _replicas(now), get(now, ("spec", "paused")) is True
    if differs(was, now, "spec", "paused"):
        found.append(Effect("pauses" if paused else "goes on"))
    if not differs(was, now, "spec", "template"):
        return found
    if paused:
        return [*found, Effect("waits")]
    if not replicas:
        return [*found, Effect("no pods")]
    if get(now, ("spec", "strategy", "type")) == "Recreate":
        return [*found, Effect("recreates", replicas)]
    update = get(now, ("spec", "strategy", "rollingUpdate"))
    surge, unavailable = (get(update, (name,)) for name in ("maxSurge", "maxUnavailable"))
    return [*found, Effect("rolls", replicas, *fenceposts(surge, unavailable, replicas))]


def _stateful_set(was: Object, now: Object) -> list[Effect]:
    found = _scaled(was, now)
    if not differs(was, now, "spec", "template"):
        return found
    if get(now, ("spec", "updateStrategy", "type")) == "OnDelete":
        return [*found, Effect("by hand")]
    if not _replicas(now):
        return [*found, Effect("no pods")]
    partition = get(now, ("spec", "updateStrategy", "rollingUpdate", "partition")) or 0
    due = max(0, _replicas(now) - partition)
    return [*found, Effect("one by one" if due else "held", due, partition)]


def _daemon_set(was: Object, now: Object) -> list[Effect]:
    places = ("nodeSelector", "affinity", "tolerations")
    moves = any(differs(was, now, "spec", "template", "spec", name) for name in places)
    found = [Effect("moves")] if moves else []
    if not differs(was, now, "spec", "template"):
        return found
    if get(now, ("spec", "updateStrategy", "type")) == "OnDelete":
        return [*found, Effect("by hand")]
    fewer = get(now, ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"))
    there = get(was, ("status", "desiredNumberScheduled"))
    pods = there if isinstance(there, int) else 0
    return [*found, Effect("node by node", pods, words=str(1 if fewer is ABSENT else fewer))]


def _replica_set(was: Object, now: Object) -> list[Effect]:
    return _scaled(was, now) + ([Effect("later")] if differs(was, now, "spec", "template") else [])


def _pod(was: Object, now: Object) -> list[Effect]:
    return [Effect("in place", 1)] if differs(was, now, "spec", "containers") else []


def _scaled(was: Object, now: Object) -> list[Effect]:
    before, after = _replicas(was), _replicas(now)
    return [] if before == after else [Effect("scales", 0, before, after)]


def _replicas(value: Object) -> int:
    found = get(value, ("spec", "replicas"))
    return found if isinstance(found, int) else 1


def _share(value: Value, replicas: int, rounded: Callable[[float], int]) -> int:
    """A number, or a percentage of `replicas`; 25 % where nothing is said, as the API server's default is."""
    if isinstance(value, int):
        return value
    text = (value if isinstance(value, str) else "25%").removesuffix("%")
    return rounded(int(text) * replicas / 100) if text.isascii() and text.isdigit() and len(text) < 10 else 0


_KINDS: Mapping[tuple[str, str], Callable[[Object, Object], list[Effect]]] = MappingProxyType({
    ("apps", "Deployment"): _deployment, ("apps", "StatefulSet"): _stateful_set, ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set, ("", "ReplicationController"): _replica_set, ("", "Pod"): _pod,
})  # fmt: skip
