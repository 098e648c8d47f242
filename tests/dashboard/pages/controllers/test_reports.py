"""Tests of the reports of controllers: whose counts a page shows, and when they are out of date."""

from __future__ import annotations

import msgspec

from dashboard.pages.controllers.reports import RETENTION, SILENCE_TIMEOUT, ControllerReports
from dashboard.pages.controllers.worker_messages import Report
from tests.support.clock import FakeClock
from tests.support.controllers.report_samples import controller, manager, report


def report_of(identity: str, epoch: str, *, leads: bool = True) -> Report:
    state = msgspec.structs.replace(manager(controller(), lease="default/l", leads=leads), identity=identity)
    return report(epoch=epoch, manager=state)


class Watching:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.board = ControllerReports(self.clock)

    def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)

    def named(self) -> list[tuple[str, bool]]:
        return [(heard.report.manager.identity, heard.is_silent) for heard in self.board.workers]


def test_before_the_first_report_it_waits_for_one() -> None:
    board = ControllerReports(FakeClock())
    assert board.main_report is None
    assert board.problem is not None
    assert (board.problem.state, board.problem.text) == ("starting", "Waiting for the worker's first word.")


def test_a_worker_that_reports_is_current_until_it_falls_silent() -> None:
    watching = Watching()
    watching.board.receive(report_of("a", "1"))
    watching.pass_time(SILENCE_TIMEOUT)
    assert watching.board.problem is None
    watching.pass_time(0.1)
    problem = watching.board.problem
    assert problem is not None
    assert problem.text == "The worker has not been heard since {since}. What you see is from then."
    assert problem.since == watching.clock.time() - SILENCE_TIMEOUT - 0.1


def test_a_late_report_changes_nothing_but_a_clock_that_is_set_back_silences_no_worker() -> None:
    watching = Watching()
    for sent in (1000.0, 999.0, 900.0):
        watching.board.receive(msgspec.structs.replace(report_of("a", "1"), sent_at=sent))
    assert watching.board.main_report is not None
    assert watching.board.main_report.report.sent_at == 1000.0
    watching.pass_time(SILENCE_TIMEOUT + 0.1)
    watching.board.receive(msgspec.structs.replace(report_of("a", "1"), sent_at=904.0))
    assert watching.board.problem is None
    assert watching.board.main_report.report.sent_at == 904.0


def test_the_one_that_leads_is_shown_whoever_reported_last() -> None:
    watching = Watching()
    watching.board.receive(report_of("leader", "1"))
    watching.board.receive(report_of("standby", "2", leads=False))
    assert watching.named() == [("leader", False), ("standby", False)]


def test_of_two_that_lead_the_younger_is_shown() -> None:
    watching = Watching()
    watching.board.receive(report_of("younger", "2"))
    watching.board.receive(report_of("elder", "1"))
    assert watching.named()[0] == ("younger", False)


def test_a_leader_that_is_gone_is_shown_as_it_was_until_another_one_leads() -> None:
    watching = Watching()
    watching.board.receive(report_of("a", "1"))
    watching.pass_time(SILENCE_TIMEOUT + 1)
    watching.board.receive(report_of("b", "2", leads=False))
    assert watching.named() == [("a", True), ("b", False)]
    assert watching.board.problem is not None
    assert "Another worker takes over when its lease expires." in watching.board.problem.text
    watching.board.receive(report_of("b", "2"))
    assert watching.named() == [("b", False), ("a", True)]
    assert watching.board.problem is None


def test_a_worker_that_is_gone_is_forgotten_while_others_report_and_kept_while_none_does() -> None:
    watching = Watching()
    watching.board.receive(report_of("a", "1"))
    watching.pass_time(RETENTION * 2)
    assert watching.named() == [("a", True)]
    watching.board.receive(report_of("b", "2", leads=False))
    assert watching.named() == [("b", False)]


def test_a_late_report_does_not_take_a_worker_back() -> None:
    watching = Watching()
    now = report_of("a", "1")
    watching.board.receive(now)
    watching.board.receive(msgspec.structs.replace(now, sent_at=now.sent_at - 5, problem="old"))
    assert watching.board.main_report is not None
    assert watching.board.main_report.report.problem == ""


def test_listeners_hear_of_each_report() -> None:
    board = ControllerReports(FakeClock())
    heard: list[int] = []
    board.on_change(lambda: heard.append(1))
    board.receive(report())
    board.receive(report())
    assert heard == [1, 1]
