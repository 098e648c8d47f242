"""Nodes: what keeps pods away, what there is room for, and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.facts.scheduling import taint_words
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, age, moment_of

_EFFECTS = {
    "NoSchedule": "no pod comes that does not tolerate it",
    "PreferNoSchedule": "pods that do not tolerate it rather go elsewhere",
    "NoExecute": "pods that do not tolerate it are evicted",
}


def node_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    addresses = (f"{text(each.get('type'))} {text(each.get('address'))}" for each in mappings(status.get("addresses")))
    ranges = texts(spec.get("podCIDRs")) or ([text(spec["podCIDR"])] if spec.get("podCIDR") else [])
    return (
        *section(
            "room", "Room",
            fact("Cordoned", "it takes no new pods" if spec.get("unschedulable") is True else None, tone="warn"),
            fact("Taints", *(_taint(each) for each in mappings(spec.get("taints"))), tone="warn"),
            *_room(mapping(status.get("allocatable")), mapping(status.get("capacity"))),
        ),
        *section(
            "place", "Place",
            fact("Addresses", *addresses),
            fact("IPs of its pods", ", ".join(ranges) or None),
            fact("Provider's id", text(spec.get("providerID")) or None),
            fact("Volumes attached", *(text(each.get("name")) for each in mappings(status.get("volumesAttached")))),
        ),
    )  # fmt: skip


def _taint(taint: Mapping[str, Any]) -> list[Words]:
    meaning = _EFFECTS.get(text(taint.get("effect")))
    since = moment_of(taint.get("timeAdded"))
    words = [Words(taint_words(taint)), Words(f": {meaning}" if meaning else "")]
    return [*words, Words(", for "), age(since)] if since is not None else words


def _room(allocatable: Mapping[str, Any], capacity: Mapping[str, Any]) -> Iterator[Fact | None]:
    """What pods may have of each resource, and what the node has."""
    for name in sorted(allocatable.keys() | capacity.keys(), key=_order):
        room, all_of_it = text(allocatable.get(name)), text(capacity.get(name))
        words = f"{room or 'none'} for pods" + (f", of {all_of_it}" if all_of_it and all_of_it != room else "")
        yield fact(text(name), words, given=True)


def _order(name: Any) -> tuple[int, str]:
    first = ("cpu", "memory", "pods", "ephemeral-storage")
    return (first.index(name) if name in first else len(first), text(name))
