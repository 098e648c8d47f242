"""Tests of the hub when a view or a count fails: only its own pages come back."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.hub.browser_socket import (
    RECONNECT_CODE,
)
from dashboard.live.hub.hub import HEARTBEAT_INTERVAL
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from tests.support.clock import run_ready_tasks
from tests.support.live.hub_with_browsers import PODS, World
from tests.support.live.replica_feeder import pod


def boom(*_: Any, **__: Any) -> Any:
    raise RuntimeError("boom")


def broken_template(world: World, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    render = world.hub._updates.render._render
    monkeypatch.setattr(world.hub._updates.render, "_render", lambda n, c: boom() if n.endswith(name) else render(n, c))


@pytest.mark.parametrize("step", ["apply", "update", "next_due", "pass_time", "extras"])
async def test_a_view_that_fails_is_dropped_and_its_pages_come_back_while_all_others_go_on(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    failing, twin, other = world.browser("q=age<1h"), world.browser("q=age<1h"), world.browser("q=p")
    view = failing.socket.view
    assert view is not None
    monkeypatch.setattr(view, step, boom)
    if step == "pass_time":
        monkeypatch.setattr(view, "next_due", lambda: 0.0)
    before = len(other.beats)
    world.pods.put(pod("p8", created=world.clock.time()), op="added")
    world.pass_time(HEARTBEAT_INTERVAL)
    world.pass_time(HEARTBEAT_INTERVAL)
    await run_ready_tasks()
    assert (failing.closed, twin.closed, other.closed) == ([RECONNECT_CODE], [RECONNECT_CODE], [])
    assert view.id not in world.hub.views
    assert "uid-default-p8" in other.updates[0]["content"]
    assert len(other.beats) == before + 2
    assert "boom" in caplog.text
    again = world.browser("q=age<1h")
    assert "uid-default-p8" in again.frames[0]["content"]


async def test_a_page_never_stays_live_without_a_frame_that_could_not_be_rendered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = world.browser()
    with monkeypatch.context() as patch:
        broken_template(world, patch, "_row.html")
        world.pods.put(pod("p8"), op="added")
        world.pass_time(HEARTBEAT_INTERVAL)
        await run_ready_tasks()
        assert browser.closed == [RECONNECT_CODE]
        late = world.browser()
        await run_ready_tasks()
        assert late.closed == [RECONNECT_CODE]  # its window cannot be rendered either
        assert not late.beats
        assert not world.hub.sockets
    assert "uid-default-p8" in world.browser().frames[0]["content"]


def test_a_view_that_fails_while_nobody_looks_is_made_anew_for_the_next_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    monkeypatch.setattr(world.hub.views[view.id].view, "_forget_update", boom)
    world.pods.put(pod("p8"), op="added")
    again = open_list(world.hub, PODS, Query.parse({}, "pods"))
    assert again.seq.partition("-")[0] != view.seq.partition("-")[0]
    assert [line.row.name for line in again.lines] == ["p0", "p1", "p2", "p8"]


def test_a_kind_that_could_not_be_counted_is_counted_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = world.browser()
    for step in ("apply", "pass_time"):
        monkeypatch.setattr(world.hub.summaries["pods"], step, boom)
        world.pods.put(pod("p0", version=2, status="Error", tone="bad"))
        world.pass_time(HEARTBEAT_INTERVAL)
        assert browser.beats[-1]["wrong"]["pods"] == 1
        assert browser.beats[-1]["problems"] == {}
    assert len(browser.updates) == 1


def test_while_a_kind_cannot_be_counted_at_all_its_pages_are_not_live(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    browser = world.browser()
    with monkeypatch.context() as patch:
        patch.setattr("dashboard.live.hub.kind_summaries.unhealthy_span", boom)
        world.pods.put(pod("p0", version=2, status="Error", tone="bad"))
        for _ in range(3):
            world.pass_time(HEARTBEAT_INTERVAL)
        beat = browser.beats[-1]
        assert beat["state"] == "stale"
        assert list(beat["problems"]) == ["pods"]
        assert "cannot tell" in beat["problems"]["pods"]["text"]
        assert caplog.text.count("pods cannot be counted") == 1
    world.pass_time(HEARTBEAT_INTERVAL)
    assert (browser.beats[-1]["problems"], browser.beats[-1]["wrong"]["pods"]) == ({}, 1)
