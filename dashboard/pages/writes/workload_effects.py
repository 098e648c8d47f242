"""Effects of a change on the pods of a workload, as data for the reviews of one or many objects.

Each function compares the existing object with the one that would be stored, so defaults are filled in already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from dashboard.objects.fields.field_access import ABSENT, Value, get, same

Object = dict[str, Value]


Sentences = list[str]
"""Sentences."""


def differs(was: Object, now: Object, *path: str) -> bool:
    """Whether the field at `path` differs."""
    return not same(get(was, path), get(now, path))


def string_at(value: Object, *path: str) -> str:
    """The text at `path`; empty where it is missing."""
    text = get(value, path)
    return text if isinstance(text, str) else ""


EffectKind = Literal[
    "scales", "pauses", "goes on", "rolls", "recreates", "waits", "no pods", "by hand", "one by one", "held",
    "node by node", "moves", "later", "in place", "says", "autoscaled", "autoscaled?", "controlled", "opens",
    "renumbers",
]  # fmt: skip
"""The new template: rolls, recreates · waits: until it is resumed · no pods: there are none · by hand: once each is
deleted · one by one, held: a StatefulSet, by its partition · node by node, moves: a DaemonSet · later: for pods to
come · in place: containers of a pod · opens: pods of an older revision are no longer held back ·
renumbers: a StatefulSet's pods have other numbers. controlled: what is deleted has one that may make another. says:
any other sentence."""


class Effect(msgspec.Struct, frozen=True, array_like=True):
    """One effect of a change on one object."""

    what: EffectKind
    pods: int = 0
    """Pods that are replaced or restarted."""
    more: int = 0
    """maxSurge, in pods · replicas before scaling · a StatefulSet's partition, or its first number."""
    fewer: int = 0
    """maxUnavailable, in pods · replicas after scaling."""
    words: str = ""
    """A sentence; a DaemonSet's maxUnavailable; the autoscaler, the controller."""


def workload_effects(was: Object, now: Object) -> tuple[Effect, ...] | None:
    """Effects on its pods; None for a kind whose effects are unknown.

    `was` may have its status: only that has the number of a DaemonSet's pods.
    """
    group = str(now.get("apiVersion", "")).rpartition("/")[0]
    effects_of = _KINDS.get((group, str(now.get("kind", ""))))
    return None if effects_of is None else tuple(effects_of(was, now))


def resolve_fenceposts(surge: Value, unavailable: Value, replicas: int) -> tuple[int, int]:
    """Surge and unavailable pods of a rolling update; as ResolveFenceposts of the controller.

    Source: kubernetes pkg/controller/deployment/util/deployment_util.go.
    """
    more, fewer = _share(surge, replicas, math.ceil), _share(unavailable, replicas, math.floor)
    return (more, fewer) if more or fewer else (0, 1)


def _deployment(was: Object, now: Object) -> list[Effect]:
    effects, replicas, paused = _scaled(was, now), _replicas(now), get(now, ("spec", "paused")) is True
    if differs(was, now, "spec", "paused"):
        effects.append(Effect("pauses" if paused else "goes on"))
    if not differs(was, now, "spec", "template"):
        return effects
    if paused:
        return [*effects, Effect("waits")]
    if not replicas:
        return [*effects, Effect("no pods")]
    pods = min(_replicas(was), replicas)
    if not pods:
        return effects  # those that come are the first
    if get(now, ("spec", "strategy", "type")) == "Recreate":
        return [*effects, Effect("recreates", pods)]
    update = get(now, ("spec", "strategy", "rollingUpdate"))
    surge, unavailable = (get(update, (name,)) for name in ("maxSurge", "maxUnavailable"))
    return [*effects, Effect("rolls", pods, *resolve_fenceposts(surge, unavailable, replicas))]


def _stateful_set(was: Object, now: Object) -> list[Effect]:
    effects, before, after = _scaled(was, now), _numbers(was), _numbers(now)
    stay = range(max(before.start, after.start), min(before.stop, after.stop))
    others = min(len(before), len(after)) - len(stay)
    if others:
        effects.append(Effect("renumbers", others, after.start))
    partition = _partition(now)
    due = len(stay[max(0, partition - stay.start) :])
    if not differs(was, now, "spec", "template"):
        previously_kept = len(stay) if _on_delete(was) else len(stay[: max(0, _partition(was) - stay.start)])
        opened = not _on_delete(now) and due > len(stay) - previously_kept
        return [*effects, Effect("opens", 0, partition)] if opened else effects
    if not after:
        return [*effects, Effect("no pods")]
    if not stay:
        return effects
    if _on_delete(now):
        return [*effects, Effect("by hand")]
    return [*effects, Effect("one by one" if due else "held", due, partition)]


def _daemon_set(was: Object, now: Object) -> list[Effect]:
    places = ("nodeSelector", "affinity", "tolerations")
    moves = any(differs(was, now, "spec", "template", "spec", name) for name in places)
    effects = [Effect("moves")] if moves else []
    if not differs(was, now, "spec", "template"):
        return [Effect("opens")] if _on_delete(was) and not _on_delete(now) else effects
    if _on_delete(now):
        return [*effects, Effect("by hand")]
    fewer = get(now, ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"))
    there = get(was, ("status", "desiredNumberScheduled"))
    pods = there if isinstance(there, int) else 0
    return [*effects, Effect("node by node", pods, words=str(1 if fewer is ABSENT else fewer))]


def _replica_set(was: Object, now: Object) -> list[Effect]:
    return _scaled(was, now) + ([Effect("later")] if differs(was, now, "spec", "template") else [])


def _pod(was: Object, now: Object) -> list[Effect]:
    return [Effect("in place", 1)] if differs(was, now, "spec", "containers") else []


def _scaled(was: Object, now: Object) -> list[Effect]:
    before, after = _replicas(was), _replicas(now)
    return [] if before == after else [Effect("scales", 0, before, after)]


def _numbers(value: Object) -> range:
    """Ordinals of a StatefulSet's pods."""
    start = get(value, ("spec", "ordinals", "start"))
    first = start if isinstance(start, int) else 0
    return range(first, first + _replicas(value))


def _partition(value: Object) -> int:
    number = get(value, ("spec", "updateStrategy", "rollingUpdate", "partition"))
    return number if isinstance(number, int) else 0


def _on_delete(value: Object) -> bool:
    return bool(get(value, ("spec", "updateStrategy", "type")) == "OnDelete")


def _replicas(value: Object) -> int:
    number = get(value, ("spec", "replicas"))
    return number if isinstance(number, int) else 1


def _share(value: Value, replicas: int, rounded: Callable[[float], int]) -> int:
    """A number, or a percentage of `replicas`; 25 % where it is not set, the API server's default."""
    if isinstance(value, int):
        return value
    text = (value if isinstance(value, str) else "25%").removesuffix("%")
    return rounded(int(text) * replicas / 100) if text.isascii() and text.isdigit() and len(text) < 10 else 0


_KINDS: Mapping[tuple[str, str], Callable[[Object, Object], list[Effect]]] = MappingProxyType({
    ("apps", "Deployment"): _deployment, ("apps", "StatefulSet"): _stateful_set, ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set, ("", "ReplicationController"): _replica_set, ("", "Pod"): _pod,
})  # fmt: skip
