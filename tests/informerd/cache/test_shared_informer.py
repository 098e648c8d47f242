"""The shared informer: what handlers are told, in which order, and what a slow or broken one may not do."""

from __future__ import annotations

import asyncio
import gc
from itertools import pairwise

import pytest

from informerd.cache.handler import FilteringHandler, HandlerFunctions, is_another_object
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import AlreadyStarted, InformerStopped
from informerd.objects import Object
from informerd.resource import PODS
from tests.clock import FakeClock, settle
from tests.informerd.conftest import Setup, StartInformer
from tests.informerd.recorder import Recorder
from tests.informerd.scripted import EXPIRED, Request, ScriptedServer, bookmark, pod
from tests.wait import eventually


@pytest.fixture
async def running(start: StartInformer, server: ScriptedServer) -> tuple[Setup, Request]:
    """An informer that has listed pods a and b at version 10, and its stream."""
    setup: Setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await eventually(lambda: len(setup.recorder.told) == 2)
    return setup, stream


Running = tuple[Setup, Request]


async def relist(setup: Setup, stream: Request, *pods: dict[str, object], version: str) -> Request:
    await stream.send("ERROR", EXPIRED)
    await setup.clock.sleeper(0.8, 5)
    await setup.clock.advance(2)
    again = await setup.server.take_streaming_list()
    await again.send_list(pods, version)
    await eventually(lambda: setup.informer.last_resource_version == version)
    return again


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


async def test_a_handler_added_late_gets_what_is_cached_and_then_everything_once(running: Running) -> None:
    setup, stream = running
    late = Recorder()
    await stream.send("MODIFIED", pod("a", "11"))
    registration = setup.informer.add_handler(late)
    await stream.send("MODIFIED", pod("b", "12"))
    await registration.wait_for_sync()
    await eventually(lambda: late.words[-1:] == ["update default/b@12"])
    assert late.told[:2] == [("add", "default/a", late.told[0][2], True), ("add", "default/b", "2", True)]
    folded = {key: version for _, key, version, _ in late.told}
    assert folded == setup.keys


async def test_a_handler_has_synced_when_each_initial_add_has_returned_or_raised(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    gate = asyncio.Event()

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        await gate.wait()
        raise RuntimeError("no")

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await (await server.take_streaming_list()).send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await settle()
    assert setup.informer.has_synced
    assert not registration.has_synced
    gate.set()
    await registration.wait_for_sync()
    assert registration.failures == 2


async def test_has_synced_holds_for_an_empty_list_too(start: StartInformer, server: ScriptedServer) -> None:
    setup = await start()
    assert not setup.informer.has_synced
    await (await server.take_streaming_list()).send_list([], "10")
    await setup.informer.wait_for_sync()
    registration = setup.informer.add_handler(Recorder())
    await registration.wait_for_sync()
    assert setup.informer.store.resource_version == "10"


async def test_a_blocked_handler_delays_neither_the_store_nor_the_others(running: Running) -> None:
    setup, stream = running
    blocked = []

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        blocked.append(obj.key)
        await asyncio.Event().wait()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await stream.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "update default/a@11")
    assert setup.keys["default/a"] == "11"
    assert blocked == ["default/a"]
    await eventually(lambda: registration.depth == 3)


async def test_a_handler_that_raises_is_logged_and_counted_and_delivery_goes_on(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running
    seen = []

    def on_update(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        raise ValueError("broken handler")

    registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update))
    await stream.send("MODIFIED", pod("a", "11"))
    await stream.send("MODIFIED", pod("a", "12"))
    await eventually(lambda: seen == ["11", "12"])
    assert registration.failures == 2
    assert "broken handler" in caplog.text


async def test_a_cancelled_thing_inside_a_handler_is_a_failure_of_that_handler(running: Running) -> None:
    setup, stream = running
    seen = []

    async def on_update(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        inner = asyncio.create_task(asyncio.Event().wait())
        inner.cancel()
        await inner

    registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update))
    await stream.send("MODIFIED", pod("a", "11"))
    await stream.send("MODIFIED", pod("a", "12"))
    await eventually(lambda: seen == ["11", "12"])
    assert registration.failures == 2


