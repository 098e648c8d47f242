"""Tests of the recorder against API servers that fail, with a clock that the test controls."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp import web

from informerd.errors import AlreadyStarted, InvalidCall
from informerd.record.queue import QUEUE_SIZE
from informerd.record.recorder import EventRecorder
from informerd.record.sink import MAX_TRIES
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.clock import FakeClock
from tests.support.informerd.kubernetes_event_samples import POD
from tests.support.informerd.stub_servers import scripted
from tests.support.scripted_api_server import status
from tests.support.wait import eventually

Json = dict[str, Any]


class EventServer:
    """Keeps Events; what stands in `faults` is answered instead, one for each request: a Status, or None to hang up."""

    def __init__(self, *faults: Json | None) -> None:
        self.faults = [*faults]
        self.asked: list[str] = []
        self.events: dict[str, Json] = {}
        self.retry_after = ""

    async def __call__(self, request: web.Request) -> web.Response:
        self.asked.append(request.method)
        if self.faults:
            fault = self.faults.pop(0)
            if fault is None:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return web.json_response(fault, status=fault["code"], headers=headers)
        return self.answer(request.method, request.path, msgspec.json.decode(await request.read()))

    def answer(self, method: str, path: str, body: Json) -> web.Response:
        name = path.rpartition("/")[2]
        if method == "POST":
            name = body["metadata"]["name"]
            if name in self.events:
                return web.json_response(status(409, "AlreadyExists"), status=409)
            self.events[name] = body
        elif name not in self.events:
            return web.json_response(status(404, "NotFound"), status=404)
        else:
            self.events[name] |= body
        return web.json_response(self.events[name])

    @property
    def told(self) -> list[tuple[str, int]]:
        """Messages and counts."""
        return [(event["message"], event["count"]) for event in self.events.values()]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@asynccontextmanager
async def recording(server: EventServer, clock: FakeClock, **options: Any) -> AsyncIterator[EventRecorder]:
    """A recorder that runs, until it is cancelled without a flush."""
    async with scripted(server) as address, Client(address.config, clock=clock) as client:
        recorder = EventRecorder(client, "tester", clock=clock, chance=lambda: 0.5, **options)
        task = asyncio.create_task(recorder.run())
        try:
            yield recorder
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def say(recorder: EventRecorder, *messages: str) -> None:
    for message in messages:
        recorder.event(POD, "Normal", "Fell", message)


async def flushed(recorder: EventRecorder, clock: FakeClock) -> int:
    """Let time pass until all is written; how many seconds that took."""
    task = asyncio.create_task(recorder.flush(None))
    begun = clock.now()
    while not task.done():
        await eventually(lambda: task.done() or clock.pending_sleeps)
        if not task.done():
            await clock.advance(min(clock.pending_sleeps))
    return round(clock.now() - begun)


async def test_while_no_answer_comes_it_is_tried_again_every_10_seconds_and_first_a_part_of_that(
    clock: FakeClock,
) -> None:
    server = EventServer(None, None, None)
    async with recording(server, clock) as recorder:
        say(recorder, "it fell")
        assert await flushed(recorder, clock) == 25
        assert server.told == [("it fell", 1)]
        assert recorder.state().created == 1


async def test_after_twelve_tries_an_event_is_given_up_and_the_next_has_its_turn(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    server = EventServer(*[None] * MAX_TRIES)
    async with recording(server, clock) as recorder:
        say(recorder, "lost", "kept")
        await flushed(recorder, clock)
        assert (recorder.state().refused, recorder.state().created) == (1, 1)
    assert server.told == [("kept", 1)]
    assert len(server.asked) == MAX_TRIES + 1
    assert len([each for each in caplog.records if "was not written" in each.message]) == 1


@pytest.mark.parametrize(
    "code_and_reason", [(403, "Forbidden"), (404, "NotFound"), (422, "Invalid"), (500, "InternalError")]
)
async def test_what_the_api_server_refuses_is_not_tried_again(
    clock: FakeClock, code_and_reason: tuple[int, str]
) -> None:
    server = EventServer(status(*code_and_reason))
    async with recording(server, clock) as recorder:
        say(recorder, "refused", "kept")
        assert await recorder.flush(None)
        assert recorder.state().refused == 1
    assert server.told == [("kept", 1)]


@pytest.mark.parametrize(("asked", "waited"), [("17", 17), ("3600", 60)])
async def test_an_api_server_that_says_when_to_come_back_is_asked_again_then_within_a_minute(
    clock: FakeClock, asked: str, waited: float
) -> None:
    server = EventServer(status(429, "TooManyRequests"))
    server.retry_after = asked
    async with recording(server, clock) as recorder:
        say(recorder, "it fell")
        assert await flushed(recorder, clock) == waited
    assert server.told == [("it fell", 1)]


async def test_an_event_of_which_only_the_answer_was_lost_is_not_written_twice(clock: FakeClock) -> None:
    server = EventServer()

    async def loses_answers(request: web.Request) -> web.Response:
        answer = await server(request)
        if len(server.asked) == 1 and request.transport is not None:
            request.transport.abort()
        return answer

    async with recording(loses_answers, clock) as recorder:  # type: ignore[arg-type]
        say(recorder, "it fell")
        await flushed(recorder, clock)
        assert recorder.state().created == 1
        assert recorder.state().refused == 0
    assert server.told == [("it fell", 1)]


async def test_a_namespace_that_is_being_deleted_takes_no_events_and_nobody_is_told(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    server = EventServer(status(403, "Forbidden", "it is being terminated", [{"reason": "NamespaceTerminating"}]))
    async with recording(server, clock) as recorder:
        say(recorder, "too late")
        assert await recorder.flush(None)
        assert recorder.state().refused == 1
    assert caplog.records == []


async def test_a_thousand_wait_and_more_are_dropped_counted_and_that_is_said_once(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(ClusterConfig(name="nobody", server="http://127.0.0.1:1"), clock=clock) as client:
        recorder = EventRecorder(client, "tester", clock=clock)
        say(recorder, *["it fell"] * (QUEUE_SIZE + 20))
    assert (recorder.state().queued, recorder.state().dropped) == (QUEUE_SIZE, 20)
    assert [each.message for each in caplog.records] == ["events are dropped: 1,000 wait to be written already"]


async def test_after_the_queue_was_emptied_a_new_flood_is_said_again(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with recording(EventServer(), clock) as recorder:
        for _ in range(2):
            say(recorder, *["it fell"] * (QUEUE_SIZE + 1))
            assert await recorder.flush(None)
    assert len([each for each in caplog.records if "are dropped" in each.message]) == 2


async def test_the_caller_never_waits_while_the_api_server_hangs(clock: FakeClock) -> None:
    async def hangs(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async with recording(hangs, clock) as recorder:  # type: ignore[arg-type]
        say(recorder, *map(str, range(5)))
        assert recorder.state().queued == 5
        flushing = asyncio.create_task(recorder.flush(3))
        await clock.wait_for_sleeper(3, 3.1)
        await clock.advance(3)
        assert await flushing is False
    assert recorder.state().queued == 0
    assert recorder.state().dropped == 5


@pytest.mark.parametrize(
    "arguments",
    [
        (POD, "Bad", "Fell", "it fell"),
        (POD, "Normal", "", "it fell"),
        (POD, "Normal", "Fell", None),
        (None, "Normal", "Fell", "it fell"),
        ({"metadata": {"name": "a"}}, "Normal", "Fell", "it fell"),
    ],
)
async def test_what_is_no_event_is_logged_and_raises_nothing(
    clock: FakeClock, caplog: pytest.LogCaptureFixture, arguments: tuple[Any, ...]
) -> None:
    server = EventServer()
    async with recording(server, clock) as recorder:
        recorder.event(*arguments)
        assert await recorder.flush(None)
        assert recorder.state().refused == 1
    assert server.events == {}
    assert "an event of tester was not recorded" in caplog.text


@pytest.mark.parametrize("word", ["\ud800", "nul \0", "\U0001f600"])
async def test_whatever_the_words_they_hold_nobody_up(clock: FakeClock, word: str) -> None:
    server = EventServer()
    async with recording(server, clock) as recorder:
        recorder.event(POD, "Normal", f"Reason{word}", f"it fell {word}", annotations={"a": word})
        recorder.event(POD, "Normal", "Fell", "next")
        assert await recorder.flush(None)
    assert server.told[-1] == ("next", 1)


async def test_two_runs_of_one_queue_are_refused(clock: FakeClock) -> None:
    async with recording(EventServer(), clock) as recorder:
        say(recorder, "it fell")
        assert await recorder.flush(None)
        with pytest.raises(AlreadyStarted, match="written already"):
            await recorder.for_source("another").run()


async def test_a_recorder_of_nobody_is_refused(clock: FakeClock) -> None:
    async with Client(ClusterConfig(name="nobody", server="http://127.0.0.1:1"), clock=clock) as client:
        with pytest.raises(InvalidCall, match="the name of its component"):
            EventRecorder(client, "")


async def test_events_of_one_moment_have_names_of_their_own(clock: FakeClock) -> None:
    server = EventServer()
    async with recording(server, clock) as recorder:
        say(recorder, "one", "two")
        assert await recorder.flush(None)
    assert server.told == [("one", 1), ("two", 1)]


async def test_recorders_of_several_sources_share_one_queue_and_tell_themselves_apart(clock: FakeClock) -> None:
    server = EventServer()
    async with recording(server, clock) as recorder:
        kubelets = [recorder.for_source("kubelet", f"node-{number}") for number in (1, 2)]
        for each in (*kubelets, recorder):
            say(each, "it fell")
        assert await kubelets[0].flush(None)
        assert kubelets[1].state() == recorder.state()
    sources = [event["source"] for event in server.events.values()]
    assert sources == [
        {"component": "kubelet", "host": "node-1"}, {"component": "kubelet", "host": "node-2"}, {"component": "tester"},
    ]  # fmt: skip
    assert [event["reportingInstance"] for event in server.events.values()] == ["node-1", "node-2", ""]


async def test_events_may_be_said_from_any_thread(clock: FakeClock) -> None:
    server = EventServer()
    async with recording(server, clock) as recorder:
        threads = [threading.Thread(target=say, args=(recorder, f"thread {number}")) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert await recorder.flush(None)
    assert sorted(server.told) == [(f"thread {number}", 1) for number in range(5)]


async def test_what_was_said_before_the_run_is_written_by_it(clock: FakeClock) -> None:
    server = EventServer()
    async with scripted(server) as address, Client(address.config, clock=clock) as client:
        recorder = EventRecorder(client, "tester", clock=clock)
        say(recorder, "early")
        async with recorder:
            pass
    assert server.told == [("early", 1)]


async def test_what_is_said_after_the_end_is_no_error_and_waits_for_another_run(clock: FakeClock) -> None:
    async with recording(EventServer(), clock) as recorder:
        pass
    say(recorder, "too late")
    assert recorder.state().queued == 1


async def test_the_log_of_a_long_outage_has_a_handful_of_lines(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with recording(EventServer(*[status(403, "Forbidden")] * 20), clock) as recorder:
        for number in range(20):
            recorder.event(
                {**msgspec.to_builtins(POD), "metadata": {"name": f"a{number}"}}, "Normal", "Fell", "it fell"
            )
        assert await recorder.flush(None)
    assert len(caplog.records) == 4  # the first three and the tenth
