"""What the machinery counts: plain numbers, added to once a batch and read by whoever wants them (`metrics`).

Written by the event loop only. A reader in another thread may see a moment between two additions, never half of one.
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
    """How often a number fell into which range: a histogram. `bounds` are the ranges' upper ends, rising."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """One for each range and one for what lies beyond."""
        self.sum = 0.0

    def add(self, number: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, number)] += 1
        self.sum += number


class ReflectorCounters:
    """Lists and watches by outcome, see `outcome.outcome_of`. A watch is counted when it has ended or could not begin.

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

    def listed(self, method: ListMethod, outcome: str, seconds: float) -> None:
        """Count a list."""
        self.lists[method, outcome] += 1
        if outcome == "ok":
            self.list_seconds[method].add(seconds)

    def watched(self, outcome: str, seconds: float) -> None:
        """Count a watch that had begun."""
        self.watches[outcome] += 1
        self.watch_seconds.add(seconds)

    def not_watched(self, outcome: str, _seconds: float) -> None:
        """Count a watch that could not begin."""
        self.watches[outcome] += 1


HANDLERS = 50
"""Names of handlers that are told apart in one informer, the first that came; the rest are OTHER."""

OTHER = "(other)"


class Handled(NamedTuple):
    """What handlers of one name were given and made of it, see `listener.Listener`."""

    given: int = 0
    failures: int = 0
    overflows: int = 0


class CountsHandled(Protocol):
    """A listener, as far as it is counted."""

    name: str
    given: int
    overflows: int

    @property
    def failures(self) -> int: ...


class HandlerCounters:
    """Handlers' numbers by name. They never fall: what a handler counted stays when it is removed."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._counted: tuple[Mapping[str, Handled], tuple[CountsHandled, ...]] = ({}, ())
        """Those that count no more, by name, and those that do: replaced at one go, for readers in other threads."""

    def label(self, name: str) -> str:
        """The name under which a handler is shown."""
        return name if name in self._names else OTHER

    def add(self, listener: CountsHandled) -> None:
        """Count what it counts from now on."""
        if len(self._names) < HANDLERS:
            self._names[listener.name] = None
        past, present = self._counted
        self._counted = past, (*present, listener)

    def keep(self, listeners: Collection[CountsHandled]) -> None:
        """Only these count on; of the others the numbers stay."""
        past, present = self._counted
        past = self._with(past, [each for each in present if each not in listeners])
        self._counted = past, tuple(each for each in present if each in listeners)

    def by_name(self) -> Mapping[str, Handled]:
        """All that was counted so far."""
        return self._with(*self._counted)

    def _with(self, past: Mapping[str, Handled], listeners: Iterable[CountsHandled]) -> Mapping[str, Handled]:
        found = dict(past)
        for each in listeners:
            label = self.label(each.name)
            given, failures, overflows = found.get(label, Handled())
            found[label] = Handled(given + each.given, failures + each.failures, overflows + each.overflows)
        return found


class InformerCounters:
    """One informer's: deltas by what they were to the store, what lists changed in it, and what others counted."""

    def __init__(
        self, reflector: ReflectorCounters, faults: Mapping[str, int], states_entered: Mapping[str, int]
    ) -> None:
        self.reflector = reflector
        self.handlers = HandlerCounters()
        self.faults = faults
        """Objects that could not be taken as they came, see `faults.Fault`."""
        self.states_entered = states_entered
        self.added = self.updated = self.deleted = 0
        """Changes from watches, as the store saw them."""
        self.ignored = 0
        """Deletions of what was not in the store."""
        self.lists = self.resyncs = self.bookmarks = 0
        """ReplacedAll, SyncAll and Bookmark."""
        self.listed_new = self.listed_known = self.listed_gone = 0
        """Objects that a list had and the store had not, that both had, and that only the store had."""
        self.restarts = 0
        """Faults of the informer's own, after each of which it lists anew."""

    def changed(self, received: int, told: int, removed: int, grown: int) -> None:
        """Count a batch of changes.

        Of the `received`, `told` changed the store and `removed` of these took an object out; it has grown by `grown`.
        """
        added = grown + removed
        self.added += added
        self.updated += told - added - removed
        self.deleted += removed
        self.ignored += received - told

    def replaced(self, before: int, listed: int, gone: int) -> None:
        """Count a list of `listed` objects. There were `before` in the store, and `gone` of them are not in it."""
        known = before - gone
        self.lists += 1
        self.listed_known += known
        self.listed_new += listed - known
        self.listed_gone += gone
