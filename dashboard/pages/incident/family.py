"""Family of an object: its owners, what it owns, and the nodes of its pods; also those that are gone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for
from dashboard.pages.details.owner_graph import OwnerGraph
from dashboard.runtime.time_slicing import SlicedWork

MAX_MEMBERS = 300
"""Most objects of a family; the page says where there are more."""
PODS, NODES = "pods", "nodes"
OWNED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "deployments.apps": ("replicasets.apps", PODS),
        "cronjobs.batch": ("jobs.batch", PODS),
        **dict.fromkeys(
            ("statefulsets.apps", "daemonsets.apps", "replicasets.apps", "jobs.batch", "replicationcontrollers"),
            (PODS,),
        ),
    }
)
"""Kinds of what objects of a kind own, whether such objects are there or not."""
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


class Family:
    """The members that are there, itself first. A place may be known without a row: what is gone was one of them."""

    def __init__(
        self, hub: Hub, kind: KindInfo, namespace: str, name: str, members: Sequence[Member], total: int
    ) -> None:
        """`members` are those that `find_family` found, of `total`."""
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.members = [*members]
        self.place: Place = kind.key, namespace, name
        self.row = members[0].row if members else None
        self.is_cut = total > MAX_MEMBERS
        self.places: set[Place] = {self.place, *(member.place for member in self.members)}
        followed = [each for each, _ in hub.hub_kinds.with_replicas()]
        self._by_kind_name = {(each.resource.kind.lower(), each.resource.group): each for each in followed}
        self._by_key = {each.key: each for each in (*followed, *(member.kind for member in members), kind)}
        self._owners = {
            (member.row.namespace, member.kind.resource.group, f"{member.kind.resource.kind}/{member.row.name}")
            for member in self.members
        } | {(namespace, kind.resource.group, f"{kind.resource.kind}/{name}")}

    @property
    def keys(self) -> tuple[str, ...]:
        """The kinds of all members, and of what the object may have owned."""
        owned = (key for key in OWNED.get(self.kind.key, ()) if key in self._by_key)
        return tuple(dict.fromkeys((*(key for key, _, _ in self.places), *owned)))

    @property
    def pods(self) -> list[Member]:
        return [member for member in self.members if member.kind.key == PODS]

    def kind_of(self, key: str) -> KindInfo:
        """The kind of a member. Raises KeyError for another one that is not followed."""
        return self._by_key[key]

    def has(self, key: str, entry: Entry) -> bool:
        """Whether a line of the feed is about a member, or about what one of them owned."""
        if (key, entry.namespace, entry.name) in self.places:
            return True
        return bool(entry.owner) and (entry.namespace, entry.owner_group, entry.owner) in self._owners

    def kind_named(self, kind: str, group: str) -> KindInfo | None:
        """The followed kind of this Kind and API group."""
        return self._by_kind_name.get((kind.lower(), group))

    def place_of(self, about: EventSubject | None) -> Place | None:
        """The member that an Event is about; None where that is none."""
        kind = self._by_kind_name.get((about.kind.lower(), about.group)) if about is not None else None
        if about is None or kind is None:
            return None
        place = kind.key, about.namespace if kind.namespaced else "", about.name
        return place if place in self.places else None


async def find_family(hub: Hub, kind: KindInfo, namespace: str, name: str) -> Family:
    """The family of an object, found in steps between which other work gets its turns."""
    row = hub.hub_kinds.replica(kind.key).get(namespace, name)
    if row is None:
        return Family(hub, kind, namespace, name, (), 0)
    searches: list[SlicedWork] = []
    graph = OwnerGraph(hub.hub_kinds.with_replicas, searches.append)
    graph.follow(kind, row)
    while searches:
        for _ in searches.pop():
            await asyncio.sleep(0)
    me = Member(kind, row)
    relatives = [Member(*each) for each in (*graph.ancestors, *graph.descendants) if each[1].uid != row.uid]
    near = [me, *relatives[: MAX_MEMBERS - 1]]
    return Family(hub, kind, namespace, name, [*near, *_nodes(hub, near)], len(relatives) + 1)


def _nodes(hub: Hub, members: Iterable[Member]) -> Iterator[Member]:
    """The nodes of the pods."""
    nodes = next((each for each in hub.hub_kinds.with_replicas() if each[0].key == NODES), None)
    if nodes is None:
        return
    column = next(index for index, each in enumerate(columns_for(PODS)) if each.id == "node")
    cells = (member.row.cells[column : column + 1] for member in members if member.kind.key == PODS)
    for name in dict.fromkeys(cell[0] for cell in cells if cell):
        if isinstance(name, str) and (row := nodes[1].get("", name)) is not None:
            yield Member(nodes[0], row)
