"""Controller reports as a web process knows them: the last one of every worker, and the one that pages show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.live.hub.freshness import FreshnessProblem
from dashboard.pages.controllers.worker_messages import Report
from informerd.clock import Clock

SILENCE_TIMEOUT = 3.0
"""Seconds without a report after which a worker counts as gone; it sends one each second."""
RETENTION = 120.0
"""Seconds for which a worker that is gone is still listed, while others are heard."""
TITLE = "Controllers"


CONTROLLERS = "controllers"
"""Key of the reports' stream among the kinds' keys: a page that shows it is live when the stream is."""


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """A worker's last report."""

    report: Report
    received_at: float
    """Monotonic seconds of this process."""
    time: float
    """Unix seconds of this process."""
    is_silent: bool = False

    @property
    def is_leader(self) -> bool:
        return self.report.manager.leads


class ControllerReports:
    """The reports of all workers. Pages show `main_report`: the heard leader's, else the last leader's."""

    key = CONTROLLERS

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._received: dict[str, ReceivedReport] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every report."""
        self._listeners.append(listener)

    def receive(self, report: Report) -> None:
        """Store a report; one that is older than the worker's last report changes nothing.

        A silent worker is the exception: then its clock has been set back.
        """
        known = self._received.get(report.epoch)
        if (
            known is not None
            and report.sent_at < known.report.sent_at
            and self.clock.now() - known.received_at <= SILENCE_TIMEOUT
        ):
            return
        self._received[report.epoch] = ReceivedReport(report, self.clock.now(), self.clock.time())
        self._forget()
        for listener in self._listeners:
            listener()

    @property
    def workers(self) -> tuple[ReceivedReport, ...]:
        """All workers heard recently: the main one first, then those still heard, the youngest first."""
        now = self.clock.now()
        looked = [
            ReceivedReport(
                heard.report, heard.received_at, heard.time, is_silent=now - heard.received_at > SILENCE_TIMEOUT
            )
            for heard in self._received.values()
        ]
        by_age = sorted(looked, key=lambda heard: heard.report.epoch, reverse=True)
        return tuple(sorted(by_age, key=_rank))

    @property
    def main_report(self) -> ReceivedReport | None:
        """The report to show; None before the first one."""
        return next(iter(self.workers), None)

    @property
    def problem(self) -> FreshnessProblem | None:
        """Why the pages may show an outdated state of the controllers."""
        main = self.main_report
        if main is None:
            return FreshnessProblem(TITLE, "starting", "Waiting for the worker's first word.")
        if not main.is_silent:
            return None
        others = [heard for heard in self.workers if not heard.is_silent]
        words = "The worker has not been heard since {since}. What you see is from then."
        if others:
            words = (
                "The worker that runs the controllers has not been heard since {since}. What you see is from then. "
                "Another worker takes over when its lease expires."
            )
        return FreshnessProblem(TITLE, "silent", words, main.time)

    def _forget(self) -> None:
        now = self.clock.now()
        self._received = {
            epoch: heard for epoch, heard in self._received.items() if now - heard.received_at <= RETENTION
        }


def _rank(report: ReceivedReport) -> int:
    if report.is_leader:
        return 1 if report.is_silent else 0
    return 3 if report.is_silent else 2
