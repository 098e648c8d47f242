"""Tests of relists: notifications of missed changes, after the store was replaced."""

from __future__ import annotations

import pytest

from informerd.cache.handler import HandlerFunctions
from informerd.objects import Object
from tests.informerd.conftest import Setup, StartInformer
from tests.support.informerd.listed_informer import until_version
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import EXPIRED, Json, Request, ScriptedServer, pod
from tests.support.wait import eventually

FOO, BAR, BAZ = pod("foo", "5"), pod("bar", "6"), pod("baz", "7")


async def three_pods(start: StartInformer, server: ScriptedServer) -> tuple[Setup, Request]:
    """An informer that has listed foo, bar and baz at version 8, and its stream."""
    setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([FOO, BAR, BAZ], "8")
    await setup.informer.wait_for_sync()
    await eventually(lambda: len(setup.recorder.told) == 3)
    return setup, stream


async def relist(setup: Setup, stream: Request, pods: list[Json], version: str) -> Request:
    """Let the watch end in an error, and the next list have `pods`."""
    await stream.send("ERROR", EXPIRED)
    await setup.clock.wait_for_sleeper(0.8, 61)
    await setup.clock.advance(61)
    again = await setup.server.take_streaming_list()
    await again.send_list(pods, version)
    await until_version(setup, version)
    return again


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (
            [("DELETED", pod("baz", "10"))],
            [("delete", "default/baz", "10", False), ("delete", "default/bar", "6", True)],
        ),
        (
            [("MODIFIED", pod("baz", "10"))],
            [
                ("update", "default/baz", "10", "7"),
                ("delete", "default/bar", "6", True),
                ("delete", "default/baz", "10", True),
            ],
        ),
        (
            [("DELETED", pod("bar", "9")), ("ADDED", pod("bar", "100")), ("DELETED", pod("baz", "101"))],
            [
                ("delete", "default/bar", "9", False),
                ("add", "default/bar", "100", False),
                ("delete", "default/baz", "101", False),
                ("delete", "default/bar", "100", True),
            ],
        ),
        ([], [("delete", "default/bar", "6", True), ("delete", "default/baz", "7", True)]),
    ],
    ids=["deleted before", "changed before", "deleted and created before", "nothing before"],
)
async def test_what_a_list_lacks_is_deleted_in_its_last_known_state(
    start: StartInformer,
    server: ScriptedServer,
    events: list[tuple[str, Json]],
    told: list[tuple[str, str, str, object]],
) -> None:
    """The reference's ReplaceMakesDeletions."""
    setup, stream = await three_pods(start, server)
    await stream.send_all([*events, ("ERROR", EXPIRED)])
    await setup.clock.wait_for_sleeper(0.8, 5)
    await setup.clock.advance(5)
    await (await server.take_streaming_list()).send_list([FOO], "200")
    await until_version(setup, "200")
    await eventually(lambda: len(setup.recorder.told) >= 3 + len(told))
    assert sorted(setup.recorder.told[3:], key=str) == sorted(told, key=str)
    assert setup.keys == {"default/foo": "5"}
    assert setup.informer.store.index_values("namespace") == ["default"]


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        ([], ["delete default/bar@6", "delete default/baz@7", "delete default/foo@5"]),
        (
            [pod("foo", "14"), pod("bar", "15"), pod("new", "16")],
            ["delete default/baz@7", "update default/foo@14", "update default/bar@15", "add default/new@16"],
        ),
        ([FOO, BAR, BAZ], []),
    ],
    ids=["all gone", "one of each", "nothing new"],
)
async def test_handlers_hear_of_a_list_only_once_the_whole_of_it_is_in_the_store(
    start: StartInformer, server: ScriptedServer, pods: list[Json], told: list[str]
) -> None:
    """The reference's ReplaceEvents."""
    setup, stream = await three_pods(start, server)
    seen: list[tuple[set[str], str]] = []

    def look(*_: object) -> None:
        store = setup.informer.store
        seen.append(({f"{obj.key}@{obj.metadata.resource_version}" for obj in store}, store.resource_version))

    handler: HandlerFunctions[Object] = HandlerFunctions(on_add=look, on_update=look, on_delete=look)
    registration = setup.informer.add_handler(handler)
    await registration.wait_for_sync()
    seen.clear()
    await relist(setup, stream, pods, "20")
    await eventually(lambda: len(setup.recorder.told) == len(seen) + 3 == len(told) + 3)
    words = setup.recorder.words[3:]
    deletes = sorted(word for word in words if word.startswith("delete"))
    assert deletes + [word for word in words if not word.startswith("delete")] == told
    assert words[: len(deletes)] == [word for word in words if word.startswith("delete")], "deletes come first"
    whole = {f"default/{each['metadata']['name']}@{each['metadata']['resourceVersion']}" for each in pods}
    assert all(look == (whole, "20") for look in seen)


async def test_adds_of_a_relist_are_not_of_the_initial_list(start: StartInformer, server: ScriptedServer) -> None:
    """The reference's ResetWatch."""
    setup, stream = await three_pods(start, server)
    await relist(setup, stream, [FOO, BAR, BAZ, pod("new", "16")], "20")
    await eventually(lambda: setup.recorder.told[3:] == [("add", "default/new", "16", False)])


async def test_two_lists_one_after_the_other_delete_what_was_in_the_first_alone(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup, stream = await three_pods(start, server)
    again = await relist(setup, stream, [FOO, pod("bar", "100")], "100")
    await relist(setup, again, [FOO], "101")
    assert setup.recorder.told[3:] == [
        ("delete", "default/baz", "7", True),
        ("update", "default/bar", "100", "6"),
        ("delete", "default/bar", "100", True),
    ]


async def test_what_changed_while_the_watch_was_down_is_told_after_it_and_the_rest_only_to_who_resyncs(
    start: StartInformer, server: ScriptedServer
) -> None:
    """The reference's WatchDisruption."""
    setup, stream = await three_pods(start, server)
    resyncing = Recorder()
    registration = setup.informer.add_handler(resyncing, resync=3600)
    await registration.wait_for_sync()
    await relist(setup, stream, [FOO, pod("bar", "14"), BAZ, pod("new", "13")], "15")
    await eventually(lambda: len(resyncing.told) == 7)
    assert setup.recorder.words[3:] == ["update default/bar@14", "add default/new@13"]
    assert resyncing.words[3:] == [
        "update default/foo@5",
        "update default/bar@14",
        "update default/baz@7",
        "add default/new@13",
    ]
