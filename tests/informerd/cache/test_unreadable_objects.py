"""Tests of objects that cannot be read: each is contained to itself, counted, logged and shown."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from informerd.errors import NotFound, UnreadableObject
from tests.informerd.conftest import Setup, StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import EXPIRED, ScriptedServer, bookmark, pod
from tests.support.wait import eventually

DEEP = b'{"a":' * 1500 + b"1" + b"}" * 1500


def broken(name: str, version: str, what: str = "deep") -> bytes:
    """A pod that cannot be read: nested too deeply, with half a surrogate pair, or with odd metadata."""
    if what == "deep":
        return msgspec.json.encode(pod(name, version))[:-1] + b',"deep":' + DEEP + b"}"
    if what == "surrogate":
        return msgspec.json.encode(pod(name, version))[:-1] + rb',"text":"\ud800"}'
    odd: dict[str, Any] = {
        "labels": {"labels": {"a": 7}},
        "annotations": {"annotations": {"a": {}}},
        "time": {"creationTimestamp": "yesterday"},
        "owners": {"ownerReferences": [{"uid": 7}]},
    }
    return msgspec.json.encode(pod(name, version, **odd[what]))


KINDS = ["deep", "surrogate", "labels", "annotations", "time", "owners"]


def event(event_type: str, raw: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (event_type.encode(), raw)


def versions(setup: Setup) -> dict[str, str]:
    return {key: each.resource_version for key, each in setup.informer.unreadable.items()}


@pytest.mark.parametrize("what", KINDS)
async def test_in_a_watch_it_is_taken_out_and_all_others_go_on(
    start: StartInformer, server: ScriptedServer, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    setup, watch = await listed(start, server)
    told: list[Exception] = []
    setup.informer.on_fault(told.append)
    await watch.send_raw(event("MODIFIED", broken("a", "11", what)) + event("ADDED", broken("x", "12", what)))
    await watch.send("ADDED", pod("b", "13"))
    await until_version(setup, "13")
    assert setup.errors == []
    assert setup.keys == {"default/b": "13"}
    assert versions(setup) == {"default/a": "11", "default/x": "12"}
    assert (setup.state, setup.informer.health().unreadable) == ("live", 2)
    assert [type(each) for each in told] == [UnreadableObject, UnreadableObject]
    assert setup.informer.counters.faults["unreadable"] == 2
    assert caplog.text.count("pods default/a cannot be read") == 1
    await eventually(lambda: len(setup.recorder.told) == 3)
    assert setup.recorder.told[1:] == [("delete", "default/a", "5", True), ("add", "default/b", "13", False)]


async def test_a_lister_says_that_it_exists_and_cannot_be_read(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    await watch.send_raw(event("MODIFIED", broken("a", "11")))
    await until_version(setup, "11")
    with pytest.raises(UnreadableObject, match="pods default/a cannot be read: it is nested too deeply") as raised:
        setup.informer.lister.get("a", "default")
    assert raised.value.unreadable.uid == "uid-a"
    assert setup.informer.lister.list() == []
    with pytest.raises(NotFound):
        setup.informer.lister.get("b", "default")


async def test_it_is_back_once_it_can_be_read_and_gone_once_it_is_deleted(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup, watch = await listed(start, server)
    await watch.send_raw(event("MODIFIED", broken("a", "11")) + event("ADDED", broken("x", "12")))
    await watch.send("MODIFIED", pod("a", "13"))
    await until_version(setup, "13")
    assert (setup.keys, versions(setup)) == ({"default/a": "13"}, {"default/x": "12"})
    await watch.send_raw(event("DELETED", broken("x", "14")) + event("DELETED", broken("a", "15")))
    await until_version(setup, "15")
    assert (setup.keys, versions(setup)) == ({}, {})
    assert setup.informer.health().unreadable == 0
    await eventually(lambda: len(setup.recorder.told) == 4)
    assert [word for word, *_ in setup.recorder.told] == ["add", "delete", "add", "delete"]


async def test_since_is_when_it_could_no_longer_be_read(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send_raw(event("MODIFIED", broken("a", "11")))
    await until_version(setup, "11")
    since = setup.informer.unreadable["default/a"].since
    assert since == clock.time()
    await clock.advance(1)
    await watch.send_raw(event("MODIFIED", broken("a", "12")))
    await until_version(setup, "12")
    assert setup.informer.unreadable["default/a"].since == since


@pytest.mark.parametrize("what", KINDS)
async def test_in_a_list_it_is_left_out_and_all_others_are_there(
    start: StartInformer, server: ScriptedServer, what: str
) -> None:
    setup = await start(streaming_lists=False)
    items = b",".join([msgspec.json.encode(pod("a", "5")), broken("x", "6", what), msgspec.json.encode(pod("b", "7"))])
    body = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[%b]}' % items
    (await server.take_list()).answer_text(body.decode())
    await setup.informer.wait_for_sync()
    assert setup.keys == {"default/a": "5", "default/b": "7"}
    assert versions(setup) == {"default/x": "6"}
    assert setup.informer.health().unreadable == 1


@pytest.mark.parametrize("what", KINDS)
async def test_in_a_streaming_list_it_is_left_out_and_all_others_are_there(
    start: StartInformer, server: ScriptedServer, what: str
) -> None:
    setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_raw(event("ADDED", broken("x", "6", what)))
    await stream.send_list([pod("a", "5")], "10")
    await setup.informer.wait_for_sync()
    assert (setup.keys, versions(setup)) == ({"default/a": "5"}, {"default/x": "6"})


async def test_a_relist_logs_the_same_version_once(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_raw(event("ADDED", broken("x", "6")))
    await stream.send_list([], "10")
    await setup.informer.wait_for_sync()
    await stream.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 5)
    await clock.advance(2)
    stream = await server.take_streaming_list()
    await stream.send_raw(event("ADDED", broken("x", "6")))
    await stream.send_all([("ADDED", pod("b", "11")), ("BOOKMARK", bookmark("12", ends_initial=True))])
    await until_version(setup, "12")
    assert versions(setup) == {"default/x": "6"}
    assert setup.informer.counters.faults["unreadable"] == 2
    assert caplog.text.count("cannot be read") == 1


async def test_a_transform_does_not_hide_that_it_cannot_be_read(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server, transform=lambda raw: msgspec.json.encode(msgspec.json.decode(raw)))
    await watch.send_raw(event("MODIFIED", broken("a", "11")))
    await until_version(setup, "11")
    assert (setup.keys, versions(setup)) == ({}, {"default/a": "11"})


async def test_one_without_a_name_is_dropped_and_counted(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    setup, watch = await listed(start, server)
    nameless = b'{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default"},"deep":' + DEEP + b"}"
    await watch.send_raw(event("ADDED", nameless))
    await watch.send("ADDED", pod("b", "12"))
    await until_version(setup, "12")
    assert setup.informer.counters.faults["unexpected"] == 1
    assert "one of pods has no name" in caplog.text
