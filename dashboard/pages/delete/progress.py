"""Progress of a deletion, in words that stay true until the object is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.describers.deletion import Deletion, deletion_of
from dashboard.objects.fields.unstructured import as_map, as_text
from dashboard.objects.kinds.row import Tone
from dashboard.pages.delete.dependents import DependentGroup
from dashboard.pages.delete.finalizers import (
    FOREGROUND_FINALIZER,
    ORPHAN_FINALIZER,
    Finalizer,
    finalizers_of,
    is_namespace,
)
from dashboard.runtime.counts_and_times import format_duration

STUCK_AFTER = 60.0
"""Seconds after which a deletion that waits for a finalizer counts as stuck, and the page shows what can be done."""
_OF_NAMESPACES: Mapping[str, str] = MappingProxyType({
    "NamespaceDeletionDiscoveryFailure": "The list of kinds is incomplete, because an API server behind the "
    "cluster's own does not answer; until it does, or its APIService is deleted, the namespace stays",
    "NamespaceDeletionGroupVersionParsingFailure": "The names of some API versions cannot be parsed",
    "NamespaceDeletionContentFailure": "Some of its content could not be deleted",
    "NamespaceContentRemaining": "Some of its content still exists",
    "NamespaceFinalizersRemaining": "Some of its content waits for finalizers of its own",
})  # fmt: skip

DependentsByFinalizer = Mapping[str, tuple[DependentGroup, ...]]
"""Remaining dependents that the garbage collector waits for, by its finalizers."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One reason why the deletion waits."""

    words: str
    tone: Tone = "busy"
    finalizer: Finalizer | None = None
    is_removable: bool = False
    """Whether a user may remove the finalizer here."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A deletion under way."""

    requested_at: str
    """RFC 3339 time of the deletion request."""
    waits: tuple[Wait, ...]
    is_stuck: bool


def progress_of(current: Mapping[str, Any], waited_for: DependentsByFinalizer, now: float) -> Progress:
    """Progress of an object with a deletionTimestamp; `now` in Unix seconds."""
    deletion = deletion_of(current) or Deletion(now, 0, ())
    grace, ends = deletion.grace, deletion.requested_at + deletion.grace
    stuck = now - ends > STUCK_AFTER
    finalizers = finalizers_of(current)
    waits = [_waits_for(each, waited_for.get(each.name, ()), stuck) for each in finalizers]
    waits += _shutting_down(current, ends, grace, now) if not finalizers or grace else ()
    waits += _conditions(current)
    return Progress(rfc3339(deletion.requested_at), tuple(waits), stuck and bool(finalizers))


def _waits_for(finalizer: Finalizer, dependents: tuple[DependentGroup, ...], stuck: bool) -> Wait:
    tone: Tone = "warn" if stuck else "busy"
    removable = finalizer.name != "kubernetes"  # a namespace's own is in its spec, and only its controller may judge
    if finalizer.name == FOREGROUND_FINALIZER and dependents:
        words = f"Waiting for what belongs to it: {join_with_and(each.words for each in dependents)}"
        return Wait(words, tone, finalizer, removable)
    if finalizer.name == ORPHAN_FINALIZER and dependents:
        words = f"Waiting until these no longer name it as owner: {join_with_and(each.words for each in dependents)}"
        return Wait(words, tone, finalizer, removable)
    return Wait(f"Waiting for the finalizer {finalizer.name}", tone, finalizer, removable)


def _shutting_down(live: Mapping[str, Any], ends: float, grace: int, now: float) -> tuple[Wait, ...]:
    if not grace:
        return ()
    left = ends - now
    if left > 0:
        return (Wait(f"Shutting down: {format_duration(left)} left of the grace period of {format_duration(grace)}"),)
    node = as_text(as_map(live.get("spec")).get("nodeName"))
    where = f"the kubelet of node {node}" if node else "the component that runs it"
    words = f"Its grace period ended {format_duration(-left)} ago, but {where} has not reported that it stopped"
    return (Wait(words, "warn" if -left > STUCK_AFTER else "busy"),)


def _conditions(live: Mapping[str, Any]) -> tuple[Wait, ...]:
    """Reasons why a namespace still exists, from its controller's conditions."""
    if not is_namespace(live):
        return ()
    conditions = (live.get("status") or {}).get("conditions") or ()
    return tuple(
        Wait(
            f"{_OF_NAMESPACES[each['type']]}: {each.get('message', '')}", "bad" if "Failure" in each["type"] else "warn"
        )
        for each in conditions
        if each.get("type") in _OF_NAMESPACES and each.get("status") == "True"
    )


def join_with_and(parts: Iterable[str]) -> str:
    """``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
