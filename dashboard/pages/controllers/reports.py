"""What a web process knows of the controllers: the last report of every worker, and whose counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.controllers.messages import Report
from dashboard.live.freshness import Problem
from informerd.clock import Clock

SILENCE = 3.0
"""Seconds without a report after which a worker counts as gone; it sends one each second."""
KEPT = 120.0
"""Seconds for which a worker that is gone is still named, while others are heard."""
TITLE = "Controllers"


@dataclass(frozen=True, slots=True)
class Heard:
    """A worker's last report."""

    report: Report
    at: float
    """Monotonic seconds of this process."""
    time: float
    """Unix seconds of this process."""
    silent: bool = False

    @property
    def leads(self) -> bool:
        return self.report.manager.leads


class Board:
    """Takes reports. `main` is the one to show: of the workers that are heard the one that leads, else who led last."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._heard: dict[str, Heard] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have `listener` called after every report."""
        self._listeners.append(listener)

    def take(self, report: Report) -> None:
        """A report has come; one that is older than what is known of its worker changes nothing.

        Unless the worker is silent otherwise: then its clock has been set back.
        """
        known = self._heard.get(report.epoch)
        if known is not None and report.sent < known.report.sent and self.clock.now() - known.at <= SILENCE:
            return
        self._heard[report.epoch] = Heard(report, self.clock.now(), self.clock.time())
        self._forget()
        for listener in self._listeners:
            listener()

    @property
    def workers(self) -> tuple[Heard, ...]:
        """All that were heard of late, the one to show first, then those that are heard, the youngest first."""
        now = self.clock.now()
        looked = [
            Heard(heard.report, heard.at, heard.time, silent=now - heard.at > SILENCE) for heard in self._heard.values()
        ]
        by_age = sorted(looked, key=lambda heard: heard.report.epoch, reverse=True)
        return tuple(sorted(by_age, key=_rank))

    @property
    def main(self) -> Heard | None:
        """The one to show; None before the first report."""
        return next(iter(self.workers), None)

    @property
    def problem(self) -> Problem | None:
        """Why what pages show of the controllers may not be how they are."""
        main = self.main
        if main is None:
            return Problem(TITLE, "starting", "Waiting for the worker's first word.")
        if not main.silent:
            return None
        others = [heard for heard in self.workers if not heard.silent]
        words = "The worker has not been heard since {since}. What you see is from then."
        if others:
            words = (
                "The worker that runs the controllers has not been heard since {since}. What you see is from then. "
                "Another one takes over when its lease has run out."
            )
        return Problem(TITLE, "silent", words, main.time)

    def _forget(self) -> None:
        now = self.clock.now()
        self._heard = {epoch: heard for epoch, heard in self._heard.items() if now - heard.at <= KEPT}


def _rank(heard: Heard) -> int:
    if heard.leads:
        return 1 if heard.silent else 0
    return 3 if heard.silent else 2
