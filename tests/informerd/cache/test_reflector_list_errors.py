"""Tests of lists that fail: the delay between tries, and an unreachable server, a forbidden, absent or vanished
resource meanwhile.
"""

from __future__ import annotations

import pytest

from informerd.errors import NotFound
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed
from tests.support.scripted_api_server import EXPIRED, ScriptedServer, pod, status
from tests.support.wait import eventually


async def test_failures_are_spaced_0_8_to_30_seconds_doubled_by_chance_and_start_over_after_two_quiet_minutes(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    waits = []
    for _ in range(8):
        (await server.take_list()).fail(status(500, "InternalError"))
        waits.append(await clock.wait_for_sleeper())
        await clock.advance(waits[-1])
    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30])
    (await server.take_list()).answer_list([], "10")
    watch = await server.take_watch()
    await watch.open()
    await eventually(lambda: setup.state == "live")
    await clock.advance(121)
    await watch.send("ERROR", EXPIRED)
    assert await clock.wait_for_sleeper(below=60) == pytest.approx(0.8)


async def test_an_unreachable_server_is_said_to_be_so_until_it_is_there(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    await server.stop()
    setup = await start()
    assert setup.state == "starting"
    await eventually(lambda: setup.state == "unreachable")
    assert "refused" in setup.informer.health().problem
    assert not setup.informer.health().has_answer
    await server.start()
    await clock.advance(2)
    await (await server.take()).send_list([], "10")
    await eventually(lambda: setup.state == "live")
    assert setup.informer.health().problem == ""


async def test_a_forbidden_list_is_forbidden_before_the_first_and_stale_after_it(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).fail(status(403, "Forbidden", "pods is forbidden: User bob cannot list"))
    await eventually(lambda: setup.state == "forbidden")
    assert "User bob cannot list" in setup.informer.health().problem
    await clock.advance(1)
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(1.6, 3.2)
    await clock.advance(2)
    (await server.take_list()).fail(status(403, "Forbidden"))
    await eventually(lambda: setup.informer.health().problem == "Forbidden")
    assert setup.state == "stale"
    assert setup.informer.health().has_answer
    assert setup.keys == {"default/a": "5"}


async def test_a_resource_that_does_not_exist_is_asked_for_every_5_seconds_at_most(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    waits = []
    for _ in range(5):
        (await server.take_streaming_list()).fail(status(404, "NotFound"))
        (await server.take_list()).fail(status(404, "NotFound"))
        waits.append(await clock.wait_for_sleeper())
        assert setup.state == "absent"
        await clock.advance(5)
    assert waits == pytest.approx([0.8, 1.6, 3.2, 5, 5])
    assert not setup.informer.has_synced
    await (await server.take_streaming_list()).send_list([pod("a", "5")], "10")
    await eventually(lambda: setup.state == "live")
    assert setup.keys == {"default/a": "5"}


async def test_objects_of_a_resource_that_vanishes_stay_until_it_is_listed_again_where_that_is_wanted(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server, keep_absent=True)
    await clock.advance(2)
    watch.end()
    (await server.take_watch()).fail(status(404, "NotFound"))
    await clock.wait_for_sleeper(0.8, 1.6)
    assert (setup.state, setup.keys) == ("absent", {"default/a": "5"})
    await clock.advance(2)
    (await server.take_list()).answer_list([pod("b", "7")], "10")
    await eventually(lambda: setup.keys == {"default/b": "7"})
    await eventually(lambda: "delete default/a@5" in setup.recorder.words)


async def test_a_resource_that_vanishes_takes_its_objects_with_it(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await clock.advance(2)
    watch.end()
    (await server.take_watch()).fail(status(404, "NotFound"))
    await clock.wait_for_sleeper(0.8, 1.6)
    assert setup.state == "absent"
    assert isinstance(setup.errors[0], NotFound)
    await eventually(lambda: setup.recorder.words[-1] == "delete default/a@5")
    assert setup.recorder.told[-1][3] is True
    await clock.advance(1)
    again = await server.take_list()
    assert again.version == "0"
    again.answer_list([pod("a", "30")], "31")
    await (await server.take_watch()).open()
    await eventually(lambda: setup.state == "live")
    assert setup.recorder.words[-1] == "add default/a@30"
