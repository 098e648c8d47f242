"""A run while a process runs it."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from dashboard.bulk.order import Order
from dashboard.bulk.records import Beat, blocks_of
from dashboard.bulk.run import Group, Item, State, counted
from dashboard.bulk.work import unsure
from dashboard.drafts.draft import Whose
from informerd.resource import Resource

TRIES = 5
"""Times that an object is tried that is not answered, or for which the API server has no time."""


@dataclass
class Groups:
    """The differences that were found, each once."""

    found: list[Group] = field(default_factory=list)
    places: dict[Group, int] = field(default_factory=dict)
    grew: bool = False

    def place(self, group: Group) -> int:
        if group not in self.places:
            self.places[group] = len(self.found)
            self.found.append(group)
            self.grew = True
        return self.places[group]


@dataclass
class Taken:
    """A run while this process runs it."""

    key: str
    resource: Resource
    order: Order
    state: State
    items: list[Item]
    groups: Groups
    whose: Whose
    heard: str = ""
    words: str = ""
    rate: float = 0.0
    until: float = 0.0
    """Time of the clock until which the API server asks to wait; 0: go on."""
    touched: set[int] = field(default_factory=set)
    """Places of the objects that changed since the last beat."""
    tries: dict[int, int] = field(default_factory=dict)

    @property
    def what(self) -> str:
        return f"{len(self.items)} {self.resource.key}"

    def places_left(self) -> list[int]:
        wanted = "waiting" if self.state == "trying" else "tried"
        return [place for place, item in enumerate(self.items) if item.state == wanted]

    def put(self, place: int, item: Item, group: Group | None = None) -> None:
        if group is not None:
            item = msgspec.structs.replace(item, group=self.groups.place(group))
        self.items[place] = item
        self.touched.add(place)

    def tried_often(self, place: int) -> bool:
        self.tries[place] = self.tries.get(place, 0) + 1
        return self.tries[place] >= TRIES

    def beat(self, now: float) -> Beat:
        """Groups are kept once all are known: a process that goes on with dry runs begins them anew."""
        blocks = blocks_of(self.items, self.touched)
        groups = tuple(self.groups.found) if self.state == "review" else None
        return Beat(self.state, self.heard, self.words, self.rate, counted(self.items), blocks, groups, now)

    def cancelled(self) -> State:
        """Where it goes from here: something else may be chosen as long as nothing was written.

        What was sent and not answered is not said to be as it was.
        """
        if self.state == "running":
            for place, item in enumerate(self.items):
                if item.sent and item.state == "tried":
                    self.put(place, unsure(item))
            return "cancelled"
        return "done" if any(item.state == "done" for item in self.items) else "choosing"
