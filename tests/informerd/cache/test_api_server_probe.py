"""Tests of the probe: a server that has stopped answering is noticed within one probe, and its return too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from informerd.cache.api_server_probe import Probe
from informerd.clock import SystemClock
from informerd.errors import CredentialsError, NotConnected, ServerError, Status, Unreachable
from informerd.objects import Object
from informerd.rest.client import Client
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.listed_informer import listed
from tests.support.scripted_api_server import ScriptedServer, pod, status
from tests.support.wait import eventually


class Patient:
    """A probed thing that answers as it is told."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    async def probe(self) -> bool:
        if self.error is not None:
            raise self.error
        return True


class Listener:
    def __init__(self) -> None:
        self.told: list[str] = []

    def probe_answered(self, *, is_healthy: bool) -> None:
        self.told.append("" if is_healthy else "unwell")

    def probe_failed(self, problem: str) -> None:
        self.told.append(problem)


@pytest.fixture
def patient() -> Patient:
    return Patient()


@pytest.fixture
def probe(patient: Patient, clock: FakeClock) -> Probe:
    return Probe(patient, clock=clock)


async def test_any_answer_is_a_sign_of_life(probe: Probe, patient: Patient) -> None:
    listener = Listener()
    probe.subscribe(listener)
    await probe.probe_once()
    patient.error = ServerError(Status(code=500, reason="InternalError"))
    await probe.probe_once()
    assert listener.told == ["", "unwell"]
    assert probe.problem == ""


