"""Tests of an API server that is overloaded or silent: retry times, without a relist."""

from __future__ import annotations

import pytest

from informerd.errors import Unreachable
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import ScriptedServer, pod, status
from tests.support.wait import eventually


async def test_too_many_requests_at_the_start_are_waited_out_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "10")
    (await server.take_watch()).fail(status(429, "TooManyRequests"), retry_after=4)
    await clock.wait_for_sleeper(4, 4.1)
    assert setup.state == "stale"
    await clock.advance(4)
    assert (await server.take_watch()).version == "10"


async def test_too_many_requests_in_the_stream_are_waited_out_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await watch.send("ERROR", status(429, "TooManyRequests"))
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(1)
    assert (await server.take_watch()).version == "11"
    assert setup.keys == {"default/a": "11"}


async def test_a_refused_connection_makes_it_stale_and_is_resumed_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    await server.stop()
    await clock.wait_for_sleeper(0.5, 1.1)
    await clock.advance(1)
    await eventually(lambda: setup.state == "stale")
    health = setup.informer.health()
    assert "refused" in health.problem
    assert health.retry_at == pytest.approx(clock.time() + 0.5)  # nothing was sent, and nobody probes
    await clock.advance(0.5)
    await eventually(lambda: len(setup.errors) == 2)
    assert setup.informer.health().retry_at == pytest.approx(clock.time() + 0.5)
    assert isinstance(setup.errors[0], Unreachable)
    await server.start()
    await clock.advance(1.6)
    (await server.take_list()).answer_list([pod("a", "11")], "11")
    assert (await server.take_watch()).version == "11"


@pytest.mark.parametrize(
    ("retry_after", "date", "waits"),
    [
        (4, "", 4.0),
        ("Fri, 15 Jan 2027 08:17:00 GMT", "Fri, 15 Jan 2027 08:16:51 GMT", 9.0),
        ("Thu, 01 Jan 1970 00:00:09 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", 9.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 15 Jan 2027 08:16:51 GMT", 0.8),
        ("soon", "", 0.8),
        ("99999999999999999999", "", 600.0),
    ],
    ids=["seconds", "a date", "a date on a clock that is wrong", "a date in the past", "words", "absurd"],
)
async def test_too_many_requests_say_when_to_come_again(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, retry_after: int | str, date: str, waits: float
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "10")
    (await server.take_watch()).fail(status(429, "TooManyRequests"), retry_after=retry_after, date=date)
    await eventually(lambda: setup.errors)
    assert await clock.wait_for_sleeper() == pytest.approx(waits)
    await clock.advance(waits)
    assert (await server.take_watch()).version == "10"


async def test_too_many_requests_in_the_stream_say_in_the_status_when_to_come_again(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ERROR", status(429, "TooManyRequests", retry_after=9))
    await eventually(lambda: setup.errors)
    assert await clock.wait_for_sleeper(8, 10) == 9
    await clock.advance(9)
    assert (await server.take_watch()).version == "10"


async def test_many_refusals_and_too_many_requests_never_lead_to_a_relist_and_each_waits_longer(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's InitConnBackoff, BackoffOnTooManyRequests and NoRelistOnTooManyRequests."""
    setup, watch = await listed(start, server)
    waits = []
    for count in range(8):
        if count % 2:
            watch.fail(status(429, "TooManyRequests"))
        else:
            await watch.send("ERROR", status(429, "TooManyRequests"))
        await eventually(lambda count=count: len(setup.errors) == count + 1)  # type: ignore[misc]
        waits.append(await clock.wait_for_sleeper(below=40))
        await clock.advance(max(waits[-1], 1))
        watch = await server.take_watch()
        assert watch.version == "10"
    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30])
    assert setup.informer.health().relists == 0
