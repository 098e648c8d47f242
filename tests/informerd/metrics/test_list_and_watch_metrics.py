"""Tests of the metrics of lists and watches by outcome."""

from __future__ import annotations

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from tests.informerd.metrics.conftest import Metered
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.scripted_api_server import EXPIRED, TOO_LARGE, ScriptedServer, bookmark, pod, status
from tests.support.wait import eventually

REFUSALS = {
    "expired": EXPIRED,
    "too_large": TOO_LARGE,
    "too_many_requests": status(429, "TooManyRequests"),
    "forbidden": status(403, "Forbidden"),
    "unauthorized": status(401, "Unauthorized"),
    "absent": status(404, "NotFound"),
    "server_error": status(500, "InternalError"),
    "refused": status(400, "BadRequest"),
}


class TestOutcomes:
    @pytest.mark.parametrize("outcome", REFUSALS)
    async def test_a_list_that_is_refused_is_counted_by_the_reason(self, metered: Metered, outcome: str) -> None:
        answer = REFUSALS[outcome]
        metered.factory.start()
        (await metered.server.take_list()).fail(answer, retry_after=0 if outcome == "too_many_requests" else None)
        for _ in range(9 if outcome == "too_many_requests" else 0):  # the client itself tries again, ten times
            await run_ready_tasks()
            (await metered.server.take_list()).fail(answer, retry_after=0)
        await metered.becomes(1, "lists_total", method="pages", outcome=outcome)
        assert metered.value("list_duration_seconds_count", method="pages") == 0

    async def test_a_list_that_is_malformed_is_counted(self, metered: Metered) -> None:
        metered.factory.start()
        (await metered.server.take_list()).answer_text("no JSON")
        await metered.becomes(1, "lists_total", method="pages", outcome="malformed")

    async def test_a_list_that_nobody_answers_is_counted(self, metered: Metered) -> None:
        await metered.server.stop()
        metered.factory.start()
        await metered.becomes(1, "lists_total", method="pages", outcome="unreachable")
        assert metered.value("state", state="unreachable") == 1

    async def test_a_list_that_comes_is_counted_and_timed(self, metered: Metered) -> None:
        metered.factory.start()
        request = await metered.server.take_list()
        await metered.clock.advance(2)
        request.answer_list([], "10")
        await metered.becomes(1, "lists_total", method="pages", outcome="ok")
        scrape = metered.scrape()
        assert scrape.get("list_duration_seconds_sum", method="pages") == 2
        assert scrape.get("list_duration_seconds_bucket", method="pages", le="1.0") == 0
        assert scrape.get("list_duration_seconds_bucket", method="pages", le="2.5") == 1

    async def test_a_watch_that_ends_at_once_is_short(self, metered: Metered) -> None:
        (await metered.listed()).end()
        await metered.becomes(1, "watches_total", outcome="short")

    async def test_a_watch_whose_connection_breaks_is_cut_off(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(1, "objects")
        watch.drop()
        await metered.becomes(1, "watches_total", outcome="cut_off")

    async def test_a_watch_that_the_server_forgets_to_end_is_overtime(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(1, "objects")
        await metered.clock.advance(331)
        await metered.becomes(1, "watches_total", outcome="overtime")

    async def test_a_watch_that_ends_with_an_error_is_counted_by_it(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ERROR", EXPIRED)
        await metered.becomes(1, "watches_total", outcome="expired")

    async def test_a_watch_whose_server_has_gone_back_in_time_has_lost_its_history(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("BOOKMARK", bookmark("3"))
        await metered.becomes(1, "watches_total", outcome="history_lost")

    async def test_a_watch_that_cannot_begin_is_counted_without_a_duration(self, metered: Metered) -> None:
        metered.factory.start()
        (await metered.server.take_list()).answer_list([], "10")
        (await metered.server.take_watch()).fail(status(403, "Forbidden"))
        await metered.becomes(1, "watches_total", outcome="forbidden")
        assert metered.value("watch_duration_seconds_count") == 0

    async def test_streaming_lists_are_lists_of_their_own_method_and_then_watches(
        self, server: ScriptedServer, clock: FakeClock
    ) -> None:
        async with server.client(clock) as client:
            factory = SharedInformerFactory(client, clock=clock, settings=ReflectorSettings(chance=lambda: 0.0))
            metered = Metered(factory, server, clock)
            factory.start()
            cut = await server.take_streaming_list()
            await cut.send("ADDED", pod("a", "1"))
            await eventually(lambda: metered.informer.health().listed == 1)
            await clock.advance(2)
            cut.end()
            stream = await server.take_streaming_list()
            await metered.becomes(1, "lists_total", method="stream", outcome="cut_off")
            await stream.send_list([pod("a", "1")], "10")
            await metered.becomes(1, "lists_total", method="stream", outcome="ok")
            assert metered.value("watches_total", outcome="ok") is None
            await clock.advance(2)
            stream.end()
            await metered.becomes(1, "watches_total", outcome="ok")
            await factory.stop()
