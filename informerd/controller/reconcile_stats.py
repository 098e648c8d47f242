"""Log of reconciles: the ones in progress, their durations, and the failures."""

from __future__ import annotations

from collections import OrderedDict, deque
from math import ceil

from informerd.clock import Clock
from informerd.controller.counters import Outcome, ReconcileCounters
from informerd.controller.request import Request
from informerd.controller.state import FailedKey, StuckKey

MAX_DURATIONS = 1000
"""Reconciles of which p50 and p99 are made."""

MAX_FAILED = 50
"""Failed requests that are remembered, the last ones."""

MAX_ERROR_LENGTH = 500
"""Characters of an error that are remembered."""


class ReconcileStats:
    """One controller's. Grows with the requests that are at work, and by a number for each that failed last time."""

    def __init__(self, clock: Clock) -> None:
        self.counters = ReconcileCounters()
        self.started_at: dict[Request, float] = {}
        """Since when (the clock's seconds) each request is being reconciled, the first that was begun in front."""
        self.last_at: float | None = None
        """Unix seconds of the last end of a reconcile."""
        self._clock = clock
        self._durations: deque[float] = deque(maxlen=MAX_DURATIONS)
        self._failed: OrderedDict[Request, FailedKey] = OrderedDict()
        self._failures: dict[Request, int] = {}
        """Failures in a row by request, also of requests that `_failed` has dropped."""

    def record_end(self, outcome: Outcome, seconds: float) -> None:
        """Count a reconcile."""
        self.counters.outcomes[outcome] += 1
        self.counters.seconds.add(seconds)
        self._durations.append(seconds)
        self.last_at = self._clock.time()

    def record_success(self, request: Request) -> None:
        """Remove the request from the failed ones."""
        if self._failures:
            self._failures.pop(request, None)
            self._failed.pop(request, None)

    def record_failure(self, request: Request, error: BaseException, retry_in: float | None) -> None:
        """Remember the failure; the next try is in `retry_in` seconds, None for never."""
        self._failed.pop(request, None)
        failures = self._failures[request] = self._failures.get(request, 0) + 1
        now = self._clock.time()
        self._failed[request] = FailedKey(
            key=request.key,
            error=format_error(error),
            failures=failures,
            at=now,
            retry_at=None if retry_in is None else now + retry_in,
        )
        if len(self._failed) > MAX_FAILED:
            self._failed.popitem(last=False)

    @property
    def recent_failures(self) -> tuple[FailedKey, ...]:
        """The last failed requests, the newest first, at most MAX_FAILED."""
        return tuple(reversed(self._failed.values()))

    def quantiles(self, *shares: float) -> list[float | None]:
        """The durations below which these shares (0 to 1) of the last reconciles lie; None before there is one."""
        durations = sorted(self._durations)
        if not durations:
            return [None for _ in shares]
        return [durations[max(0, ceil(share * len(durations)) - 1)] for share in shares]

    def longer_than(self, seconds: float | None) -> tuple[StuckKey, ...]:
        """Requests in progress for longer than that, the longest first; empty for None."""
        if seconds is None:
            return ()
        now = self._clock.now()
        running = dict(self.started_at).items()
        return tuple(StuckKey(key.key, now - since) for key, since in running if now - since >= seconds)


def format_error(error: BaseException) -> str:
    """An error as people read it in a table: its class and its words, MAX_ERROR_LENGTH characters at most."""
    name = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except Exception as fault:  # noqa: BLE001 - an error whose __str__ raises must not end a worker
        text = f"(what it says cannot be had: {type(fault).__name__})"
    line = f"{name}: {text}" if text else name
    return line if len(line) <= MAX_ERROR_LENGTH else f"{line[: MAX_ERROR_LENGTH - 1]}…"
