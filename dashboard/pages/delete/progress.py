"""How far a deletion is, in words that stay true until the object is really gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.live.lines import rfc3339
from dashboard.live.messages import Tone
from dashboard.removal.dependents import Dependents
from dashboard.removal.finalizers import FOREGROUND, ORPHAN, Finalizer, finalizers_of, is_namespace
from dashboard.resources.deletion import Deletion, deletion_of
from dashboard.resources.loose import mapping, text
from dashboard.resources.words import duration

STUCK_AFTER = 60.0
"""Seconds after which a deletion that waits for a finalizer is called stuck, and what can be done about it shown."""
_OF_NAMESPACES: Mapping[str, str] = MappingProxyType({
    "NamespaceDeletionDiscoveryFailure": "Which kinds there are cannot be told, because an API server behind the "
    "cluster's own does not answer; until it does, or its APIService is deleted, the namespace stays",
    "NamespaceDeletionGroupVersionParsingFailure": "The names of some API versions cannot be understood",
    "NamespaceDeletionContentFailure": "Some of its content could not be deleted",
    "NamespaceContentRemaining": "Some of its content is still there",
    "NamespaceFinalizersRemaining": "Some of its content waits for finalizers of its own",
})  # fmt: skip

WaitedFor = Mapping[str, tuple[Dependents, ...]]
"""What is still there of what the garbage collector waits for, by its finalizers."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that the deletion waits for."""

    words: str
    tone: Tone = "busy"
    finalizer: Finalizer | None = None
    removable: bool = False
    """Whether a person may take the finalizer away here."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A deletion under way."""

    since: str
    """RFC 3339 of when it was asked for."""
    waits: tuple[Wait, ...]
    stuck: bool


def progress_of(live: Mapping[str, Any], waited_for: WaitedFor, now: float) -> Progress:
    """Of an object that carries a deletionTimestamp; `now` in Unix seconds."""
    asked = deletion_of(live) or Deletion(now, 0, ())
    grace, ends = asked.grace, asked.asked + asked.grace
    stuck = now - ends > STUCK_AFTER
    finalizers = finalizers_of(live)
    waits = [_waits_for(each, waited_for.get(each.name, ()), stuck) for each in finalizers]
    waits += _shutting_down(live, ends, grace, now) if not finalizers or grace else ()
    waits += _conditions(live)
    return Progress(rfc3339(asked.asked), tuple(waits), stuck and bool(finalizers))


def _waits_for(finalizer: Finalizer, dependents: tuple[Dependents, ...], stuck: bool) -> Wait:
    tone: Tone = "warn" if stuck else "busy"
    removable = finalizer.name != "kubernetes"  # a namespace's own is in its spec, and only its controller may judge
    if finalizer.name == FOREGROUND and dependents:
        words = f"Waiting for what belongs to it: {listed(each.words for each in dependents)}"
        return Wait(words, tone, finalizer, removable)
    if finalizer.name == ORPHAN and dependents:
        words = f"Waiting until these no longer name it as owner: {listed(each.words for each in dependents)}"
        return Wait(words, tone, finalizer, removable)
    return Wait(f"Waiting for the finalizer {finalizer.name}", tone, finalizer, removable)


def _shutting_down(live: Mapping[str, Any], ends: float, grace: int, now: float) -> tuple[Wait, ...]:
    if not grace:
        return ()
    left = ends - now
    if left > 0:
        return (Wait(f"Shutting down: {duration(left)} left of the grace period of {duration(grace)}"),)
    node = text(mapping(live.get("spec")).get("nodeName"))
    where = f"the kubelet of node {node}" if node else "whoever runs it"
    words = f"Its grace period ended {duration(-left)} ago, but {where} has not said that it stopped"
    return (Wait(words, "warn" if -left > STUCK_AFTER else "busy"),)


def _conditions(live: Mapping[str, Any]) -> tuple[Wait, ...]:
    """Why a namespace is still there, as its controller says."""
    if not is_namespace(live):
        return ()
    found = (live.get("status") or {}).get("conditions") or ()
    return tuple(
        Wait(
            f"{_OF_NAMESPACES[each['type']]}: {each.get('message', '')}", "bad" if "Failure" in each["type"] else "warn"
        )
        for each in found
        if each.get("type") in _OF_NAMESPACES and each.get("status") == "True"
    )


def listed(parts: Iterable[str]) -> str:
    """``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
