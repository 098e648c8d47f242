"""Tests of watch events: the accepted objects, and the resource version after each event."""

from __future__ import annotations

import asyncio
import gzip

import msgspec
import pytest

from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import ScriptedServer, bookmark, pod
from tests.support.wait import eventually


async def test_members_in_any_order_are_understood(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    await watch.send_raw(b'{"object":' + msgspec.json.encode(pod("b", "11")) + b', "type": "ADDED"}\n')
    await until_version(setup, "11")
    assert setup.keys == {"default/a": "5", "default/b": "11"}


async def test_adds_of_a_watch_from_the_start_do_not_advance_the_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "")
    watch = await server.take_watch()
    assert watch.version == ""
    await watch.send("ADDED", pod("a", "15"))
    await watch.send("ADDED", pod("b", "9"))
    await eventually(lambda: len(setup.keys) == 2)
    assert setup.informer.last_resource_version == ""
    await watch.send("MODIFIED", pod("b", "16"))
    await watch.send("ADDED", pod("c", "17"))
    await until_version(setup, "17")


async def test_objects_of_another_kind_are_dropped_and_do_not_advance_the_version(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ADDED", pod("x", "11") | {"kind": "Table", "apiVersion": "meta.k8s.io/v1"})
    await watch.send("BOOKMARK", bookmark("12") | {"kind": "Node"})
    await watch.send("ADDED", pod("x", "13") | {"apiVersion": "v2"})
    await eventually(lambda: caplog.text.count("dropped from the watch") == 3)
    assert setup.informer.last_resource_version == "10"
    await watch.send("ADDED", pod("b", "14"))
    await until_version(setup, "14")
    assert setup.keys == {"default/a": "5", "default/b": "14"}


async def test_an_event_whose_transform_fails_advances_the_version(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    def transform(raw: bytes) -> bytes:
        if b'"bad"' in raw:
            raise ValueError("bad")
        return raw.replace(b"secret", b"******")

    setup, watch = await listed(start, server, transform=transform)
    await watch.send("ADDED", pod("bad", "11"))
    await until_version(setup, "11")
    assert "the transform failed on pods default/bad" in caplog.text
    await watch.send("ADDED", pod("b", "12", labels={"x": "secret"}))
    await until_version(setup, "12")
    masked = setup.informer.store.get("default/b")
    assert masked is not None
    assert masked.metadata.labels == {"x": "******"}
    assert masked.full()["metadata"]["labels"] == {"x": "******"}
    assert setup.keys == {"default/a": "5", "default/b": "12"}


async def test_a_deletion_needs_no_transform(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    def transform(raw: bytes) -> bytes:
        if b"unheard-of" in raw:
            raise ValueError("bad")
        return raw

    setup, watch = await listed(start, server, transform=transform)
    await watch.send("ADDED", pod("b", "11", labels={"x": "y"}))
    await watch.send("DELETED", pod("b", "12", annotations={"secret": "unheard-of"}))
    await watch.send("DELETED", pod("never-seen", "13", annotations={"secret": "unheard-of"}))
    await until_version(setup, "13")
    assert setup.keys == {"default/a": "5"}
    assert setup.informer.store.resource_version == "13"
    await eventually(lambda: len(setup.recorder.told) == 3)
    assert setup.recorder.told[-1] == ("delete", "default/b", "11", True), "the last state that was seen"
    assert "the transform failed on pods default/b" in caplog.text


async def test_a_deletion_of_another_kind_that_cannot_be_transformed_is_dropped(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    def transform(raw: bytes) -> bytes:
        if b"Table" in raw:
            raise ValueError("bad")
        return raw

    setup, watch = await listed(start, server, transform=transform)
    await watch.send("DELETED", pod("a", "11") | {"kind": "Table"})
    await watch.send("ADDED", pod("b", "12"))
    await until_version(setup, "12")
    assert setup.keys == {"default/a": "5", "default/b": "12"}
    assert "dropped from the watch of pods: expected v1 Pod, got v1 Table" in caplog.text


@pytest.mark.parametrize(
    ("event", "obj"),
    [
        ("MODIFIED", pod("a", "16")),
        ("DELETED", pod("a", "16")),
        ("BOOKMARK", bookmark("16")),
    ],
)
async def test_any_event_that_is_no_add_ends_the_adds_of_a_watch_from_the_start(
    start: StartInformer, server: ScriptedServer, event: str, obj: dict[str, object]
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "0")
    watch = await server.take_watch()
    assert watch.version == "0"
    await watch.send_all([("ADDED", pod("a", "15")), ("ADDED", pod("b", "9"))])
    await eventually(lambda: len(setup.keys) == 2)
    assert setup.informer.last_resource_version == "0"
    await watch.send_all([(event, obj), ("ADDED", pod("c", "17"))])
    await until_version(setup, "17")


async def test_an_object_without_a_version_moves_nothing_back(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ADDED", pod("b", ""))
    await eventually(lambda: "default/b" in setup.keys)
    assert setup.informer.last_resource_version == "10"
    assert setup.informer.store.resource_version == "10"


async def test_who_waits_for_a_version_hears_of_it_though_its_object_was_left_out(
    start: StartInformer, server: ScriptedServer
) -> None:
    def transform(raw: bytes) -> bytes:
        if b'"bad"' in raw:
            raise ValueError("bad")
        return raw

    setup, watch = await listed(start, server, transform=transform)
    await watch.send("ADDED", pod("bad", "11"))
    async with asyncio.timeout(30):
        await setup.informer.wait_for("11")


async def test_a_custom_resource_of_a_megabyte_arrives_whole(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    big = pod("big", "11", annotations={"value": "y" * 1_400_000})
    await watch.send_all([("ADDED", big), ("ADDED", pod("b", "12"))])
    await until_version(setup, "12")
    stored = setup.informer.store.get("default/big")
    assert stored is not None
    assert stored.full() == big


async def test_characters_split_between_chunks_and_lines_that_end_as_in_windows(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup, watch = await listed(start, server)
    name = "žluťoučký kůň 🐎"
    line = msgspec.json.encode({"type": "ADDED", "object": pod("b", "11", labels={"name": name})}) + b"\r\n"
    assert "🐎".encode() in line
    for position in range(len(line)):
        await watch.send_raw(line[position : position + 1])
    await watch.send_raw(b"\r\n\n" + line.replace(b'"11"', b'"12"').replace(b"ADDED", b"MODIFIED"))
    await until_version(setup, "12")
    stored = setup.informer.store.get("default/b")
    assert stored is not None
    assert stored.metadata.labels["name"] == name
    assert setup.errors == []


async def test_gzip_of_one_member_for_each_flush_is_read(start: StartInformer, server: ScriptedServer) -> None:
    """What kube-apiserver 1.37 would send to those who ask for gzip; we ask for none, but a proxy may not care."""
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "10")
    watch = await server.take_watch()
    await watch.open(**{"Content-Encoding": "gzip"})
    for version in ("11", "12", "13"):
        line = msgspec.json.encode({"type": "ADDED", "object": pod(f"p{version}", version)}) + b"\n"
        await watch.send_raw(gzip.compress(line))
        await until_version(setup, version)
    assert len(setup.keys) == 3


async def test_a_table_in_a_streaming_list_and_in_a_watch_is_dropped(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    setup = await start()
    stream = await server.take_streaming_list()
    table = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "11"}, "rows": []}
    await stream.send("ADDED", table)
    await stream.send_list([pod("a", "5")], "10")
    await stream.send("MODIFIED", table)
    await eventually(lambda: "got meta.k8s.io/v1 Table" in caplog.text)
    await stream.send("MODIFIED", pod("a", "12"))
    await until_version(setup, "12")
    assert setup.recorder.words == ["add default/a@5", "update default/a@12"]


async def test_what_the_store_has_decides_between_add_and_update_whatever_the_event_is_called(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup, watch = await listed(start, server)
    await watch.send_all(
        [
            ("MODIFIED", pod("new", "11")),
            ("ADDED", pod("a", "12")),
            ("DELETED", pod("new", "13")),
            ("MODIFIED", pod("new", "14")),
        ]
    )
    await until_version(setup, "14")
    await eventually(lambda: len(setup.recorder.told) == 5)
    assert setup.recorder.told[1:] == [
        ("add", "default/new", "11", False),
        ("update", "default/a", "12", "5"),
        ("delete", "default/new", "13", False),
        ("add", "default/new", "14", False),
    ]
