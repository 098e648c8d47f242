"""Tests of the heartbeat: each second the same for all, and what it says of the cluster."""

from __future__ import annotations

import pytest

from dashboard.live.hub.hub import HEARTBEAT_INTERVAL
from informerd.cache.health import Health
from tests.support.live.hub_with_browsers import World


def test_every_second_all_get_the_same_beat(world: World) -> None:
    one, other = world.browser(), world.browser("q=p0")
    before = len(one.beats)
    world.pass_time(HEARTBEAT_INTERVAL)
    assert one.socket._outbox[-1] is other.socket._outbox[-1]
    assert len(one.beats) == before + 1
    beat = one.beats[-1]
    assert beat["counts"] == {"pods": 3, "namespaces": 0}
    assert beat["now"] == world.clock.time()
    assert (beat["state"], beat["problems"]) == ("live", {})


def test_a_lost_api_server_is_said_at_once_and_in_words(world: World) -> None:
    browser = world.browser()
    world.pass_time(0.2)
    heard = world.clock.time() - 4
    world.pods.beat(Health("stale", world.clock.time(), heard, "connection refused", world.clock.time() + 3))
    world.hub.tick()
    beat = browser.beats[-1]
    assert beat["state"] == "stale"
    problem = beat["problems"]["pods"]
    assert problem["text"] == "The API server has not answered since {since}. What you see is from then."
    assert (problem["since"], problem["retry_at"]) == (heard, world.clock.time() + 3)
    assert "namespaces" not in beat["problems"]


def test_a_silent_worker_is_said_too(world: World) -> None:
    browser = world.browser()
    world.clock.skip(3)
    world.pods.replica.tick()
    world.hub.tick()
    assert browser.beats[-1]["problems"]["pods"]["state"] == "silent"


def test_a_beat_says_when_it_was_sent_by_a_clock_that_nobody_sets(world: World) -> None:
    browser = world.browser()
    world.pass_time(HEARTBEAT_INTERVAL)
    first, second = (beat["sent"] for beat in browser.beats)
    assert second - first == HEARTBEAT_INTERVAL


def test_beats_leave_before_views_age(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = world.browser("q=age<1h")
    view = browser.socket.view
    assert view is not None
    told: list[int] = []
    monkeypatch.setattr(view, "next_due", lambda: told.append(len(browser.beats)))
    before = len(browser.beats)
    world.pass_time(HEARTBEAT_INTERVAL)
    assert told == [before + 1]


def test_while_the_channel_layer_fails_no_beat_says_live(world: World) -> None:
    browser = world.browser()
    world.feeders.channel_problem = "connection refused"
    world.pass_time(HEARTBEAT_INTERVAL)
    assert (browser.beats[-1]["state"], browser.beats[-1]["deaf"]) == ("stale", True)
    world.feeders.channel_problem = ""
    world.pass_time(HEARTBEAT_INTERVAL)
    assert (browser.beats[-1]["state"], browser.beats[-1]["deaf"]) == ("live", False)
