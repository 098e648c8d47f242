"""Tests of sockets on the controllers page: one frame for all of them, and a heartbeat that names their worker."""

from __future__ import annotations

from types import SimpleNamespace

from dashboard.live.hub.hub import Hub
from dashboard.pages.controllers.reports import SILENCE_TIMEOUT, ControllerReports
from dashboard.server.live_view_routing import open_live_view
from tests.support.clock import FakeClock
from tests.support.controllers.report_samples import controller, failed, report
from tests.support.live.hub_with_browsers import Browser
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.pages.app_state import AttributeState


class World:
    """A hub whose worker reports when the test says so."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.board = ControllerReports(self.clock)
        self.controllers = SimpleNamespace(reports=self.board)
        self.pods = Feeder("pods", self.clock)
        self.hub = Hub(Feeders(self.pods), self.clock, sources=(self.board,), timer=self.clock.now)
        self.board.receive(report())

    def browser(self) -> Browser:
        browser = Browser(self.hub, self.clock)
        view = open_live_view(AttributeState(self), "/controllers/")
        assert view is not None
        self.hub.join(browser.socket, view, view.seq, path="/controllers/")
        return browser.flush()

    def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)
        self.pods.beat()
        self.hub.tick()  # notices
        self.hub.tick()  # sends


def test_one_frame_is_rendered_for_all_who_look() -> None:
    world = World()
    one, two = world.browser(), world.browser()
    world.board.receive(report(controller(failed=(failed(),))))
    rendered = world.hub.metrics.frames_rendered
    world.pass_time(1)
    assert world.hub.metrics.frames_rendered == rendered + 1
    assert one.frames == two.frames
    assert "default/poison" in one.frames[-1]["content"]


def test_a_page_that_is_current_gets_nothing_while_nothing_changes() -> None:
    world = World()
    browser = world.browser()
    world.pass_time(1)  # what its first page had is sent once more, for nobody knows what that was
    sent = len(browser.frames)
    for _ in range(5):
        world.board.receive(report())
        world.pass_time(1)
    assert len(browser.frames) == sent


def test_the_heartbeat_says_of_this_page_alone_that_its_worker_is_gone() -> None:
    world = World()
    browser = world.browser()
    assert browser.got[0]["keys"] == ["controllers"]
    assert "parts" not in browser.beats[-1]
    world.pass_time(SILENCE_TIMEOUT + 1)
    beat = browser.beats[-1]
    assert beat["parts"]["controllers"]["text"].startswith("The worker has not been heard since {since}.")
    assert (beat["problems"], beat["state"]) == ({}, "live")
    assert "no longer heard" in browser.frames[-1]["content"]
