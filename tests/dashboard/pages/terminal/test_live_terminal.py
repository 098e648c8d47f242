"""Tests of the live view of a terminal's page: what it says of the pod and its containers, and when."""

from __future__ import annotations

import re
from typing import Any

from django.template.loader import render_to_string

from dashboard.live.hub.hub import Hub
from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.pages.terminal.live_terminal import LiveTerminal, open_terminal
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.small_site import words

RUNNING = {"state": {"running": {"startedAt": "2027-01-15T07:50:00Z"}}, "restartCount": 0, "ready": True}
KILLED = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2027-01-15T07:58:00Z"}
RESTARTED = {
    "state": {"running": {"startedAt": "2027-01-15T07:58:01Z"}}, "lastState": {"terminated": KILLED},
    "restartCount": 1, "ready": True,
}  # fmt: skip


def pod_row(status: Json, uid: str = "first", **metadata: Any) -> Row:
    spec = {"containers": [{"name": "main"}]}
    statuses = {"containerStatuses": [{"name": "main", **status}]}
    return row_of("pods", made("Pod", "web", metadata={"uid": uid, **metadata}, spec=spec, status=statuses))


class Page:
    """A terminal's page, which has been sent its window."""

    def __init__(self) -> None:
        clock = FakeClock()
        self.pods = Feeder("pods", clock, [pod_row(RUNNING)])
        self.events = Feeder("events", clock)
        self.hub = Hub(Feeders(self.pods, self.events), clock)
        self.view: LiveTerminal = open_terminal(self.hub, KINDS["pods"], "shop", "web")
        self._render = Renderer(render_to_string)
        self.update()

    def update(self) -> str:
        return self.view.update(self._render)


def test_a_container_that_was_started_again_is_in_another_run() -> None:
    page = Page()
    runs = r'data-run="([^"]*)" data-before="([^"]*)"'
    assert re.findall(runs, page.view.render_window(Renderer(render_to_string))) == [("0 2027-01-15T07:50:00Z", "")]
    page.pods.put(pod_row(RESTARTED))
    html = page.update()
    assert re.findall(runs, html) == [("1 2027-01-15T07:58:01Z", "Exited 137: OOMKilled")]
    page.pods.put(pod_row({"state": {"terminated": KILLED}}))
    html = page.update()
    assert re.findall(runs, html) == [("", "")]
    assert 'data-state="Exited 137: OOMKilled"' in html


def test_what_is_no_news_of_the_terminal_is_not_sent() -> None:
    page = Page()
    page.pods.put(pod_row(RUNNING, labels={"a": "b"}))
    page.events.put(row_of("events", made("Event", "one", involvedObject={"kind": "Pod", "name": "web"})))
    assert page.update() == ""


def test_a_pod_that_ends_is_said_to_and_so_is_another_of_its_name() -> None:
    page = Page()
    page.pods.put(pod_row(RUNNING, deletionTimestamp="2027-01-15T07:59:00Z", deletionGracePeriodSeconds=30))
    html = page.update()
    assert "The deletion of this Pod was asked for" in html
    assert "terminal-containers" not in html
    page.pods.drop("first")
    html = page.update()
    assert "data-gone" in html
    assert "This Pod was deleted" in words(html)
    assert "The deletion of this Pod was asked for" not in words(html)
    page.pods.put(pod_row(RUNNING, "second"))
    html = page.update()
    assert "data-gone" not in html
    assert 'data-uid="second"' in html
    assert "The previous Pod was deleted, and this one was created again under the same name." in words(html)


def test_of_a_pod_that_is_not_seen_the_page_says_so_and_keeps_its_containers() -> None:
    page = Page()
    view = open_terminal(page.hub, KINDS["pods"], "shop", "unseen")
    html = view.render_window(Renderer(render_to_string))
    assert "Nothing is known of this Pod now. As soon as it is, it appears here." in words(html)
    assert "terminal-containers" not in html