async def test_a_removed_handler_is_told_nothing_more(running: Running) -> None:
    setup, stream = running
    told: list[str] = []

    def on_add(obj: Object, is_in_initial_list: bool) -> None:
        told.append(obj.key)
        registration.remove()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await eventually(lambda: told)
    registration.remove()
    await stream.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/c@11")
    assert told == ["default/a"]


async def test_a_handler_added_after_the_end_is_an_error(start: StartInformer, server: ScriptedServer) -> None:
    async with server.client(FakeClock()) as client:
        informer = SharedInformer(ListWatch(client, PODS, projection=Object), clock=FakeClock())
        running = asyncio.create_task(informer.run())
        await server.take()
        waiting = asyncio.create_task(informer.wait_for_sync())
        await settle()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with pytest.raises(InformerStopped):
            await waiting
        with pytest.raises(InformerStopped):
            informer.add_handler(Recorder())
        with pytest.raises(InformerStopped):
            await informer.wait_for("7")
        with pytest.raises(AlreadyStarted):
            await informer.run()


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


async def test_updates_that_repeat_a_version_reach_only_handlers_that_ask_for_them(running: Running) -> None:
    setup, stream = running
    all_of_it = Recorder()
    setup.informer.add_handler(all_of_it, same_version_updates=True)
    await relist(setup, stream, pod("a", "1"), pod("b", "12"), version="15")
    await eventually(lambda: all_of_it.words[2:] == ["update default/a@1", "update default/b@12"])
    assert setup.recorder.words[2:] == ["update default/b@12"]


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


async def test_a_resync_tells_every_object_again_at_each_handlers_own_period(running: Running) -> None:
    setup, _ = running
    two, three = Recorder(), Recorder()
    setup.informer.add_handler(two, resync=2)
    setup.informer.add_handler(three, resync=3)
    await eventually(lambda: len(two.told) == len(three.told) == 2)
    counts = []
    for _ in range(6):
        await setup.clock.advance(1)
        counts.append((len(two.told) // 2 - 1, len(three.told) // 2 - 1))
    assert counts == [(0, 0), (1, 0), (1, 1), (2, 1), (2, 1), (3, 2)]
    assert len(setup.recorder.told) == 2
    assert setup.server.waiting == 0


async def test_a_resync_under_a_second_is_raised_to_one(running: Running) -> None:
    setup, _ = running
    recorder = Recorder()
    assert setup.informer.add_handler(recorder, resync=0.1).resync == 1


async def test_filtering_makes_adds_of_what_enters_and_deletes_of_what_leaves(running: Running) -> None:
    setup, stream = running
    inner = Recorder()
    setup.informer.add_handler(FilteringHandler(lambda obj: "in" in obj.metadata.labels, inner))
    for event, version, labels in [
        ("MODIFIED", "11", {"in": "1"}),
        ("MODIFIED", "12", {"in": "2"}),
        ("MODIFIED", "13", {}),
        ("MODIFIED", "14", {"in": "1"}),
        ("DELETED", "15", {"in": "1"}),
        ("DELETED", "16", {}),
    ]:
        await stream.send(event, pod("b" if version == "16" else "a", version, labels=labels))
    await eventually(lambda: len(setup.recorder.told) == 8)
    await eventually(
        lambda: (
            inner.words
            == [
                "add default/a@11",
                "update default/a@12",
                "delete default/a@12",
                "add default/a@14",
                "delete default/a@15",
            ]
        )
    )


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


async def test_a_handler_buffer_that_grows_too_long_is_logged_once_and_counted(
    running: Running, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("informerd.cache.listener.BUFFER_WARNING", 3)
    setup, stream = running
    gate = asyncio.Event()

    async def slow(obj: Object, is_in_initial_list: bool) -> None:
        await gate.wait()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=slow))
    for number in range(20):
        await stream.send("ADDED", pod(f"p{number}", str(100 + number)))
    await eventually(lambda: registration.depth == 22)
    assert registration.overflows == 1
    assert caplog.text.count(f"notifications wait for the handler {registration.name}") == 1
    gate.set()
    await eventually(lambda: registration.depth == 0)
