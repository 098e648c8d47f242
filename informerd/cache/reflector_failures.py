"""Recovery between a failure and the next try: log the problem, notify listeners, wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from informerd.cache.api_server_probe import CONNECT_INTERVAL
from informerd.cache.backoff import Backoff
from informerd.cache.health import HealthMonitor, State
from informerd.clock import Clock, sleep_or
from informerd.errors import (
    ApiError,
    CredentialsError,
    Forbidden,
    InformerdError,
    NotConnected,
    NotFound,
    Unauthorized,
    Unreachable,
)
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

CREDENTIALS_REFUSED = "the API server does not accept the credentials"
"""Beginning of the problem text where the API server answered 401."""

MAX_RETRY_AFTER = 600.0
"""Maximum of a Retry-After, in seconds: longer than any watch lasts."""

WatchErrorHandler = Callable[[Exception], None]
"""Called for failures of a list, of a watch and of a watch's start, before the wait for the next try."""


class Recovery:
    """Handles one reflector's failures. `has_list`: the store holds a list, which a failure makes stale.

    `on_unreachable` is called where the API server could not be reached, so that the probe finds out when it can be
    reached again; None where there is no probe.
    """

    def __init__(
        self,
        name: str,
        *,
        clock: Clock,
        monitor: HealthMonitor,
        backoff: Backoff,
        on_unreachable: Callable[[], None] | None = None,
    ) -> None:
        self.on_error: WatchErrorHandler | None = None
        self.has_list = False
        self._name = name
        self._clock = clock
        self._monitor = monitor
        self._backoff = backoff
        self._connect_backoff = Backoff(clock, reset=0.0)  # apart: what was not sent asked nothing of the API server
        self._on_unreachable = on_unreachable
        self._wake = asyncio.Event()
        self._server_silent = False
        self._server_returns = False  # it answers again after a silence, and has not said yet that it is well
        self._is_told_when = False  # the API server said how long to wait
        self._unreached = False  # what is waited for is that the API server can be reached
        self._woken = False  # a good probe has ended such a wait, and nothing has worked since
        self._repeats = LogThrottle(clock)
        self._kind = ""  # of the failure that was said last, empty where the next one goes without saying

    async def pause(self, error: Exception, *, at_most: float = float("inf")) -> None:
        """Report `error` and wait: by the backoff or `at_most` seconds; longer where the API server asks for it, up to
        MAX_RETRY_AFTER. Where no connection could be made the backoff does not grow.

        An answered probe ends the wait at once: each time where a probe had failed before, and the first good one after
        that where the API server did not say how long to wait; else once until a watch has begun, because some API
        servers answer probes and nothing else.
        """
        self._report(error)
        delay = min(self._delay_after(error), at_most)
        self._is_told_when = isinstance(error, ApiError) and bool(error.retry_after)
        if isinstance(error, ApiError) and error.retry_after is not None:
            delay = max(delay, min(error.retry_after, MAX_RETRY_AFTER))
        problem = self._sentence(error)
        self._monitor.failures += 1
        self._say_another(error, problem)
        answered = isinstance(error, CredentialsError) or not isinstance(error, Unreachable)
        self._monitor.set_state(self._state_after(error), problem, self._clock.time() + delay, has_answer=answered)
        self._wake.clear()
        if isinstance(error, Unreachable):
            self._unreached = True
            if self._on_unreachable is not None:
                self._on_unreachable()
        await sleep_or(self._wake, delay, self._clock)
        self._unreached = False

    def declare_stale(self, problem: str, *, has_answer: bool = False, retry_at: float | None = None) -> None:
        """Note that the watch is lost; `problem` is why, `has_answer` as in `Health`, `retry_at` in Unix seconds."""
        self._kind = ""
        self._monitor.set_state(self._state_after(None), problem, retry_at, has_answer=has_answer)

    def record_success(self) -> None:
        """Note that a watch has begun; two minutes of watching start the backoff over."""
        self._woken = False
        self._backoff.record_success()
        self._connect_backoff.record_success()

    def probe_answered(self, *, is_healthy: bool) -> None:
        """The API server answered a probe, which may end a wait; only a healthy answer counts as contact."""
        if is_healthy:
            self._monitor.record_contact()
        returned = is_healthy and self._server_returns and not self._is_told_when
        if self._server_silent or returned or (is_healthy and self._unreached and not self._woken):
            self._woken = True
            self._wake.set()
        self._server_returns = not is_healthy and (self._server_silent or self._server_returns)
        self._server_silent = False

    def probe_failed(self) -> None:
        """The API server does not answer."""
        self._server_silent = True

    def _delay_after(self, error: Exception) -> float:
        if not isinstance(error, NotConnected):
            return self._backoff.next()
        return CONNECT_INTERVAL if self._on_unreachable is None else self._connect_backoff.next()

    def _sentence(self, error: Exception) -> str:
        if isinstance(error, NotFound):
            return f"the API server has no {self._name}"
        return f"{CREDENTIALS_REFUSED}: {error}" if isinstance(error, Unauthorized) else str(error)

    def _state_after(self, error: Exception | None) -> State:
        if isinstance(error, NotFound):
            return "absent"
        if self.has_list:
            return "stale"
        return "forbidden" if isinstance(error, (Forbidden, Unauthorized)) else "unreachable"

    def _say_another(self, error: Exception, problem: str) -> None:
        """Log a problem of another kind than the last one, where the state stays the same and is not logged."""
        state = self._state_after(error)
        kind = "Unreachable" if isinstance(error, NotConnected) else type(error).__name__
        another = state == self._monitor.state and self._kind not in ("", kind)
        self._kind = kind
        if another and (number := self._repeats.count(kind)):
            fields = {"resource": self._name, "state": state, "problem": problem, "failures": self._monitor.failures}
            log.warning("%s: still %s: %s%s", self._name, state, problem, repeat_suffix(number), extra=fields)

    def _report(self, error: Exception) -> None:
        if not isinstance(error, InformerdError):
            self._log_fault("unexpected failure", error)
        if self.on_error is not None:
            try:
                self.on_error(error)
            except Exception as fault:  # noqa: BLE001 - a watch-error handler that raises ends no reflector
                self._log_fault("the watch-error handler failed", fault)

    def _log_fault(self, what: str, error: Exception) -> None:
        if number := self._repeats.count(f"{what} {type(error).__name__}"):
            fields = {"resource": self._name, "failures": number}
            log.error("%s: %s%s", self._name, what, repeat_suffix(number), exc_info=error, extra=fields)
