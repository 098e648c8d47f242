"""Health of an informer, which distinguishes "connected" from "up to date"."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

import msgspec

from informerd.clock import Clock
from informerd.errors import Unreadable
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

State = Literal["starting", "syncing", "live", "stale", "absent", "forbidden", "unreachable"]
"""starting: not tried yet · syncing: the first list is under way · live: listed and watching · stale: was listed, but
the watch is lost or silent, so the store is as of `since` · absent: the API server has no such resource (its objects
are gone from the store) · forbidden, unreachable: never listed yet, and why."""


UNREADABLE_NAMED = 20
"""Number of unreadable objects whose keys a Health has."""


class Health(msgspec.Struct, frozen=True, array_like=True):
    """An informer's condition at one moment. Times are Unix seconds."""

    state: State
    since: float
    """Since when `state` holds."""
    heard: float | None = None
    """The last word from the API server: event, bookmark, list answer or good probe, whichever is newest."""
    problem: str = ""
    """The failure, as a sentence; empty when live."""
    retry_at: float | None = None
    """When the next try is made."""
    last_event: float | None = None
    last_bookmark: float | None = None
    reconnects: int = 0
    """Watches begun after the first."""
    relists: int = 0
    """Lists begun after the first."""
    listed: int = 0
    """While syncing: objects received so far."""
    remaining: int | None = None
    """While syncing: how many the API server says are still to come, where it says so."""
    has_answer: bool = False
    """While stale: whether `problem` is an answer of the API server or a fault of ours, not its silence."""
    polled: float = 0.0
    """Seconds between two lists, of a kind that is polled because it cannot be watched; else 0."""
    unreadable: int = 0
    """Number of objects that exist and cannot be read, see `SharedInformer.unreadable`."""
    unreadable_objects: tuple[tuple[str, str], ...] = ()
    """Key and problem of the first UNREADABLE_NAMED of them."""
    namespaces: tuple[str, ...] = ()
    """Namespaces that are listed, where these are not all: see `informerd.cache.namespace_informers`."""
    forbidden_namespaces: tuple[str, ...] = ()
    """Namespaces that are to be listed, too, and may not be: nothing of them is in a store."""
    lost_namespaces: tuple[str, ...] = ()
    """Those of them that were listed before."""

    @property
    def is_by_namespace(self) -> bool:
        """Whether single namespaces are listed, not the whole cluster."""
        return bool(self.namespaces or self.forbidden_namespaces)

    def problem_of(self, key: str) -> str:
        """Why the object of that key cannot be read; empty where it can, is not known, or is not among the first."""
        return next((problem for each, problem in self.unreadable_objects if each == key), "")


def worst_health(every: Sequence[Health], worst_first: Sequence[State]) -> Health:
    """The health of several informers of one kind as one: the state and problem of the worst, and since when it is the
    worst. Its time of the last answer is the oldest one, its numbers are sums. Names of namespaces are left out.
    """
    states = {health.state for health in every}
    state = next(state for state in worst_first if state in states)
    of_worst = [health for health in every if health.state == state]
    earliest = min(of_worst, key=lambda health: health.since)
    return Health(
        state=state,
        since=max(health.since for health in every) if state == "live" else earliest.since,
        heard=_least(health.heard for health in every),
        problem=earliest.problem,
        retry_at=_least(health.retry_at for health in of_worst),
        last_event=max((health.last_event for health in every if health.last_event is not None), default=None),
        last_bookmark=_least(health.last_bookmark for health in every),
        reconnects=sum(health.reconnects for health in every),
        relists=sum(health.relists for health in every),
        listed=sum(health.listed for health in every),
        remaining=_remaining(every),
        has_answer=all(health.has_answer for health in of_worst),
        polled=max(health.polled for health in every),
        unreadable=sum(health.unreadable for health in every),
        unreadable_objects=tuple(each for health in every for each in health.unreadable_objects)[:UNREADABLE_NAMED],
    )


def _least(moments: Iterable[float | None]) -> float | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _remaining(every: Iterable[Health]) -> int | None:
    """How many are still to come in all; None where one of those that are being listed does not say."""
    listing = [health for health in every if health.state in ("starting", "syncing")]
    known = [health.remaining for health in listing if health.remaining is not None]
    return sum(known) if listing and len(known) == len(listing) else None


