"""What the details page says about one object, read from its row and the whole object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.live.messages import Row, Tone
from dashboard.resources.containers import ContainerLine, containers_of
from dashboard.resources.deletion import Deletion, deletion_of
from dashboard.resources.facts.fact import Section
from dashboard.resources.facts.pods import pod_facts
from dashboard.resources.facts.registry import facts_of
from dashboard.resources.kinds import find_kind
from dashboard.resources.loose import mapping, mappings, text
from dashboard.resources.sentences import sentence_of
from dashboard.resources.words import Words, moment_of

_BAD_NEWS = frozenset({
    "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "ReplicaFailure", "Failed", "FailureTarget",
    "Stalled", "DisruptionTarget", "Degraded", "Terminating", "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionContentFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceContentRemaining",
    "NamespaceFinalizersRemaining", "NonStructuralSchema",
})  # fmt: skip
"""Conditions that are good when they are False."""
_NEUTRAL = frozenset({"Suspended", "Paused"})


@dataclass(frozen=True, slots=True)
class Condition:
    """An entry of status.conditions. `tone` says whether its status is good news."""

    type: str
    status: str
    reason: str
    message: str
    tone: Tone
    since: str
    """RFC 3339 of lastTransitionTime; empty where it has none."""
    of: str = ""
    """The part of the object that it is a condition of, a Gateway's listener or a route's parent; empty: all of it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One of the object's owners."""

    kind: str
    name: str
    uid: str
    key: str
    """The owner's kind, ``replicasets.apps``; empty where its name cannot be told."""


@dataclass(frozen=True, slots=True)
class Details:
    """One object in words and parts. Everything here is text from the cluster: escape it."""

    summary: tuple[Words, ...]
    conditions: tuple[Condition, ...]
    facts: tuple[Section, ...]
    """Of the object itself."""
    containers: tuple[ContainerLine, ...]
    pods: tuple[Section, ...]
    """Of the pod that it is, or of those that its template makes."""
    labels: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...]
    finalizers: tuple[str, ...]
    owners: tuple[Owner, ...]
    """Its controller first."""
    deletion: Deletion | None


def describe(key: str, row: Row, obj: Mapping[str, Any], now: float) -> Details:
    """The details of an object of kind `key` at `now` (Unix seconds). Never raises, whatever the object holds."""
    metadata = mapping(obj.get("metadata"))
    return Details(
        summary=sentence_of(key, row, obj, now),
        conditions=conditions_of(obj),
        facts=facts_of(key, obj),
        containers=containers_of(obj),
        pods=pod_facts(obj),
        labels=_pairs(metadata.get("labels")),
        annotations=_pairs(metadata.get("annotations")),
        finalizers=row.finalizers,
        owners=_owners(metadata),
        deletion=deletion_of(obj),
    )


def conditions_of(obj: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The object's conditions, in its order; some custom resources have a map of them by their types.

    After its own those of its parts: of each entry of a list in its status, as the Gateway API has them.
    """
    status = mapping(obj.get("status"))
    conditions = status.get("conditions")
    by_type = [{"type": name, **mapping(entry)} for name, entry in mapping(conditions).items()]
    own = [_condition(entry) for entry in mappings(conditions) or by_type]
    inner = [
        _condition(entry, _part(part, place))
        for value in status.values()
        for place, part in enumerate(mappings(value), 1)
        for entry in mappings(part.get("conditions"))
    ]
    return (*own, *inner)


def _condition(entry: Mapping[str, Any], of: str = "") -> Condition:
    return Condition(
        type=text(entry.get("type")),
        status=text(entry.get("status")),
        reason=text(entry.get("reason")),
        message=text(entry.get("message")),
        tone=_tone(text(entry.get("type")), text(entry.get("status"))),
        since=_moment(entry.get("lastTransitionTime")),
        of=of,
    )


def _part(part: Mapping[str, Any], place: int) -> str:
    """What a part is called: by its own name, or by what it refers to."""
    reference = mapping(part.get("parentRef")) or mapping(part.get("ancestorRef")) or part
    names = (text(reference.get(field)) for field in ("kind", "namespace", "name", "sectionName", "port"))
    return " ".join(name for name in names if name) or str(place)


def _moment(value: Any) -> str:
    """RFC 3339 as it is: browsers find a moment in nearly anything else."""
    return "" if moment_of(value) is None else text(value)


def _tone(name: str, status: str) -> Tone:
    if name in _NEUTRAL:
        return "idle"
    if status not in ("True", "False"):
        return "warn"
    good = (status == "True") != (name in _BAD_NEWS)
    return "ok" if good else "bad" if name in _BAD_NEWS else "warn"


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((text(name), text(mapping(value)[name])) for name in sorted(mapping(value)))


def _owners(metadata: Mapping[str, Any]) -> tuple[Owner, ...]:
    owners = mappings(metadata.get("ownerReferences"))
    return tuple(map(_owner, sorted(owners, key=lambda entry: not entry.get("controller"))))


def _owner(owner: Mapping[str, Any]) -> Owner:
    kind, group = text(owner.get("kind")), text(owner.get("apiVersion")).rpartition("/")[0]
    found = find_kind(f"{kind}.{group}" if group else kind)
    known = found is not None and found.resolved
    return Owner(kind, text(owner.get("name")), text(owner.get("uid")), found.key if found and known else "")
