"""Tests of the hub: one frame for all subscribers, in order, and no subscriber delays another."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest
from django.http import QueryDict

from dashboard.live.hub.hub import HEARTBEAT_INTERVAL, Hub
from dashboard.live.hub.socket import (
    ACKNOWLEDGE_TIMEOUT,
    BEHIND_TIMEOUT,
    MAX_MESSAGE_UNITS,
    MAX_UNACKNOWLEDGED,
    RECONNECT_CODE,
    Message,
    Socket,
    encode_frame,
    encode_message,
)
from dashboard.live.hub.updates import TICK
from dashboard.live.hub.view_store import MAX_IDLE_VIEWS, VIEW_TTL
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.query import Query
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.feed.live_feed import open_feed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.lists.live_list import open_list
from dashboard.pages.overview.live_overview import open_overview
from informerd.cache.health import Health
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.frames import ops_of
from tests.support.live.replica_feeder import Feeder, Feeders, pod

PODS = KINDS["pods"]


class Browser:
    """The other end of a socket: what it got, decoded. It acknowledges only what a test tells it to."""

    def __init__(self, hub: Hub, clock: FakeClock) -> None:
        self.got: list[dict[str, Any]] = []
        self.units = 0
        self.closed: list[int] = []
        self.socket = Socket(self._take, self._close, clock)
        self._hub = hub
        self._clock = clock

    def join(self, query: str = "", seq: str = "") -> Browser:
        view = open_list(self._hub, PODS, Query.parse(QueryDict(query), "pods"))
        self._hub.join(self.socket, view, seq, path=f"/resources/pods/?{query}")
        return self.flush()

    def flush(self) -> Browser:
        """Take what was posted, as the writing task would."""
        while self.socket._outbox:
            message = self.socket._outbox.popleft()
            self.units += len(message)
            self.got.append(json.loads(message if isinstance(message, str) else gzip.decompress(message)))
        return self

    def acknowledge(self) -> None:
        self._hub.acknowledge(self.socket, self.flush().units)

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [message for message in self.flush().got if "content" in message]

    @property
    def updates(self) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if "after" in frame]

    @property
    def beats(self) -> list[dict[str, Any]]:
        return [message["beat"] for message in self.flush().got if "beat" in message]

    async def _take(self, message: Message) -> None:
        raise AssertionError("the test takes messages itself")

    async def _close(self, code: int) -> None:
        self.closed.append(code)


class World:
    """A hub with replicas of pods and namespaces, its tick turned by hand."""

    def __init__(self, number: int = 3) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, [pod(f"p{index}") for index in range(number)])
        self.namespaces = Feeder("namespaces", self.clock)
        self.feeders = Feeders(self.pods, self.namespaces)
        self.hub = Hub(self.feeders, self.clock, timer=self.clock.now)
        self.hub.tick()

    def browser(self, query: str = "") -> Browser:
        return Browser(self.hub, self.clock).join(query)

    def pass_time(self, seconds: float) -> float:
        self.clock.skip(seconds)
        return self.hub.tick()


@pytest.fixture
def world() -> World:
    return World()


def test_a_page_that_is_current_gets_no_window(world: World) -> None:
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    browser = Browser(world.hub, world.clock).join(seq=view.seq)
    assert browser.frames == []
    assert browser.got[0] == {"view": view.id, "seq": view.seq, "keys": ["pods"], "path": "/resources/pods/?"}
    assert "beat" in browser.got[1]


def test_a_page_of_another_process_or_an_older_state_gets_the_window_before_the_beat(world: World) -> None:
    browser = world.browser()
    assert [next(iter(message)) for message in browser.got] == ["view", "content", "beat"]
    assert browser.got[0]["seq"] == ""
    assert "after" not in browser.got[1]
    assert ops_of(browser.got[1]["content"])[0].rows == ["uid-default-p0", "uid-default-p1", "uid-default-p2"]


def test_the_first_change_leaves_at_once_and_later_ones_within_a_tick(world: World) -> None:
    browser = world.browser()
    world.pass_time(0.3)
    world.pods.put(pod("p0", version=2, restarts=1))
    world.hub.tick()
    assert len(browser.updates) == 1
    world.pods.put(pod("p1", version=3, restarts=1))
    wait = world.hub.tick()
    assert 0 < wait <= TICK
    assert len(browser.updates) == 1
    world.pods.put(pod("p2", version=4, restarts=1))
    world.pass_time(TICK)
    assert len(browser.updates) == 2
    assert [op.rows for op in ops_of(browser.updates[1]["content"]) if op.rows] == [
        ["uid-default-p2"],
        ["uid-default-p1"],
    ]


def test_updates_name_the_state_they_build_on(world: World) -> None:
    browser = world.browser()
    for version in range(2, 5):
        world.pods.put(pod("p0", version=version, restarts=version))
        world.pass_time(1.0)
    seqs = [frame["seq"] for frame in browser.frames]
    assert [frame["after"] for frame in browser.updates] == seqs[:-1]


def test_one_rendering_and_one_string_serve_all_who_look(world: World) -> None:
    browsers = [world.browser() for _ in range(20)]
    rendered = world.hub._updates.render.rendered_count
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    messages = [browser.socket._outbox[-1] for browser in browsers]
    assert all(message is messages[0] for message in messages)
    assert world.hub._updates.render.rendered_count == rendered + 1


def test_views_of_equal_state_are_one_and_others_are_not_disturbed(world: World) -> None:
    one, same, other = world.browser("q=p0"), world.browser("q=p0"), world.browser("q=p1")
    assert one.socket.view is same.socket.view
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    assert [len(browser.updates) for browser in (one, same, other)] == [1, 1, 0]


def test_somebody_who_joins_between_change_and_tick_misses_and_doubles_nothing(world: World) -> None:
    early = world.browser()
    world.pods.put(pod("p9"), op="added")
    late = world.browser()
    world.pass_time(0.06)
    assert len(early.updates) == 1
    assert late.updates == []
    assert late.frames[0]["seq"] == early.updates[0]["seq"]
    assert "uid-default-p9" in late.frames[0]["content"]


def test_a_page_rendered_between_change_and_tick_is_continued_without_a_gap(world: World) -> None:
    world.browser()
    world.pods.put(pod("p9"), op="added")
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    assert [line.row.name for line in view.lines] == ["p0", "p1", "p2", "p9"]
    browser = Browser(world.hub, world.clock).join(seq=view.seq)
    world.pods.put(pod("p9", version=2, restarts=1))
    world.pass_time(0.06)
    assert [frame["after"] for frame in browser.frames] == [view.seq]


def test_changes_that_nobody_looks_at_are_not_rendered_but_counted_in_the_seq(world: World) -> None:
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    rendered, before = world.hub._updates.render.rendered_count, view.seq
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    assert world.hub._updates.render.rendered_count == rendered
    browser = Browser(world.hub, world.clock).join(seq=before)
    assert 'data-version="2"' in browser.frames[0]["content"]


def test_a_view_without_sockets_is_dropped_after_a_minute(world: World) -> None:
    browser = world.browser()
    browser.acknowledge()
    world.pass_time(VIEW_TTL * 2)
    assert len(world.hub.views) == 1
    world.hub.leave(browser.socket)
    world.pass_time(VIEW_TTL - 1)
    assert len(world.hub.views) == 1
    world.pass_time(HEARTBEAT_INTERVAL + 1)
    assert world.hub.views == {}


def test_typing_into_a_filter_leaves_no_heap_of_views(world: World) -> None:
    looked_at = world.browser()
    for number in range(MAX_IDLE_VIEWS * 2):
        world.clock.skip(0.1)
        open_list(world.hub, PODS, Query.parse({"q": [f"p{number}"]}, "pods"))
    assert len(world.hub.views) == MAX_IDLE_VIEWS + 1
    assert looked_at.socket.view is not None
    assert looked_at.socket.view.id in world.hub.views
    newest = open_list(world.hub, PODS, Query.parse({"q": [f"p{MAX_IDLE_VIEWS * 2 - 1}"]}, "pods"))
    assert world.hub.views[newest.id].last_used_at == world.clock.now()


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


def test_a_browser_that_does_not_keep_up_is_stopped_and_later_gets_one_window() -> None:
    world = World(40)
    slow, quick = world.browser(), world.browser()
    chance = random.Random(1)
    for version in range(2, 30):
        nodes = [chance.randbytes(600).hex() for _ in range(40)]  # which does not compress well
        world.pods.put(*(pod(f"p{index}", version=version, node=node) for index, node in enumerate(nodes)))
        world.pass_time(0.5)
        quick.acknowledge()
    assert slow.socket.is_behind
    assert slow.socket.unacknowledged_units <= MAX_UNACKNOWLEDGED + 50_000
    assert len(slow.updates) < len(quick.updates)
    assert world.hub.metrics.socket_stops == 1
    slow.got.clear()
    slow.acknowledge()
    assert not slow.socket.is_behind
    assert [("after" in frame, 'data-version="29"' in frame["content"]) for frame in slow.frames] == [(False, True)]
    world.pods.put(pod("p0", version=999, restarts=0))
    world.pass_time(0.5)
    assert len(slow.updates) == 1


async def test_a_browser_that_stays_behind_is_told_to_come_back(world: World) -> None:
    slow = world.browser()
    slow.socket.sent_units += MAX_UNACKNOWLEDGED + 1
    world.pass_time(HEARTBEAT_INTERVAL)
    assert slow.socket.is_behind
    world.pass_time(BEHIND_TIMEOUT + HEARTBEAT_INTERVAL)
    await run_ready_tasks()
    assert slow.closed == [RECONNECT_CODE]
    assert slow.socket not in world.hub.sockets
    slow.acknowledge()
    assert slow.socket not in world.hub.sockets


async def test_a_browser_that_is_not_heard_for_a_minute_is_let_go_of(world: World) -> None:
    browser = world.browser()
    browser.acknowledge()
    world.pass_time(ACKNOWLEDGE_TIMEOUT * 10)  # the clock leaps: nothing was sent, so nothing is to be acknowledged
    assert browser.socket in world.hub.sockets
    browser.acknowledge()
    world.pass_time(HEARTBEAT_INTERVAL)
    world.pass_time(ACKNOWLEDGE_TIMEOUT)
    assert browser.socket in world.hub.sockets
    world.pass_time(HEARTBEAT_INTERVAL)
    await run_ready_tasks()
    assert (browser.closed, world.hub.sockets, world.hub.metrics.sockets_given_up) == ([RECONNECT_CODE], set(), 1)


def test_a_beat_says_when_it_was_sent_by_a_clock_that_nobody_sets(world: World) -> None:
    browser = world.browser()
    world.pass_time(HEARTBEAT_INTERVAL)
    first, second = (beat["sent"] for beat in browser.beats)
    assert second - first == HEARTBEAT_INTERVAL


def test_acknowledging_more_than_was_sent_gains_nothing(world: World) -> None:
    browser = world.browser()
    world.hub.acknowledge(browser.socket, 10**12)
    assert browser.socket.unacknowledged_units == 0
    world.pass_time(HEARTBEAT_INTERVAL)
    assert browser.socket.unacknowledged_units > 0


def test_big_windows_are_sent_compressed_once_and_small_messages_as_text() -> None:
    world = World(100)
    one, other = Browser(world.hub, world.clock), Browser(world.hub, world.clock)
    for browser in (one, other):
        view = open_list(world.hub, PODS, Query.parse({}, "pods"))
        world.hub.join(browser.socket, view, path="/")
    windows = [[m for m in browser.socket._outbox if isinstance(m, bytes)] for browser in (one, other)]
    assert len(windows[0]) == 1
    assert windows[0][0] is windows[1][0]
    assert len(windows[0][0]) * 5 < len(gzip.decompress(windows[0][0]))


def test_a_frame_too_big_for_a_message_tells_the_page_to_fetch_itself() -> None:
    noise = random.Random(1).randbytes(MAX_MESSAGE_UNITS).hex()
    message = encode_frame({"content": noise, "view": "abc", "seq": "t-2"})
    assert json.loads(message) == {"fetch": True, "view": "abc"}
    assert encode_frame({"content": "x" * MAX_MESSAGE_UNITS * 2, "view": "abc", "seq": "t-2"})[:2] == b"\x1f\x8b"


def test_messages_are_counted_as_a_browser_counts_them() -> None:
    message = encode_message({"content": "žluťoučký 🐎 → ok"})
    assert isinstance(message, str)
    assert message.isascii()
    assert json.loads(message) == {"content": "žluťoučký 🐎 → ok"}


def test_a_page_that_changes_its_view_gets_frames_of_the_new_one_only(world: World) -> None:
    browser = world.browser("q=p0")
    browser.join("q=p1")
    world.pods.put(pod("p0", version=2, restarts=1), pod("p1", version=2, restarts=1))
    world.pass_time(0.06)
    assert {frame["view"] for frame in browser.updates} == {browser.socket.view.id if browser.socket.view else ""}
    assert len(world.hub.sockets) == 1


def test_a_socket_follows_a_list_and_the_object_beside_it_and_both_views_are_shared(world: World) -> None:
    listed, opened = open_list(world.hub, PODS, Query.parse({}, "pods")), open_detail(world.hub, PODS, "default", "p1")
    browser, other = Browser(world.hub, world.clock), world.browser()
    world.hub.join(browser.socket, listed, listed.seq, path="/", drawer_view=opened, drawer_seq=opened.seq)
    hello, beside = browser.flush().got[:2]
    assert (hello["view"], beside["view"]) == (listed.id, opened.id)
    assert "beside" not in hello
    assert beside["beside"] is True
    assert browser.frames == []
    world.pods.put(pod("p1", version=2, restarts=7))
    world.pass_time(TICK)
    assert {frame["view"] for frame in browser.updates} == {listed.id, opened.id}
    assert [frame["view"] for frame in other.updates] == [listed.id]
    world.hub.join(browser.socket, listed, listed.seq, path="/")
    world.pods.put(pod("p1", version=3, restarts=8))
    world.pass_time(TICK)
    assert [frame["view"] for frame in browser.updates].count(opened.id) == 1
    world.hub.leave(browser.socket)
    assert not any(browser.socket in watched.sockets for watched in world.hub.views.values())


def test_a_page_whose_opened_object_is_of_an_older_state_gets_its_window_only(world: World) -> None:
    listed, opened = open_list(world.hub, PODS, Query.parse({}, "pods")), open_detail(world.hub, PODS, "default", "p1")
    browser = Browser(world.hub, world.clock)
    world.hub.join(browser.socket, listed, listed.seq, path="/", drawer_view=opened, drawer_seq="older-1")
    assert [frame["view"] for frame in browser.frames] == [opened.id]


def test_pages_without_a_view_get_the_heartbeat(world: World) -> None:
    browser = Browser(world.hub, world.clock)
    world.hub.join(browser.socket, None)
    world.pass_time(HEARTBEAT_INTERVAL)
    assert len(browser.beats) == 2
    assert browser.frames == []


def test_the_feed_and_the_overview_keep_their_own_pace(world: World) -> None:
    feed = Browser(world.hub, world.clock)
    world.hub.join(feed.socket, open_feed(world.hub, FeedQuery()))
    overview = Browser(world.hub, world.clock)
    world.hub.join(overview.socket, open_overview(world.hub))
    for index in range(40):
        world.pods.put(pod("p0", version=index + 2, restarts=index))
        world.pass_time(0.05)
    assert 7 <= len(feed.updates) <= 9
    assert 3 <= len(overview.updates) <= 5


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


def test_the_biggest_window_does_not_put_a_browser_behind_that_keeps_up() -> None:
    world = World(1)
    browser = Browser(world.hub, world.clock)
    view = open_detail(world.hub, PODS, "default", "p0")
    world.hub.join(browser.socket, view, view.seq, path="/resources/pods/default/p0/")
    for version, size in enumerate((60_000, 100_000, 150_000, 400_000), start=2):
        browser.acknowledge()
        noise = random.Random(version).randbytes(size).hex()
        world.pods.put(pod("p0", version=version, obj={"kind": "Pod", "data": {"noise": noise}}))
        heard = len(browser.got)
        for _ in range(4):
            world.pass_time(HEARTBEAT_INTERVAL)
            assert not browser.socket.is_behind
            browser.acknowledge()
        assert len([message for message in browser.got[heard:] if "beat" not in message]) == 1


async def test_it_ticks_by_itself(world: World) -> None:
    import asyncio

    browser = world.browser()
    running = asyncio.create_task(world.hub.run())
    await run_ready_tasks()
    world.pods.put(pod("p0", version=2, restarts=1))
    await run_ready_tasks()
    await world.clock.advance(TICK)
    assert len(browser.updates) == 1
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
