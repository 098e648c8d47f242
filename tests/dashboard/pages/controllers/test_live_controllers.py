"""Tests of the live view of controllers: the frames, their times, and the sockets that get none."""

from __future__ import annotations

import msgspec
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.pages.controllers.live_controllers import LiveControllers
from dashboard.pages.controllers.reports import ControllerReports
from dashboard.pages.controllers.worker_messages import Report
from informerd.manager.state import RunnableState
from informerd.record.event_counts import RecorderState
from tests.support.clock import FakeClock
from tests.support.controllers.report_samples import busy, controller, failed, manager, report, view_of
from tests.support.live.hx_partial_interpreter import Op, ops_of


class Shown:
    def __init__(self, *reports: Report) -> None:
        self.clock = FakeClock()
        self.board = ControllerReports(self.clock)
        self.view = LiveControllers(self.board, parse_kinds(["pods", "mydemos"]))
        self.render = Renderer(render_to_string)
        for each in reports:
            self.board.receive(each)

    def update(self) -> list[Op]:
        return ops_of(self.view.update(self.render))

    def targets(self) -> list[str]:
        return [op.target.removesuffix(f"-{self.view.id}").lstrip("#") for op in self.update()]


def test_the_first_update_brings_head_and_list_later_ones_only_cards_that_changed() -> None:
    shown = Shown(report(controller(), busy()))
    assert shown.targets() == ["controllers-head", "controllers"]
    assert shown.targets() == []
    shown.board.receive(report(controller(failed=(failed(),)), busy()))
    (changed,) = shown.targets()
    assert changed == f"controller-{shown.view.cards[0].id}"


def test_a_controller_that_comes_or_goes_brings_the_list() -> None:
    shown = Shown(report(controller()))
    shown.update()
    shown.board.receive(report(controller(), busy()))
    assert "controllers" in shown.targets()


def test_a_report_without_news_changes_nothing() -> None:
    shown = Shown(report())
    shown.update()
    seq = shown.view.seq
    shown.board.receive(msgspec.structs.replace(report(), sent_at=report().sent_at + 0.2))
    assert shown.update() == []
    assert shown.view.seq == seq


def test_the_window_is_what_the_first_page_shows() -> None:
    shown = Shown(report(controller(), busy()))
    page = render_to_string("controllers/page.html", {**shown.view.context(), "page": {}})
    for op in ops_of(shown.view.render_window(shown.render)):
        assert op.html in page


def test_stages_tell_waiting_from_nothing_asked_for_and_from_not_begun() -> None:
    assert Shown().view.stage == "waiting"
    assert Shown(report(wanted=(), manager=manager())).view.stage == "none"
    assert Shown(report(manager=manager())).view.stage == "starting"
    assert Shown(report()).view.stage == "running"


def test_without_controllers_it_says_what_to_set() -> None:
    shown = Shown(report(wanted=(), manager=manager(leads=False)))
    html = shown.view.render_window(shown.render)
    assert "DELTABOARD_CONTROLLERS=crddemo" in html
    assert shown.view.workers == ()


def test_what_the_worker_its_lease_and_its_events_lack_is_said() -> None:
    refused = RecorderState(problem='events is forbidden: User "bob" cannot create resource "events"')
    state = manager(
        controller(problem="said on its card"),
        lease="default/l",
        problem="leases may not be written",
        events=refused,
        runnables=(
            RunnableState(name="crddemo", phase="failed", problem="said on its card"),
            RunnableState(name="sweeper", phase="failed", problem="it raised"),
        ),
    )
    shown = Shown(report(manager=state, problem="It ended."))
    assert shown.view.problems == (
        "It ended.",
        "The lease default/l cannot be acquired: leases may not be written",
        f"Events could not be written: {refused.problem}",
        "sweeper: it raised",
    )
    assert "leases may not be written" in shown.view.render_window(shown.render)


def test_workers_are_named_with_who_leads_since_when_and_by_which_lease() -> None:
    leader = report(manager=manager(controller(), lease="default/l"))
    standby_state = msgspec.structs.replace(manager(controller(), lease="default/l", leads=False), identity="two")
    shown = Shown(leader, report(epoch="2", manager=standby_state))
    one, two = shown.view.workers
    assert (one.identity, one.role, one.lease, one.since is not None) == ("worker-1_7f3a", "leads", "default/l", True)
    assert (two.identity, two.role, two.since) == ("two", "stands by", None)
    waits = view_of(report(manager=manager(controller(), lease="default/l", leads=False, leader="worker-1_7f3a")))
    assert waits.workers[0].role == "is about to run them"
    alone = Shown(report(manager=manager(controller()))).view.workers[0]
    assert alone.role == "runs them without leader election"


def test_a_worker_that_is_gone_is_said_to_be() -> None:
    shown = Shown(report())
    shown.clock.skip(60)
    (gone,) = shown.view.workers
    assert (gone.role, gone.tone, gone.last_report is not None) == ("no longer heard", "bad", True)


def test_time_alone_may_change_it() -> None:
    shown = Shown(report())
    assert shown.view.next_due() == 0
    shown.view.pass_time(shown.clock.time())
    assert shown.view.dirty


def test_frames_hold_nothing_of_one_person_and_escape_what_controllers_say() -> None:
    shown = Shown(report(busy()))
    html = shown.view.render_window(shown.render)
    assert "csrf" not in html
    assert "<script>" not in html
    assert "<b>poison" not in html
    assert "&lt;b&gt;poison&lt;/b&gt;" in html


def test_after_nobody_looked_everything_is_sent_again() -> None:
    shown = Shown(report())
    shown.update()
    shown.view.skip_update()
    assert shown.targets() == ["controllers-head", "controllers"]
