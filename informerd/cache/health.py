"""How fresh an informer is: the difference between "connected" and "up to date"."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Literal

import msgspec

from informerd.clock import Clock
from informerd.repeats import Repeats, nth

log = logging.getLogger(__name__)

State = Literal["starting", "syncing", "live", "stale", "absent", "forbidden", "unreachable"]
"""starting: not tried yet · syncing: the first list is under way · live: listed and watching · stale: was listed, but
the watch is lost or silent, so the store is as of `since` · absent: the API server has no such resource (its objects
are gone from the store) · forbidden, unreachable: never listed yet, and why."""


class Health(msgspec.Struct, frozen=True, array_like=True):
    """An informer's condition at one moment. Times are Unix seconds."""

    state: State
    since: float
    """Since when `state` holds."""
    heard: float | None = None
    """The last word from the API server: event, bookmark, list answer or good probe, whichever is newest."""
    problem: str = ""
    """What failed, as a sentence; empty when live."""
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
    answered: bool = False
    """While stale: whether `problem` is what the API server answered, or a fault of ours, and not that it is silent."""
    polled: float = 0.0
    """Seconds between two lists, of a kind that is listed anew each time because it cannot be watched; else 0."""


class HealthMonitor:
    """Keeps an informer's Health up to date and tells listeners when its state changes.

    The reflector writes, everybody may read. Listeners are called at each change of state, problem or time of the next
    try, not at each word heard; one that raises is logged.
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
        self._repeats = Repeats(clock)
        self.failures = 0
        """Failed tries since it was live."""
        self.entered: Counter[str] = Counter()
        """How often it came into which State."""

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
            answered=self._answered,
        )

    def subscribe(self, listener: Callable[[Health], None]) -> Callable[[], None]:
        """Call `listener` at each change from now on; the answer ends that, and may be called again."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def become(self, state: State, problem: str = "", retry_at: float | None = None, *, answered: bool = False) -> None:
        """Set the state; `since` moves only when it is another one."""
        if (state, problem, retry_at, answered) == (self._state, self._problem, self._retry_at, self._answered):
            return
        if state != self._state:
            self._say(state, problem, retry_at)
            self.entered[state] += 1
            self._state, self._since = state, self._clock.time()
        self._problem, self._retry_at, self._answered = problem, retry_at, answered
        health = self.snapshot()
        for listener in [*self._listeners.values()]:
            try:
                listener(health)
            except Exception as error:
                if number := self._repeats.count(type(error).__name__):
                    fields = {"resource": self._name, "failures": number}
                    log.exception("a health listener failed%s", nth(number), extra=fields)

    def _say(self, state: State, problem: str, retry_at: float | None) -> None:
        """The one line that a change of state is worth; a warning where somebody may have to look at it."""
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

    def heard(self) -> None:
        """The API server answered something."""
        self._heard = self._clock.time()

    def heard_event(self) -> None:
        """An event came."""
        self._heard = self._last_event = self._clock.time()

    def heard_bookmark(self) -> None:
        """A bookmark came."""
        self._heard = self._last_bookmark = self._clock.time()
