"""What a replica tells those who listen to it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from dashboard.live.messages import Entry
from dashboard.live.ownership import owner_uids
from dashboard.live.pull import RowChange
from dashboard.live.telling import Untold

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """What happened to a replica at one moment, all of it already visible in the replica."""

    rows: list[RowChange] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    """New feed lines, oldest first."""
    missed: int = 0
    """Feed lines before those that nobody can be told of any more: too many came while nothing was heard."""
    untold: Untold | None = None
    """From when to when no worker told what changed; rows have it all the same."""
    reset: bool = False
    """The first snapshot is here to its end. `rows` has what was not told before: of a large one all came in steps."""
    reshaped: bool = False
    """Rows have other columns from here on: what was made of columns before is to be made anew."""
    state: bool = False
    """`state` or the informer's health (beyond when it was last heard) changed."""
    unserved: bool = False
    """`rows` went with their kind, which is served no more: whether the objects were deleted nobody can tell."""

    @cached_property
    def touched(self) -> frozenset[str]:
        """The uids of the objects that changed, and of their owners before and after, as rows name them."""
        both = [row for pair in self.rows for row in pair if row is not None]
        return frozenset([row.uid for row in both] + [uid for row in both for uid in owner_uids(row)])


Listener = Callable[[Change], None]


class Listeners:
    """Of one replica. One that fails is logged, and keeps nothing from the others."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change; the result, called, ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                logger.exception("a view of %s failed to take in a change", self._key)
