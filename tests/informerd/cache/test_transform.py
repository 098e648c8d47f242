"""Tests of an informer's transform, in the first list, in relists and in watches."""

from __future__ import annotations

import pytest

from tests.informerd.cache.test_relist import BAR, BAZ, FOO
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import until_version
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import EXPIRED, Json, Request, ScriptedServer, pod
from tests.support.wait import eventually


async def test_a_transform_is_applied_to_what_comes_and_to_nothing_else(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """Not to tombstones, and not to what a resync tells again."""
    transformed: list[bytes] = []

    def transform(raw: bytes) -> bytes:
        transformed.append(raw)
        return raw

    setup = await start(transform=transform)
    resyncing = Recorder()
    setup.informer.add_handler(resyncing, resync=1)
    stream = await server.take_streaming_list()
    await stream.send_list([FOO, BAR], "8")
    await eventually(lambda: len(resyncing.told) == 2)
    await clock.advance(1)
    await eventually(lambda: len(resyncing.told) == 4)
    assert len(transformed) == 2
    await stream.send("ERROR", EXPIRED)
    await eventually(lambda: setup.errors)
    await clock.advance(5)
    await (await server.take_streaming_list()).send_list([BAR], "20")
    await until_version(setup, "20")
    await eventually(lambda: setup.recorder.told[-1] == ("delete", "default/foo", "5", True))
    assert len(transformed) == 3


async def test_a_transform_may_be_applied_to_what_it_has_made(start: StartInformer, server: ScriptedServer) -> None:
    """It is, where a list and a watch bring the same object."""
    setup = await start(transform=lambda raw: raw.replace(b"secret", b"masked"))
    stream = await server.take_streaming_list()
    made = pod("a", "5", labels={"x": "secret"})
    await stream.send_list([made], "8")
    await stream.send("MODIFIED", pod("a", "9", labels={"x": "masked"}))
    await until_version(setup, "9")
    stored = setup.informer.store.get("default/a")
    assert stored is not None
    assert stored.full()["metadata"]["labels"] == {"x": "masked"}


@pytest.mark.parametrize("streaming", [True, False])
async def test_an_object_that_cannot_be_transformed_any_more_stays_as_it_was(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, streaming: bool
) -> None:
    """It exists: to tell handlers that it was deleted would be untrue. (client-go would not take the list at all.)"""

    def transform(raw: bytes) -> bytes:
        if b"broken" in raw:
            raise ValueError("broken")
        return raw

    setup = await start(transform=transform, streaming_lists=streaming)
    broken, new = pod("foo", "11", labels={"x": "broken"}), pod("new", "12", labels={"x": "broken"})

    async def answer(pods: list[Json], version: str) -> Request:
        if streaming:
            stream = await server.take_streaming_list()
            await stream.send_list(pods, version)
            return stream
        (await server.take_list()).answer_list(pods, version)
        return await server.take_watch()

    watch = await answer([FOO, BAR, BAZ], "8")
    await setup.informer.wait_for_sync()
    await watch.send("ERROR", EXPIRED)
    await eventually(lambda: setup.errors)
    await clock.advance(5)
    watch = await answer([broken, new, BAR], "20")
    await until_version(setup, "20")
    assert setup.keys == {"default/foo": "5", "default/bar": "6"}
    await eventually(lambda: setup.recorder.told[3:] == [("delete", "default/baz", "7", True)])
    await watch.send("DELETED", broken)
    await eventually(lambda: setup.recorder.told[4:] == [("delete", "default/foo", "5", True)])
    assert setup.keys == {"default/bar": "6"}


async def test_an_object_that_is_deleted_among_the_initial_events_is_gone_though_it_could_not_be_transformed(
    start: StartInformer, server: ScriptedServer
) -> None:
    def transform(raw: bytes) -> bytes:
        if b"broken" in raw:
            raise ValueError("broken")
        return raw

    setup = await start(transform=transform)
    stream = await server.take_streaming_list()
    await stream.send_list([FOO, BAR], "8")
    await setup.informer.wait_for_sync()
    await stream.send("ERROR", EXPIRED)
    await eventually(lambda: setup.errors)
    await setup.clock.advance(5)
    again = await server.take_streaming_list()
    broken = pod("foo", "11", labels={"x": "broken"})
    await again.send_all([("ADDED", broken), ("ADDED", BAR), ("DELETED", broken)])
    await again.send_list([], "20")
    await until_version(setup, "20")
    assert setup.keys == {"default/bar": "6"}