def not_synced_reason(health: Health) -> str:
    """Why an informer has not synced, such as "forbidden: …"."""
    if health.state == "syncing" and health.listed:
        return f"syncing, {health.listed} objects so far"
    return f"{health.state}: {health.problem}" if health.problem else health.state


class HealthMonitor:
    """Keeps an informer's Health up to date and notifies listeners when its state changes.

    The reflector writes, everybody may read. Listeners are called at each change of state, problem, time of the next
    try or number of unreadable objects, not at each sign of life; an exception of a listener is logged.
    """

    def __init__(self, clock: Clock, name: str = "") -> None:
        self._clock = clock
        self._name = name
        self._listeners: dict[object, Callable[[Health], None]] = {}
        self._state: State = "starting"
        self._since = clock.time()
        self._problem = ""
        self._retry_at: float | None = None
        self._heard: float | None = None
        self._last_event: float | None = None
        self._last_bookmark: float | None = None
        self.reconnects = 0
        self.relists = 0
        self.listed = 0
        self.remaining: int | None = None
        self._answered = False
        self._unreadable = 0
        self._unreadable_objects: tuple[tuple[str, str], ...] = ()
        self._repeats = LogThrottle(clock)
        self.failures = 0
        """Failed tries since it was live."""
        self.states_entered: Counter[str] = Counter()
        """Number of times that it entered each State."""

    @property
    def state(self) -> State:
        return self._state

    def snapshot(self) -> Health:
        """The condition right now."""
        return Health(
            state=self._state,
            since=self._since,
            heard=self._heard,
            problem=self._problem,
            retry_at=self._retry_at,
            last_event=self._last_event,
            last_bookmark=self._last_bookmark,
            reconnects=self.reconnects,
            relists=self.relists,
            listed=self.listed,
            remaining=self.remaining,
            has_answer=self._answered,
            unreadable=self._unreadable,
            unreadable_objects=self._unreadable_objects,
        )

    def subscribe(self, listener: Callable[[Health], None]) -> Callable[[], None]:
        """Call `listener` at each change from now on; returns a function that ends this and may be called again."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def set_state(
        self, state: State, problem: str = "", retry_at: float | None = None, *, has_answer: bool = False
    ) -> None:
        """Set the state; `since` moves only when it is another one."""
        if (state, problem, retry_at, has_answer) == (self._state, self._problem, self._retry_at, self._answered):
            return
        if state != self._state:
            self._say(state, problem, retry_at)
            self.states_entered[state] += 1
            self._state, self._since = state, self._clock.time()
        self._problem, self._retry_at, self._answered = problem, retry_at, has_answer
        self._tell()

    def set_unreadable(self, unreadable: Mapping[str, Unreadable]) -> None:
        """Set which objects cannot be read."""
        named = tuple((key, each.problem) for key, each in islice(unreadable.items(), UNREADABLE_NAMED))
        if (len(unreadable), named) != (self._unreadable, self._unreadable_objects):
            self._unreadable, self._unreadable_objects = len(unreadable), named
            self._tell()

    def _tell(self) -> None:
        health = self.snapshot()
        for listener in [*self._listeners.values()]:
            try:
                listener(health)
            except Exception as error:
                if number := self._repeats.count(type(error).__name__):
                    fields = {"resource": self._name, "failures": number}
                    log.exception("a health listener failed%s", repeat_suffix(number), extra=fields)

    def _say(self, state: State, problem: str, retry_at: float | None) -> None:
        """Log a change of state in one line; as a warning where a person may have to act."""
        failures, self.failures = self.failures, 0 if state == "live" else self.failures
        after = (
            f" after {failures} failed {'try' if failures == 1 else 'tries'}" if state == "live" and failures else ""
        )
        log.log(
            logging.WARNING if problem else logging.INFO,
            "%s: %s → %s%s",
            self._name,
            self._state,
            state,
            f": {problem}" if problem else after,
            extra={
                "resource": self._name,
                "previous_state": self._state,
                "state": state,
                "problem": problem,
                "retry_at": retry_at,
                "failures": failures,
            },
        )

    def record_contact(self) -> None:
        """The API server answered something."""
        self._heard = self._clock.time()

    def record_event(self) -> None:
        """An event came."""
        self._heard = self._last_event = self._clock.time()

    def record_bookmark(self) -> None:
        """A bookmark came."""
        self._heard = self._last_bookmark = self._clock.time()