async def test_the_word_of_a_server_that_says_it_is_unwell_is_no_news(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    """An API server that has lost etcd answers probes with 500 and keeps its watches open, silent."""
    probe = Probe(patient, clock=clock)
    setup, _ = await listed(start, server, probe=probe)
    await probe.probe_once()
    heard = setup.informer.health().heard
    patient.error = ServerError(Status(code=500, reason="InternalError"))
    await clock.advance(60)
    await probe.probe_once()
    assert setup.informer.health().heard == heard
    assert setup.state == "live"
    patient.error = None
    await probe.probe_once()
    assert setup.informer.health().heard == clock.time()


async def test_no_answer_is_told_to_all_until_they_unsubscribe(probe: Probe, patient: Patient) -> None:
    first, second = Listener(), Listener()
    probe.subscribe(first)
    probe.subscribe(second)
    patient.error = Unreachable("it did not answer in time")
    await probe.probe_once()
    probe.unsubscribe(second)
    probe.unsubscribe(second)
    patient.error = None
    await probe.probe_once()
    assert first.told == ["the API server does not answer: it did not answer in time", ""]
    assert len(second.told) == 1


async def test_missing_credentials_say_nothing_about_the_server(probe: Probe, patient: Patient) -> None:
    listener = Listener()
    probe.subscribe(listener)
    patient.error = CredentialsError("the plugin failed")
    await probe.probe_once()
    assert listener.told == []


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[Client]:
    async with server.client(SystemClock()) as client:
        yield client


async def test_a_failed_probe_makes_a_silent_stream_stale_and_it_is_resumed(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    probe = Probe(patient, clock=clock)
    setup = await start(probe=probe)
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await eventually(lambda: setup.state == "live")
    patient.error = Unreachable("it did not answer in time")
    await probe.probe_once()
    assert setup.state == "stale"
    assert "it did not answer in time" in setup.informer.health().problem
    await eventually(lambda: stream.is_gone)
    await eventually(lambda: setup.informer.health().retry_at)
    assert setup.keys == {"default/a": "1"}
    patient.error = None
    await probe.probe_once()
    await clock.wait_for_sleeper(0.1, 1.1)
    await clock.advance(1)
    await server.tell_version("10")
    watch = await server.take_watch()
    assert watch.version == "10"
    await watch.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.keys == {"default/a": "11"} and setup.state == "live")


async def test_a_failed_probe_makes_it_stale_while_the_next_watch_has_no_answer(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    """A server that froze after a watch's clean end: the connection stands, and the answer's head does not come."""
    probe = Probe(patient, clock=clock)
    setup, watch = await listed(start, server, probe=probe)
    await watch.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.keys == {"default/a": "11"})
    await clock.advance(2)
    watch.end()
    resumed = await server.take_watch()
    assert setup.state == "live"
    patient.error = Unreachable("it did not answer in time")
    await probe.probe_once()
    assert setup.state == "stale"
    assert "it did not answer in time" in setup.informer.health().problem
    await eventually(lambda: resumed.is_gone, what="the wait for the watch's beginning has ended")
    await eventually(lambda: setup.informer.health().retry_at)
    assert "answered neither the request nor a probe" in setup.informer.health().problem
    patient.error = None
    await probe.probe_once()
    await clock.advance(1)
    (await server.take_list()).answer_list([pod("a", "11")], "11")
    again = await server.take_watch()
    assert again.version == "11"
    await again.send("MODIFIED", pod("a", "12"))
    await eventually(lambda: setup.keys == {"default/a": "12"} and setup.state == "live")


async def test_a_failed_probe_ends_the_wait_for_a_first_list_that_does_not_begin(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    probe = Probe(patient, clock=clock)
    setup = await start(probe=probe)
    await server.take_streaming_list()
    patient.error = Unreachable("it did not answer in time")
    await probe.probe_once()
    await probe.probe_once()
    await eventually(lambda: setup.state == "unreachable")
    patient.error = None
    await probe.probe_once()
    await clock.advance(1)
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: setup.state == "live")


async def test_a_failed_probe_leaves_a_list_alone_that_is_being_answered(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    """A busy server may answer a list of 100,000 objects and no probe; begun anew it would only be busier."""
    probe = Probe(patient, clock=clock)
    setup = await start(probe=probe, streaming_lists=False)
    listing = await server.take_list()
    before = setup.informer.health()
    patient.error = Unreachable("it did not answer in time")
    await probe.probe_once()
    assert setup.informer.health() == before
    listing.answer_list([pod("a", "1")], "10")
    await setup.informer.wait_for_sync()


async def test_a_listener_that_raises_is_logged_and_neither_ends_the_probe_nor_keeps_others_from_being_told(
    probe: Probe, patient: Patient, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def probe_answered(self, *, is_healthy: bool) -> None:
            raise RuntimeError("answered")

        def probe_failed(self, problem: str) -> None:
            raise RuntimeError("failed")

    listener = Listener()
    probe.subscribe(Broken())
    probe.subscribe(listener)
    running = asyncio.create_task(probe.run())
    await clock.wait_for_sleeper(5)
    await clock.advance(5)
    patient.error = Unreachable("no")
    await clock.advance(5)
    assert not running.done()
    assert listener.told == ["", "the API server does not answer: no"]
    assert "RuntimeError: answered" in caplog.text
    assert "RuntimeError: failed" in caplog.text
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_good_probe_after_a_bad_one_ends_the_wait_for_the_next_try(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    probe = Probe(patient, clock=clock)
    await server.stop()
    setup = await start(probe=probe)
    for _ in range(6):
        await clock.wait_for_sleeper(0.8)
        await clock.advance(60)
    await clock.wait_for_sleeper(20)
    patient.error = Unreachable("refused")
    await probe.probe_once()
    await server.start()
    patient.error = None
    await probe.probe_once()
    await (await server.take_streaming_list()).send_list([], "10")
    await eventually(lambda: setup.state == "live")


async def test_a_good_probe_is_a_word_heard(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, probe: Probe
) -> None:
    setup = await start(probe=probe)
    await (await server.take_streaming_list()).send_list([], "10")
    await eventually(lambda: setup.state == "live")
    await clock.advance(42)
    await probe.probe_once()
    health = setup.informer.health()
    assert health.heard == clock.time()
    assert health.last_event is None


async def test_it_runs_every_5_seconds(server: ScriptedServer, clock: FakeClock, client: Client) -> None:
    probe = Probe(client, clock=clock)
    running = asyncio.create_task(probe.run())
    for count in range(1, 4):
        await clock.wait_for_sleeper(5)
        await clock.advance(5)
        await eventually(lambda count=count: server.probes == count)  # type: ignore[misc]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_probe_that_fails_while_a_list_goes_into_the_store_keeps_it_from_being_called_live(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    probe = Probe(patient, clock=clock)
    setup = await start(probe=probe)
    states: list[str] = []
    setup.informer.on_health(lambda health: states.append(health.state))
    failing: list[asyncio.Task[None]] = []

    def fail_the_probe(_obj: Object) -> list[str]:
        if not failing:
            patient.error = Unreachable("it did not answer in time")
            failing.append(asyncio.ensure_future(probe.probe_once()))
        return []

    setup.informer.add_index("probing", fail_the_probe)
    stream = await server.take_streaming_list()
    await stream.send_list([pod(f"p{number}", str(number)) for number in range(1, 5000)], "5000")
    await setup.informer.wait_for_sync()
    await eventually(lambda: setup.informer.health().retry_at)
    assert states == ["syncing", "unreachable", "stale"]
    assert len(setup.keys) == 4999
    await failing[0]


async def test_it_runs_each_second_while_the_server_is_in_doubt(
    probe: Probe, patient: Patient, clock: FakeClock
) -> None:
    """Somebody could not reach it, or it says that it is not well: until it is."""
    running = asyncio.create_task(probe.run())
    await clock.wait_for_sleeper(5)
    probe.suspect()
    patient.error = ServerError(Status(code=500, reason="InternalError"))
    for count in range(1, 4):
        await clock.wait_for_sleeper(1, 1.1)
        await clock.advance(1)
        await eventually(lambda count=count: probe.outcomes["refused"] == count)  # type: ignore[misc]
    patient.error = None
    await clock.wait_for_sleeper(1, 1.1)
    await clock.advance(1)
    await clock.wait_for_sleeper(5)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_good_probe_ends_the_wait_for_a_server_that_could_not_be_reached_but_not_again_and_again(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, probe: Probe
) -> None:
    """It was away for less than the time between two probes. What answers probes and nothing else is believed once."""
    await server.stop()
    setup = await start(probe=probe)
    await clock.wait_for_sleeper(0.8, 1.6)
    failures = len(setup.errors)
    await probe.probe_once()
    await eventually(lambda: len(setup.errors) == failures + 1)
    await probe.probe_once()
    await clock.wait_for_sleeper(1.6, 3.2)
    assert len(setup.errors) == failures + 1
    await server.start()
    await clock.advance(3.2)
    await (await server.take_streaming_list()).send_list([], "10")
    await eventually(lambda: setup.state == "live")


async def test_while_no_connection_can_be_made_it_tries_each_half_second(
    probe: Probe, patient: Patient, clock: FakeClock
) -> None:
    running = asyncio.create_task(probe.run())
    await clock.wait_for_sleeper(5)
    probe.suspect()
    patient.error = NotConnected("refused")
    await clock.wait_for_sleeper(1, 1.1)
    await clock.advance(1)
    for _ in range(3):
        await clock.wait_for_sleeper(0.5, 0.6)
        await clock.advance(0.5)
    patient.error = Unreachable("it did not answer in time")
    await clock.advance(0.5)
    await clock.wait_for_sleeper(1, 1.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_tries_without_a_connection_do_not_lengthen_the_wait_after_the_first_answer(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient
) -> None:
    """An API server that has just been started answers with 503 for a moment, and with 403 until it knows its roles."""
    probe = Probe(patient, clock=clock)
    await server.stop()
    setup = await start(probe=probe)
    for _ in range(6):
        await clock.wait_for_sleeper(0.8)
        await clock.advance(60)
    patient.error = NotConnected("refused")
    await probe.probe_once()
    await server.start()
    patient.error = ServerError(Status(code=500, reason="InternalError"))
    await probe.probe_once()
    (await server.take_streaming_list()).fail(status(503, "ServiceUnavailable"))
    (await server.take_list()).fail(status(503, "ServiceUnavailable"))
    await eventually(lambda: "ServiceUnavailable" in setup.informer.health().problem)
    await clock.wait_for_sleeper(0.8, 1.6)


@pytest.mark.parametrize("retry_after", [0, 30], ids=["whatever it said", "where it said how long to wait"])
async def test_the_first_good_probe_after_a_silence_ends_the_wait_for_an_answer(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, patient: Patient, retry_after: int
) -> None:
    probe = Probe(patient, clock=clock)
    setup = await start(probe=probe)
    first = await server.take_streaming_list()
    patient.error = Unreachable("refused")
    await probe.probe_once()
    await eventually(lambda: first.is_gone)
    await eventually(lambda: len(setup.errors) == 1)
    patient.error = ServerError(Status(code=500, reason="InternalError"))
    await probe.probe_once()
    await clock.advance(1)
    (await server.take_streaming_list()).fail(status(429, "TooManyRequests"), retry_after=retry_after)
    await eventually(lambda: len(setup.errors) == 2)
    await clock.advance(1.1)
    patient.error = None
    await probe.probe_once()
    if retry_after:
        await run_ready_tasks()
        assert setup.informer.health().retry_at == pytest.approx(clock.time() + 28.9)
        return
    (await server.take_streaming_list()).fail(status(429, "TooManyRequests"))
    await eventually(lambda: len(setup.errors) == 3)
    await probe.probe_once()  # only the first one
    await run_ready_tasks()
    assert len(setup.errors) == 3
