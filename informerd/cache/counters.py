"""Counters of an informer: plain numbers, added to once a batch, which `informerd.metrics` reads.

Only the event loop writes them. A reader in another thread may see a moment between two additions, never half of one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple, Protocol

ListMethod = Literal["stream", "pages"]
"""stream: a streaming list (sendInitialEvents) · pages: LIST, in one page or several."""

LIST_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
WATCH_SECONDS = (0.1, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 450.0, 600.0)


class Distribution:
    """Histogram: a count for each range of numbers. `bounds` are the ranges' upper ends, rising."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """One for each range and one for higher numbers."""
        self.sum = 0.0

    def add(self, number: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, number)] += 1
        self.sum += number


class ReflectorCounters:
    """Lists and watches by outcome, see `list_watch_outcome`. A watch is counted when it has ended or could not begin.

    A streaming list is a list until its objects are in the store, and its stream a watch from then on.
    """

    def __init__(self) -> None:
        self.lists: Counter[tuple[ListMethod, str]] = Counter()
        self.watches: Counter[str] = Counter()
        self.list_seconds: dict[ListMethod, Distribution] = {
            "stream": Distribution(LIST_SECONDS),
            "pages": Distribution(LIST_SECONDS),
        }
        """Of lists that came whole."""
        self.watch_seconds = Distribution(WATCH_SECONDS)
        """Of watches that began, whatever their end."""

    def count_list(self, method: ListMethod, outcome: str, seconds: float) -> None:
        """Count a list."""
        self.lists[method, outcome] += 1
        if outcome == "ok":
            self.list_seconds[method].add(seconds)

    def count_watch(self, outcome: str, seconds: float) -> None:
        """Count a watch that had begun."""
        self.watches[outcome] += 1
        self.watch_seconds.add(seconds)

    def count_failed_watch(self, outcome: str, _seconds: float) -> None:
        """Count a watch that could not begin."""
        self.watches[outcome] += 1


MAX_HANDLER_NAMES = 50
"""Distinct handler names in one informer, the first that came; the rest are OTHER."""

OTHER_HANDLERS = "(other)"


class HandlerTotals(NamedTuple):
    """Totals of the handlers of one name, see `listener.Listener`."""

    enqueued_count: int = 0
    failures: int = 0
    overflows: int = 0


class CountedListener(Protocol):
    """A listener, as far as it is counted."""

    name: str
    enqueued_count: int
    overflows: int

    @property
    def failures(self) -> int: ...


class HandlerCounters:
    """Handlers' numbers by name. They never fall: what a handler counted stays when it is removed."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._counted: tuple[Mapping[str, HandlerTotals], tuple[CountedListener, ...]] = ({}, ())
        """Ended handlers by name, and the present ones: replaced in one step, for readers in other threads."""

    def label(self, name: str) -> str:
        """The name under which a handler is shown."""
        return name if name in self._names else OTHER_HANDLERS

    def add(self, listener: CountedListener) -> None:
        """Include the numbers of `listener` from now on."""
        if len(self._names) < MAX_HANDLER_NAMES:
            self._names[listener.name] = None
        past, present = self._counted
        self._counted = past, (*present, listener)

    def retain(self, listeners: Collection[CountedListener]) -> None:
        """Keep reading these listeners only; the last numbers of the others stay in the totals."""
        past, present = self._counted
        past = self._with(past, [each for each in present if each not in listeners])
        self._counted = past, tuple(each for each in present if each in listeners)

    def by_name(self) -> Mapping[str, HandlerTotals]:
        """All that was counted so far."""
        return self._with(*self._counted)

    def _with(
        self, past: Mapping[str, HandlerTotals], listeners: Iterable[CountedListener]
    ) -> Mapping[str, HandlerTotals]:
        counts = dict(past)
        for each in listeners:
            label = self.label(each.name)
            given, failures, overflows = counts.get(label, HandlerTotals())
            counts[label] = HandlerTotals(
                given + each.enqueued_count, failures + each.failures, overflows + each.overflows
            )
        return counts


class InformerCounters:
    """Counters of one informer: deltas by their effect on the store, changes by lists, and its parts' counters."""

    def __init__(
        self, reflector: ReflectorCounters, faults: Mapping[str, int], states_entered: Mapping[str, int]
    ) -> None:
        self.reflector = reflector
        self.handlers = HandlerCounters()
        self.faults = faults
        """Objects that could not be decoded as they came, see `decode_errors.DecodeErrorKind`."""
        self.states_entered = states_entered
        self.added = self.updated = self.deleted = 0
        """Changes from watches, as the store saw them."""
        self.ignored = 0
        """Deletions of objects that were not in the store."""
        self.lists = self.resyncs = self.bookmarks = 0
        """ReplacedAll, SyncAll and Bookmark."""
        self.listed_new = self.listed_known = self.listed_gone = 0
        """Objects that a list had and the store had not, that both had, and that only the store had."""
        self.restarts = 0
        """Faults of the informer's own, after each of which it lists again."""

    def count_changes(self, received: int, applied: int, removed: int, growth: int) -> None:
        """Count a batch of changes.

        Of the `received`, `applied` changed the store and `removed` of these took an object out; it has grown by
        `growth`.
        """
        added = growth + removed
        self.added += added
        self.updated += applied - added - removed
        self.deleted += removed
        self.ignored += received - applied

    def count_replacement(self, before: int, listed: int, gone: int) -> None:
        """Count a list of `listed` objects. There were `before` in the store, and `gone` of them are not in it."""
        known = before - gone
        self.lists += 1
        self.listed_known += known
        self.listed_new += listed - known
        self.listed_gone += gone
