"""Facts of nodes: taints, room for pods, and addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.describers.scheduling import taint_text
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.counts_and_times import parse_timestamp
from dashboard.runtime.text_with_links import TextPiece, age_piece

_EFFECTS = {
    "NoSchedule": "new pods have to tolerate it",
    "PreferNoSchedule": "pods that do not tolerate it go elsewhere if possible",
    "NoExecute": "pods that do not tolerate it are evicted",
}


def node_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    addresses = (
        f"{as_text(each.get('type'))} {as_text(each.get('address'))}" for each in as_maps(status.get("addresses"))
    )
    ranges = as_texts(spec.get("podCIDRs")) or ([as_text(spec["podCIDR"])] if spec.get("podCIDR") else [])
    return (
        *make_section(
            "room", "Room",
            make_fact("Cordoned", "it takes no new pods" if spec.get("unschedulable") is True else None, tone="warn"),
            make_fact("Taints", *(_taint(each) for each in as_maps(spec.get("taints"))), tone="warn"),
            *_resource_facts(as_map(status.get("allocatable")), as_map(status.get("capacity"))),
        ),
        *make_section(
            "place", "Place",
            make_fact("Addresses", *addresses),
            make_fact("IPs of its pods", ", ".join(ranges) or None),
            make_fact("Provider's id", as_text(spec.get("providerID")) or None),
            make_fact(
                "Volumes attached", *(as_text(each.get("name")) for each in as_maps(status.get("volumesAttached")))
            ),
        ),
    )  # fmt: skip


def _taint(taint: Mapping[str, Any]) -> list[TextPiece]:
    meaning = _EFFECTS.get(as_text(taint.get("effect")))
    since = parse_timestamp(taint.get("timeAdded"))
    words = [TextPiece(taint_text(taint)), TextPiece(f": {meaning}" if meaning else "")]
    return [*words, TextPiece(", for "), age_piece(since)] if since is not None else words


def _resource_facts(allocatable: Mapping[str, Any], capacity: Mapping[str, Any]) -> Iterator[Fact | None]:
    """Resources that pods may use, and that the node has."""
    for name in sorted(allocatable.keys() | capacity.keys(), key=_order):
        room, all_of_it = as_text(allocatable.get(name)), as_text(capacity.get(name))
        words = f"{room or 'none'} for pods" + (f", of {all_of_it}" if all_of_it and all_of_it != room else "")
        yield make_fact(as_text(name), words, is_user_named=True)


def _order(name: Any) -> tuple[int, str]:
    first = ("cpu", "memory", "pods", "ephemeral-storage")
    return (first.index(name) if name in first else len(first), as_text(name))
