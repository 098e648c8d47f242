"""Bulk run in memory, while this process runs it."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from dashboard.access.identity import Identity
from dashboard.access.person import Person
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import ChangeGroup, Item, RunState, count_by_state, mark_unconfirmed
from dashboard.pages.bulk.store import Checkpoint, blocks_of
from informerd.resource import Resource

MAX_TRIES = 5
"""Most tries of an object without an answer, or for which the API server has no time."""


@dataclass
class GroupRegister:
    """The different changes of a run, each once."""

    groups: list[ChangeGroup] = field(default_factory=list)
    positions: dict[ChangeGroup, int] = field(default_factory=dict)
    has_grown: bool = False

    def position_of(self, group: ChangeGroup) -> int:
        """Index of the group, which is added where it is new."""
        if group not in self.positions:
            self.positions[group] = len(self.groups)
            self.groups.append(group)
            self.has_grown = True
        return self.positions[group]


@dataclass
class ActiveRun:
    """A run that this process runs."""

    key: str
    resource: Resource
    order: BulkOperation
    state: RunState
    items: list[Item]
    groups: GroupRegister
    identity: Identity
    person: Person
    acknowledged_wish: str = ""
    words: str = ""
    rate: float = 0.0
    resume_at: float = 0.0
    """Time of the clock until which the API server asks to wait; 0: no wait."""
    dirty_positions: set[int] = field(default_factory=set)
    """Indexes of the objects that changed since the last checkpoint."""
    attempts: dict[int, int] = field(default_factory=dict)

    @property
    def description(self) -> str:
        return f"{len(self.items)} {self.resource.key}"

    def positions_left(self) -> list[int]:
        wanted = "waiting" if self.state == "trying" else "tried"
        return [place for place, item in enumerate(self.items) if item.state == wanted]

    def set_item(self, position: int, item: Item, group: ChangeGroup | None = None) -> None:
        if group is not None:
            item = msgspec.structs.replace(item, group=self.groups.position_of(group))
        self.items[position] = item
        self.dirty_positions.add(position)

    def count_try(self, position: int) -> bool:
        """Count a try without an answer; returns whether the object has no tries left."""
        self.attempts[position] = self.attempts.get(position, 0) + 1
        return self.attempts[position] >= MAX_TRIES

    def checkpoint(self, now: float) -> Checkpoint:
        """The state to store. Groups are stored once all are known: a process that continues the dry runs starts them
        again.
        """
        blocks = blocks_of(self.items, self.dirty_positions)
        groups = tuple(self.groups.groups) if self.state == "review" else None
        return Checkpoint(
            self.state, self.acknowledged_wish, self.words, self.rate, count_by_state(self.items), blocks, groups, now
        )

    def cancel(self) -> RunState:
        """Cancel the phase: the operation can be chosen again as long as nothing was written.

        An object whose write was sent without an answer does not count as unchanged.
        """
        if self.state == "running":
            for place, item in enumerate(self.items):
                if item.is_unconfirmed and item.state == "tried":
                    self.set_item(place, mark_unconfirmed(item))
            return "cancelled"
        return "done" if any(item.state == "done" for item in self.items) else "choosing"
