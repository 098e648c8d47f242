"""Tests of the shared informer: the changes that its store and its handlers see, in order, until its end."""

from __future__ import annotations

import asyncio
import gc
from itertools import pairwise

import pytest

from informerd.cache.handler import HandlerFunctions, is_another_object
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import AlreadyStarted
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.recording_handler import Recorder
from tests.support.informerd.relist import Running, relist
from tests.support.scripted_api_server import ScriptedServer, bookmark, pod
from tests.support.wait import eventually


async def test_the_initial_list_is_told_as_such_and_later_adds_are_not(running: Running) -> None:
    setup, stream = running
    await stream.send("ADDED", pod("c", "11"))
    await stream.send("MODIFIED", pod("c", "12"))
    await stream.send("DELETED", pod("c", "13"))
    await eventually(lambda: len(setup.recorder.told) == 5)
    assert setup.recorder.told == [
        ("add", "default/a", "1", True),
        ("add", "default/b", "2", True),
        ("add", "default/c", "11", False),
        ("update", "default/c", "12", "11"),
        ("delete", "default/c", "13", False),
    ]


async def test_has_synced_holds_for_an_empty_list_too(start: StartInformer, server: ScriptedServer) -> None:
    setup = await start()
    assert not setup.informer.has_synced
    await (await server.take_streaming_list()).send_list([], "10")
    await setup.informer.wait_for_sync()
    registration = setup.informer.add_handler(Recorder())
    await registration.wait_for_sync()
    assert setup.informer.store.resource_version == "10"


async def test_stopping_leaves_no_task_behind(start: StartInformer, server: ScriptedServer) -> None:
    before = asyncio.all_tasks()
    client = server.client(FakeClock())
    informer = SharedInformer(ListWatch(client, PODS, projection=Object), clock=FakeClock())

    async def blocked(obj: Object, is_in_initial_list: bool) -> None:
        await asyncio.Event().wait()

    informer.add_handler(HandlerFunctions(on_add=blocked))
    running = asyncio.create_task(informer.run())
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await informer.wait_for_sync()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await client.close()
    await eventually(lambda: stream.is_gone)
    await server.stop()
    await eventually(lambda: asyncio.all_tasks() - before == set())
    gc.collect()


async def test_the_watch_error_handler_must_be_set_before_the_start(running: Running) -> None:
    with pytest.raises(AlreadyStarted):
        running[0].informer.set_watch_error_handler(lambda error: None)


async def test_a_delete_and_re_create_that_was_missed_is_one_update_with_another_uid(running: Running) -> None:
    setup, stream = running
    pairs: list[tuple[Object, Object]] = []
    setup.informer.add_handler(HandlerFunctions(on_update=lambda old, new: pairs.append((old, new))))
    await relist(setup, stream, pod("a", "12", uid="another"), pod("b", "13"), version="15")
    await eventually(lambda: len(pairs) == 2)
    assert [is_another_object(*pair) for pair in pairs] == [True, False]


async def test_an_index_added_while_running_answers_at_once(running: Running) -> None:
    setup, stream = running
    setup.informer.add_index("node", lambda obj: [obj.metadata.name])
    assert setup.informer.store.index_keys("node", "a") == ["default/a"]
    await stream.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.informer.store.index_keys("node", "c") == ["default/c"])


async def test_a_delete_of_what_is_not_there_tells_nobody(running: Running) -> None:
    setup, stream = running
    await stream.send("DELETED", pod("zzz", "11"))
    await stream.send("DELETED", pod("a", "12"))
    await eventually(lambda: setup.recorder.words[-1] == "delete default/a@12")
    assert len(setup.recorder.told) == 3


async def test_wait_for_returns_when_the_store_has_seen_that_version(running: Running) -> None:
    setup, stream = running
    await setup.informer.wait_for("9")
    waiting = asyncio.create_task(setup.informer.wait_for("100"))
    await stream.send("MODIFIED", pod("a", "99"))
    await eventually(lambda: setup.keys["default/a"] == "99")
    assert not waiting.done()
    await stream.send("BOOKMARK", bookmark("101"))
    await waiting
    assert setup.informer.store.resource_version == "101"


async def test_another_object_of_the_same_name_is_told_even_at_the_same_version(running: Running) -> None:
    """A store restored from a backup counts its versions from there once more."""
    setup, stream = running
    updates: list[tuple[str, str]] = []
    handler: HandlerFunctions[Object] = HandlerFunctions(
        on_update=lambda old, new: updates.append((old.metadata.uid, new.metadata.uid))
    )
    setup.informer.add_handler(handler)
    await relist(setup, stream, pod("a", "1", uid="another"), pod("b", "2"), version="10")
    await eventually(lambda: updates == [("uid-a", "another")])


async def test_another_state_of_the_same_object_is_told_even_at_the_same_version(running: Running) -> None:
    """A store restored from a backup gives the object a version that another state of it had before."""
    setup, stream = running
    stream = await relist(setup, stream, pod("a", "1", labels={"x": "y"}), pod("b", "2"), version="10")
    await eventually(lambda: len(setup.recorder.told) == 3)
    assert setup.recorder.told[2] == ("update", "default/a", "1", "1")
    await relist(setup, stream, pod("a", "1", labels={"x": "y"}), pod("b", "2") | {"spec": {}}, version="10")
    await eventually(lambda: len(setup.recorder.told) == 4)
    assert setup.recorder.told[3] == ("update", "default/b", "2", "2")


async def test_the_event_loop_gets_its_turn_between_batches(running: Running) -> None:
    setup, stream = running
    sizes = []

    async def watcher() -> None:
        while True:
            sizes.append(len(setup.informer.store))
            await asyncio.sleep(0)

    task = asyncio.create_task(watcher())
    await stream.send_all(("ADDED", pod(f"p{number}", str(100 + number))) for number in range(3000))
    await eventually(lambda: len(setup.informer.store) == 3002)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert max(after - before for before, after in pairwise(sizes)) <= 1000
    await eventually(lambda: len(setup.recorder.told) == 3002)
