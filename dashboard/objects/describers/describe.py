"""Description of one object for the details page, from its row and the whole object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dashboard.objects.describers.containers import ContainerLine, containers_of
from dashboard.objects.describers.crds import without_schemas
from dashboard.objects.describers.deletion import MAX_FINALIZERS, Deletion, deletion_of
from dashboard.objects.describers.fact import Section
from dashboard.objects.describers.pods import pod_facts
from dashboard.objects.describers.registry import describe_facts
from dashboard.objects.describers.state_sentence import reason_beside, summarize
from dashboard.objects.fields.object_display_limit import fits
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text
from dashboard.objects.kinds.catalog import find_kind
from dashboard.objects.kinds.row import Row, Tone
from dashboard.runtime.counts_and_times import parse_timestamp
from dashboard.runtime.text_with_links import TextPiece

_BAD_NEWS = frozenset({
    "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "ReplicaFailure", "Failed", "FailureTarget",
    "Stalled", "DisruptionTarget", "Degraded", "Terminating", "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionContentFailure", "NamespaceDeletionGroupVersionParsingFailure", "NamespaceContentRemaining",
    "NamespaceFinalizersRemaining", "NonStructuralSchema",
})  # fmt: skip
"""Conditions that are good when they are False."""
_NEUTRAL = frozenset({"Suspended", "Paused"})
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
_NO_FACTS = frozenset({"apiVersion", "kind", "metadata", "data", "binaryData", "immutable", "type"})
"""Fields of ConfigMaps and Secrets, of which no facts are told."""
MAX_OWNERS = 100
"""Most owners that are named; the rest is counted."""


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
    subject: str = ""
    """The part of the object that it belongs to, a Gateway's listener or a route's parent; empty: the whole object."""


@dataclass(frozen=True, slots=True)
class OwnerLink:
    """One of the object's owners."""

    kind: str
    name: str
    uid: str
    key: str
    """The owner's kind, ``replicasets.apps``; empty where it is not known."""


@dataclass(frozen=True, slots=True)
class Details:
    """One object in words and parts. Everything here is text from the cluster: escape it."""

    summary: tuple[TextPiece, ...]
    reason: str
    """What is wrong with it; what the summary says of that is left out."""
    conditions: tuple[Condition, ...]
    facts: tuple[Section, ...]
    """Of the object itself."""
    containers: tuple[ContainerLine, ...]
    pods: tuple[Section, ...]
    """Containers of the pod, or of the pods that its template makes."""
    labels: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...]
    finalizers: tuple[str, ...]
    """The first MAX_FINALIZERS."""
    owners: tuple[OwnerLink, ...]
    """Its controller first; MAX_OWNERS at most."""
    deletion: Deletion | None
    more_finalizers: int = 0
    more_owners: int = 0
    lacks_facts: bool = False
    """Whether conditions, facts, containers and pods are left out, as far as they are not known without a look at all
    of a large object.
    """


def describe(key: str, row: Row, obj: Mapping[str, Any], now: float) -> Details:
    """The details of an object of kind `key` at `now` (Unix seconds). Never raises, whatever the object holds.

    It must be the whole object: what is told from a part of it may be false. It takes time where there is much of it.
    """
    metadata = as_map(obj.get("metadata"))
    owners = as_maps(metadata.get("ownerReferences"))
    summary = summarize(key, row, obj, now)
    return Details(
        summary=summary,
        reason=reason_beside(summary, row.reason),
        conditions=conditions_of(obj),
        facts=describe_facts(key, obj),
        containers=containers_of(obj),
        pods=pod_facts(obj),
        labels=_pairs(metadata.get("labels")),
        annotations=_pairs(metadata.get("annotations")),
        finalizers=row.finalizers[:MAX_FINALIZERS],
        owners=_owners(owners),
        deletion=deletion_of(obj),
        more_finalizers=max(0, len(row.finalizers) - MAX_FINALIZERS),
        more_owners=max(0, len(owners) - MAX_OWNERS),
    )


def describe_large(key: str, row: Row, obj: Mapping[str, Any], now: float) -> Details:
    """As `describe`, in little time: of the whole object where what facts are told from fits a page (see
    object_display_limit.py), else from its row, metadata and conditions alone.
    """
    told = without_schemas(obj) if key == _DEFINITIONS else {**obj}
    if fits(told):
        return describe(key, row, told, now)
    known = {"conditions": as_map(obj.get("status")).get("conditions")}
    told = {"metadata": obj.get("metadata"), "status": known if fits(known) else {}}
    return replace(describe("", row, told, now), lacks_facts=not obj.keys() <= _NO_FACTS)


def conditions_of(obj: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The object's conditions, in its order; some custom resources have a map of them by their types.

    After its own those of its parts: of each entry of a list in its status, as the Gateway API has them.
    """
    status = as_map(obj.get("status"))
    conditions = status.get("conditions")
    by_type = [{"type": name, **as_map(entry)} for name, entry in as_map(conditions).items()]
    own = [_condition(entry) for entry in as_maps(conditions) or by_type]
    inner = [
        _condition(entry, _part(part, place))
        for value in status.values()
        for place, part in enumerate(as_maps(value), 1)
        for entry in as_maps(part.get("conditions"))
    ]
    return (*own, *inner)


def _condition(entry: Mapping[str, Any], of: str = "") -> Condition:
    return Condition(
        type=as_text(entry.get("type")),
        status=as_text(entry.get("status")),
        reason=as_text(entry.get("reason")),
        message=as_text(entry.get("message")),
        tone=_tone(as_text(entry.get("type")), as_text(entry.get("status"))),
        since=_moment(entry.get("lastTransitionTime")),
        subject=of,
    )


def _part(part: Mapping[str, Any], place: int) -> str:
    """Name of a part: its own, or that of the object it refers to."""
    reference = as_map(part.get("parentRef")) or as_map(part.get("ancestorRef")) or part
    names = (as_text(reference.get(field)) for field in ("kind", "namespace", "name", "sectionName", "port"))
    return " ".join(name for name in names if name) or str(place)


def _moment(value: Any) -> str:
    """A valid RFC 3339 time, unchanged; browsers accept nearly any text as a time."""
    return "" if parse_timestamp(value) is None else as_text(value)


def _tone(name: str, status: str) -> Tone:
    if name in _NEUTRAL:
        return "idle"
    if status not in ("True", "False"):
        return "warn"
    good = (status == "True") != (name in _BAD_NEWS)
    return "ok" if good else "bad" if name in _BAD_NEWS else "warn"


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((as_text(name), as_text(as_map(value)[name])) for name in sorted(as_map(value)))


def _owners(owners: list[Mapping[str, Any]]) -> tuple[OwnerLink, ...]:
    return tuple(map(_owner, sorted(owners, key=lambda entry: not entry.get("controller"))[:MAX_OWNERS]))


def _owner(owner: Mapping[str, Any]) -> OwnerLink:
    kind, group = as_text(owner.get("kind")), as_text(owner.get("apiVersion")).rpartition("/")[0]
    owner_kind = find_kind(f"{kind}.{group}" if group else kind)
    known = owner_kind is not None and owner_kind.resolved
    return OwnerLink(
        kind, as_text(owner.get("name")), as_text(owner.get("uid")), owner_kind.key if owner_kind and known else ""
    )
