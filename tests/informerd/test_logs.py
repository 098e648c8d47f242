"""Tests of the log: one line a change of state, a handful for a storm, and fields for programs that read it."""

from __future__ import annotations

import ast
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pythonjsonlogger.json import JsonFormatter

from informerd.cache.api_server_probe import Probe
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.list_watch import Page
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.store import Store
from informerd.errors import CredentialsError, Forbidden, Status, Unreachable
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.informerd.conftest import Setup, StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import EXPIRED, ScriptedServer, bookmark, pod, status
from tests.support.wait import eventually

HANDFUL = 7


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO, "informerd"):
        yield


class Failing:
    """What is probed, and does not answer."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    async def probe(self) -> None:
        if self.error is not None:
            raise self.error


class Source:
    """Takes the place of an informer's lists: they fail with `error` until it is None."""

    def __init__(self, setup: Setup, error: Exception | None) -> None:
        self.error = error
        self.failed = 0
        source = setup.informer._reflector._source
        page = source.page

        async def fail(*given: Any, **named: Any) -> Page[Object]:
            if self.error is None:
                return await page(*given, **named)
            self.failed += 1
            raise self.error

        source.page = fail  # type: ignore[method-assign]

    async def fail_often(self, times: int, clock: FakeClock) -> None:
        """Let so many lists fail."""
        until = self.failed + times
        while self.failed < until:
            await clock.advance(61)


