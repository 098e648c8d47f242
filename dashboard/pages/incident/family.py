"""Family of an object: what owns it, what it owns, and the nodes that its pods run on; with what it had before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.live.hub.hub import Hub
from dashboard.objects.fields.unstructured import as_map, as_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.details.owner_graph import OwnerGraph
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import run_at_once

MAX_MEMBERS = 300
"""Most objects of a family; the page says where there are more."""
PODS, NODES = "pods", "nodes"
Place = tuple[str, str, str]
"""Key of a kind, namespace and name."""


@dataclass(frozen=True, slots=True)
class Member:
    """One object of a family."""

    kind: KindInfo
    row: Row

    @property
    def place(self) -> Place:
        return self.kind.key, self.row.namespace, self.row.name

    @property
    def href(self) -> str:
        return object_href(*self.place)


class Family:
    """The members that are there, itself first. A place may be known without a row: what is gone was one of them."""

    def __init__(self, hub: Hub, kind: KindInfo, namespace: str, name: str) -> None:
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.row = hub.hub_kinds.replica(kind.key).get(namespace, name)
        self.is_cut = False
        self.members = [*self._find(hub)]
        self.places: set[Place] = {(kind.key, namespace, name), *(member.place for member in self.members)}
        self._by_kind_name = {each.resource.kind.lower(): each for each, _ in hub.hub_kinds.with_replicas()}
        self._owners = {
            (member.row.namespace, f"{member.kind.resource.kind}/{member.row.name}") for member in self.members
        }

    @property
    def keys(self) -> tuple[str, ...]:
        """The kinds of all members."""
        return tuple(dict.fromkeys(key for key, _, _ in self.places))

    @property
    def pods(self) -> list[Member]:
        return [member for member in self.members if member.kind.key == PODS]

    def has(self, key: str, entry: Entry) -> bool:
        """Whether a line of the feed is about a member, or about what one of them owned."""
        if (key, entry.namespace, entry.name) in self.places:
            return True
        return bool(entry.owner) and (entry.namespace, entry.owner) in self._owners

    def place_of(self, about: EventSubject | None) -> Place | None:
        """The member that an Event is about; None where that is none."""
        kind = self._by_kind_name.get(about.kind.lower()) if about is not None else None
        if about is None or kind is None or kind.resource.group != about.group:
            return None
        place = kind.key, about.namespace if kind.namespaced else "", about.name
        return place if place in self.places else None

    def _find(self, hub: Hub) -> Iterable[Member]:
        if self.row is None:
            return
        yield Member(self.kind, self.row)
        graph = OwnerGraph(hub.hub_kinds.with_replicas, run_at_once)
        graph.follow(self.kind, self.row)
        found = [Member(*each) for each in (*graph.ancestors, *graph.descendants) if each[1].uid != self.row.uid]
        self.is_cut = len(found) > MAX_MEMBERS
        found = found[:MAX_MEMBERS]
        yield from found
        yield from self._nodes(hub, [Member(self.kind, self.row), *found])

    @staticmethod
    def _nodes(hub: Hub, members: list[Member]) -> Iterable[Member]:
        """The nodes of the pods."""
        nodes = next((each for each in hub.hub_kinds.with_replicas() if each[0].key == NODES), None)
        if nodes is None:
            return
        objects = (whole_object(member.row) or {} for member in members if member.kind.key == PODS)
        names = dict.fromkeys(as_text(as_map(obj.get("spec")).get("nodeName")) for obj in objects)
        for name in filter(None, names):
            if (row := nodes[1].get("", name)) is not None:
                yield Member(nodes[0], row)