class TestStates:
    async def test_each_change_of_state_is_one_line_with_its_fields(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("ERROR", EXPIRED)
        await clock.wait_for_sleeper(0.8, 1.6)
        retry_at = setup.informer.health().retry_at
        await clock.advance(0.8)
        (await server.take_list()).answer_list([], "20")
        await clock.wait_for_sleeper(0.1, 1)
        await clock.advance(1)
        await (await server.take_watch()).open()
        await eventually(lambda: setup.state == "live")
        changes = [
            (record.levelname, record.__dict__["previous_state"], record.__dict__["state"], record.__dict__["failures"])
            for record in caplog.records
        ]
        assert changes == [
            ("INFO", "starting", "syncing", 0),
            ("INFO", "syncing", "live", 0),
            ("WARNING", "live", "stale", 1),
            ("INFO", "stale", "live", 1),
        ]
        stale = caplog.records[2].__dict__
        assert stale["resource"] == "pods"
        assert stale["problem"] == "too old resource version: 1 (5)"
        assert stale["retry_at"] == retry_at is not None
        assert caplog.messages[2] == "pods: live → stale: too old resource version: 1 (5)"
        assert caplog.messages[3] == "pods: stale → live after 1 failed try"

    async def test_another_problem_in_the_same_state_is_one_line_too(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start(streaming_lists=False)
        for code, reason in ((500, "InternalError"), (500, "InternalError"), (400, "BadRequest"), (400, "BadRequest")):
            (await server.take_list()).fail(status(code, reason, "no"))
            await clock.wait_for_sleeper(0.8)
            await clock.advance(60)
        assert setup.state == "unreachable"
        await server.take_list()
        assert caplog.messages == ["pods: starting → unreachable: no", "pods: still unreachable: no"]
        assert caplog.records[1].__dict__["failures"] == 3

    async def test_events_bookmarks_and_watches_that_end_in_time_say_nothing(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup, watch = await listed(start, server)
        caplog.clear()
        for version in range(11, 1011):
            await watch.send("MODIFIED", pod("a", str(version)))
        await watch.send("BOOKMARK", bookmark("1011"))
        await until_version(setup, "1011")
        await clock.advance(120)
        watch.end()
        await (await server.take_watch()).open()
        await run_ready_tasks()
        assert caplog.messages == []

    async def test_lists_that_come_in_pages_because_streaming_ones_do_not_are_said_once(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        await start()
        for _ in range(5):
            (await server.take_streaming_list()).fail(status(422, "Invalid", "forbidden: sendInitialEvents"))
            (await server.take_list()).answer_list([], "10")
            watch = await server.take_watch()
            await watch.send("ERROR", EXPIRED)
            await clock.wait_for_sleeper(0.8)
            await clock.advance(60)
        assert [text for text in caplog.messages if "streaming" in text] == [
            "pods: listing in pages instead of a streaming list: forbidden: sendInitialEvents"
        ]


class TestStorms:
    @pytest.mark.slow
    async def test_a_thousand_refused_lists_are_one_line_and_their_end_is_one(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start(streaming_lists=False)
        await refused_once(server, clock)
        source = Source(setup, Forbidden(Status(code=403, message="pods is forbidden")))
        await source.fail_often(999, clock)
        assert caplog.messages == ["pods: starting → forbidden: pods is forbidden"]
        source.error = None
        await _retry(clock)
        (await server.take_list()).answer_list([], "10")
        await (await server.take_watch()).open()
        await eventually(lambda: setup.state == "live")
        tries = source.failed + 1
        assert caplog.messages[1:] == ["pods: forbidden → syncing", f"pods: syncing → live after {tries} failed tries"]

    @pytest.mark.slow
    async def test_faults_of_this_library_are_told_with_their_trace_but_not_each_time(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start(streaming_lists=False)
        await refused_once(server, clock)
        await Source(setup, ZeroDivisionError("ours")).fail_often(1000, clock)
        assert len(setup.errors) >= 1000
        faults = [record for record in caplog.records if "unexpected failure" in record.message]
        assert 1 <= len(faults) <= HANDFUL
        assert all(record.exc_info for record in faults)
        assert len(caplog.records) <= HANDFUL + 2

    @pytest.mark.slow
    async def test_failures_of_changing_kinds_are_a_handful_of_lines_each(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start(streaming_lists=False)
        await refused_once(server, clock)
        forbidden, missing = Forbidden(Status(code=403)), Unreachable("no")
        source = Source(setup, missing)
        setup.informer._reflector.recovery.has_list = True  # so that each of them makes it stale
        for number in range(1000):
            source.error = (forbidden, missing)[number % 2]
            await source.fail_often(1, clock)
        assert 3 <= len(caplog.messages) <= 2 * HANDFUL

    @pytest.mark.long
    @pytest.mark.slow
    async def test_an_hour_without_an_api_server_is_two_lines_an_informer(
        self, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        config = ClusterConfig(name="gone", server="http://127.0.0.1:9")
        async with Client(config, clock=clock) as client:
            factory = SharedInformerFactory(client, clock=clock, settings=ReflectorSettings(chance=lambda: 0.0))
            informers = [
                factory.informer(Resource(version="v1", plural=f"things{number}", kind="Thing")) for number in range(20)
            ]
            factory.start()
            await eventually(lambda: all(each.health().state == "unreachable" for each in informers))
            failed = {each.resource.key: each.counters.reflector for each in informers}
            for _ in range(120):
                await _all_wait(clock, 21)
                await clock.advance(30)
            tries = [counters.lists["stream", "unreachable"] for counters in failed.values()]
            await factory.stop()
        assert min(tries) > 50, "they did try"
        by_resource: dict[str, int] = {}
        for record in caplog.records:
            resource = record.__dict__.get("resource", "(probe)")
            by_resource[resource] = by_resource.get(resource, 0) + 1
        assert by_resource == dict.fromkeys(failed, 1) | {"(probe)": 1}, caplog.messages

    async def test_a_thousand_malformed_objects_are_a_handful_of_lines(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup, watch = await listed(start, server)
        caplog.clear()
        for version in range(11, 1011):
            await watch.send("ADDED", pod("x", str(version)) | {"kind": "Node"})
        await watch.send("ADDED", pod("b", "2000"))
        await until_version(setup, "2000")
        assert 1 <= len(caplog.messages) <= HANDFUL
        assert setup.informer.counters.faults["unexpected"] == 1000
        last = caplog.records[-1].__dict__
        assert (last["fault"], last["failures"], last["resource"]) == ("unexpected", 1000, "pods")

    @pytest.mark.slow
    async def test_a_transform_that_fails_for_a_thousand_objects_is_a_handful_of_lines(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def transform(raw: bytes) -> bytes:
            raise ValueError("never")

        setup, watch = await listed(start, server, transform=transform)
        for version in range(11, 1011):
            await watch.send("ADDED", pod("x", str(version)))
        await until_version(setup, "1010")
        faults = [record for record in caplog.records if "transform failed" in record.message]
        assert 1 <= len(faults) <= HANDFUL
        assert all(record.exc_info for record in faults), "with the trace, which is the user's to see"

    async def test_a_handler_that_fails_a_thousand_times_is_a_handful_of_lines(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def on_update(old: Object, new: Object) -> None:
            raise ValueError("never")

        setup, watch = await listed(start, server)
        registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update), name="mine")
        caplog.clear()
        for version in range(11, 1011):
            await watch.send("MODIFIED", pod("a", str(version)))
        await eventually(lambda: registration.failures == 1000)
        assert 1 <= len(caplog.messages) <= HANDFUL
        last = caplog.records[-1].__dict__
        fields = (last["resource"], last["handler"], last["object"], last["failures"])
        assert fields == ("pods", "mine", "default/a", 1000)

    @pytest.mark.slow
    async def test_a_watch_error_handler_that_always_fails_is_a_handful_of_lines(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start(streaming_lists=False)
        await server.take_list()
        setup.informer._reflector.recovery.on_error = lambda error: 1 / 0
        setup.informer.on_health(lambda health: 1 / 0)
        await server.stop()
        lists = setup.informer.counters.reflector.lists
        while lists["pages", "unreachable"] < 200:
            await _retry(clock)
        for sentence in ("the watch-error handler failed", "a health listener failed"):
            assert 1 <= sum(sentence in text for text in caplog.messages) <= HANDFUL

    def test_an_index_that_fails_for_a_thousand_objects_is_a_handful_of_lines(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        store: Store[Object] = Store({"broken": lambda obj: [str(1 // 0)]})
        for number in range(1000):
            store.put(str(number), Object())
        assert 1 <= len(caplog.messages) <= HANDFUL
        assert caplog.records[-1].__dict__["index"] == "broken"

    async def test_an_hour_of_silence_is_one_line_of_the_probe_and_its_end_is_one(
        self, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        probed = Failing(Unreachable("refused"))
        probe = Probe(probed, clock=clock)
        for number in range(720):
            probed.error = Unreachable(f"refused, in words of its own {number}")
            await probe.probe_once()
        probed.error = None
        for _ in range(10):
            await probe.probe_once()
        assert [(record.levelname, record.message) for record in caplog.records] == [
            ("WARNING", "the API server does not answer: refused, in words of its own 0"),
            ("INFO", "the API server answers again after 720 silent probes"),
        ]

    async def test_an_end_after_one_silent_probe_counts_it_in_the_singular(
        self, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        probed = Failing(Unreachable("refused"))
        probe = Probe(probed, clock=clock)
        await probe.probe_once()
        probed.error = None
        await probe.probe_once()
        assert caplog.messages[-1] == "the API server answers again after 1 silent probe"

    @pytest.mark.parametrize("error", [CredentialsError("no plugin"), ZeroDivisionError("ours")])
    async def test_a_probe_that_cannot_be_made_for_an_hour_is_a_handful_of_lines(
        self, clock: FakeClock, caplog: pytest.LogCaptureFixture, error: Exception
    ) -> None:
        probe = Probe(Failing(error), clock=clock)
        for _ in range(720):
            await probe.probe_once()
            await clock.advance(5)
        assert 1 <= len(caplog.messages) <= HANDFUL


class TestFields:
    async def test_a_json_formatter_shows_them(self, start: StartInformer, server: ScriptedServer) -> None:
        """python-json-logger, which is what the dashboard takes."""
        written = io.StringIO()
        handler = logging.StreamHandler(written)
        handler.setFormatter(JsonFormatter("%(levelname)s %(name)s %(message)s"))
        logger = logging.getLogger("informerd")
        logger.addHandler(handler)
        try:
            setup = await start(streaming_lists=False)
            (await server.take_list()).fail(status(403, "Forbidden", "pods is forbidden"))
            await eventually(lambda: setup.state == "forbidden")
        finally:
            logger.removeHandler(handler)
        line = json.loads(written.getvalue().splitlines()[-1])
        assert line.pop("retry_at") > 1_799_999_000
        assert line == {
            "levelname": "WARNING",
            "name": "informerd.cache.health",
            "message": "pods: starting → forbidden: pods is forbidden",
            "resource": "pods",
            "previous_state": "starting",
            "state": "forbidden",
            "problem": "pods is forbidden",
            "failures": 1,
        }

    @pytest.mark.slow
    def test_every_line_that_people_see_has_fields(self) -> None:
        folder = Path(__file__).parents[2] / "informerd"
        calls = [
            (f"{file.name}:{node.lineno}", node)
            for file in folder.rglob("*.py")
            if file.parent.name != "controllers"  # programs, whose lines are for people alone
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "log"
            and node.func.attr != "debug"
        ]
        assert len(calls) > 15, "the log is called by another name now"
        assert [where for where, call in calls if "extra" not in {each.arg for each in call.keywords}] == []


async def refused_once(server: ScriptedServer, clock: FakeClock) -> None:
    """The first list is forbidden, and the next one waits for its time."""
    (await server.take_list()).fail(status(403, "Forbidden", "pods is forbidden"))
    await eventually(lambda: clock.pending_sleeps)


async def _retry(clock: FakeClock) -> None:
    """Let whoever waits for the next try wait no longer."""
    await eventually(lambda: clock.pending_sleeps)
    await clock.advance(61)


async def _all_wait(clock: FakeClock, count: int) -> None:
    await eventually(lambda: len(clock.pending_sleeps) >= count, what="all informers and the probe wait")
