"""Tests of watches: no event missed or doubled, bookmarks, the end of the window, slow readers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from http.client import HTTPException
from typing import Any

import pytest

from devcluster.server.api_server_core import ApiServer
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage import watch
from devcluster.server.storage.selectors import Selection, parse_fields, parse_labels
from devcluster.server.storage.watch import Watcher, WatchQuery
from tests.devcluster.conftest import Demo
from tests.support.devcluster.gadget_crd import gadget
from tests.support.wait import eventually

Seen = tuple[str, str]
MAPS = "/api/v1/namespaces/t/configmaps"


def put(core: ApiServer, name: str, namespace: str = "t", **labels: str) -> None:
    """Create a ConfigMap, or change its labels."""
    kind = core.kind("configmaps")
    record = core.store.get(kind.key, (namespace, name))
    meta: dict[str, Any] = {"name": name, "namespace": namespace, "labels": labels}
    meta |= {"uid": record.uid if record else f"uid-{name}", "creationTimestamp": "2026-01-01T00:00:00Z"}
    core.put_seed_object(kind, {"metadata": meta})


def remove(core: ApiServer, name: str) -> None:
    core.deletion.delete(core.kind("configmaps"), "t", name, DeleteOptions())


def watcher(core: ApiServer, bookmark_seconds: float = 60.0, **query: Any) -> Watcher:
    return Watcher(core.store, core.kind("configmaps"), WatchQuery(**query), bookmark_seconds=bookmark_seconds)


async def read(watcher: Watcher) -> list[dict[str, Any]]:
    """Everything pending; ends the watch."""
    watcher.close()
    chunks = [chunk async for chunk in watcher.lines()]
    return [json.loads(line) for line in b"".join(chunks).splitlines()]


def names(events: list[dict[str, Any]]) -> list[Seen]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


async def test_from_a_version_every_later_change_comes_once(core: ApiServer) -> None:
    put(core, "a")
    found = watcher(core, version=core.store.revision)
    put(core, "b")
    put(core, "b", x="1")
    remove(core, "a")
    assert names(await read(found)) == [("ADDED", "b"), ("MODIFIED", "b"), ("DELETED", "a")]


async def test_the_past_is_replayed(core: ApiServer) -> None:
    put(core, "a")
    version = core.store.revision
    put(core, "b")
    remove(core, "a")
    assert names(await read(watcher(core, version=version))) == [("ADDED", "b"), ("DELETED", "a")]


async def test_a_deleted_object_carries_the_version_of_its_deletion(core: ApiServer) -> None:
    put(core, "a")
    found = watcher(core, version=core.store.revision)
    remove(core, "a")
    (event,) = await read(found)
    assert event["object"]["metadata"]["resourceVersion"] == str(core.store.revision)


async def test_without_a_version_the_state_comes_first(core: ApiServer) -> None:
    put(core, "a")
    found = watcher(core, initial_events=True)
    put(core, "b")
    assert names(await read(found)) == [("ADDED", "a"), ("ADDED", "b")]


async def test_initial_events_end_with_a_marked_bookmark(core: ApiServer) -> None:
    put(core, "a")
    found = watcher(core, initial_events=True, bookmarks=True)
    version = core.store.revision
    put(core, "b")
    events = await read(found)
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK", "ADDED"]
    assert events[1]["object"] == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": str(version), "annotations": {"k8s.io/initial-events-end": "true"}},
    }


async def test_no_initial_events_where_they_are_not_wanted(core: ApiServer) -> None:
    put(core, "a")
    assert await read(watcher(core, initial_events=False)) == []


async def test_initial_events_of_a_version_to_come_are_an_error_event(core: ApiServer) -> None:
    (event,) = await read(watcher(core, initial_events=True, version=core.store.revision + 5))
    assert (event["type"], event["object"]["code"]) == ("ERROR", 504)
    assert event["object"]["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


async def test_a_version_to_come_waits_for_it(core: ApiServer) -> None:
    found = watcher(core, version=core.store.revision + 1)
    put(core, "a")
    put(core, "b")
    assert names(await read(found)) == [("ADDED", "b")]


async def test_a_version_out_of_the_window_is_an_error_event_and_the_end(core: ApiServer) -> None:
    version = core.store.revision
    for number in range(60):
        put(core, f"m{number}")
    (event,) = await read(watcher(core, version=version))
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


@pytest.fixture
def green() -> Selection:
    return Selection("t", parse_labels("color=green"))


async def test_objects_enter_and_leave_a_selection(core: ApiServer, green: Selection) -> None:
    put(core, "a", color="red")
    found = watcher(core, version=core.store.revision, selection=green)
    put(core, "a", color="green")
    put(core, "a", color="green", size="2")
    put(core, "a", color="red")
    version = core.store.revision
    put(core, "a", color="blue")
    remove(core, "a")
    events = await read(found)
    assert names(events) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    last = events[-1]["object"]["metadata"]
    assert last["labels"]["color"] == "green", "the last state that matched"
    assert last["resourceVersion"] == str(version)


async def test_a_selected_object_that_is_deleted_is_deleted(core: ApiServer, green: Selection) -> None:
    put(core, "a", color="green")
    put(core, "b", color="red")
    found = watcher(core, version=core.store.revision, selection=green)
    remove(core, "a")
    remove(core, "b")
    assert names(await read(found)) == [("DELETED", "a")]


async def test_other_namespaces_and_fields_are_not_seen(core: ApiServer) -> None:
    selection = Selection("t", fields=parse_fields("metadata.name=a", ("metadata.name",)))
    found = watcher(core, version=core.store.revision, selection=selection)
    put(core, "a")
    put(core, "b")
    put(core, "a", namespace="default")
    events = await read(found)
    assert [event["object"]["metadata"]["namespace"] for event in events] == ["t"]


async def test_bookmarks_come_while_nothing_else_does(core: ApiServer) -> None:
    found = watcher(core, bookmark_seconds=0.01, version=core.store.revision, bookmarks=True)
    lines: AsyncIterator[bytes] = found.lines()
    async with asyncio.timeout(30):
        event = json.loads(await anext(lines))
    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"] == {"resourceVersion": str(core.store.revision)}
    found.close()


async def test_a_reader_that_does_not_read_is_closed(core: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MAX_PENDING_BYTES", 10_000)
    closed: list[bool] = []
    found = watcher(core, version=core.store.revision)
    found.on_overflow = lambda: closed.append(True)
    for number in range(200):
        put(core, "a", n=str(number))
    assert closed == [True]
    assert await read(found) == []


async def test_a_stalled_watch_holds_its_events_back(core: ApiServer) -> None:
    found = watcher(core, version=core.store.revision)
    found.stall(True)
    put(core, "a")
    lines = found.lines()
    first = asyncio.ensure_future(anext(lines))
    await asyncio.sleep(0)
    assert not first.done()
    found.stall(False)
    async with asyncio.timeout(30):
        assert b"ADDED" in await first
    found.close()


@pytest.mark.slow
async def test_over_http_a_watch_ends_after_its_timeout(demo: Demo) -> None:
    reply = await demo.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true")
    assert reply.code == 200
    assert {event["type"] for event in reply.lines} == {"BOOKMARK"}


async def test_over_http_an_old_version_is_a_200_with_an_error(demo: Demo) -> None:
    version = demo.core.store.revision
    put(demo.core, "a")
    assert (await demo.ask("POST", "/faults", {"compact": True})).code == 200
    reply = await demo.ask("GET", f"{MAPS}?watch=1&resourceVersion={version}")
    assert (reply.code, reply.lines[0]["object"]["code"]) == (200, 410)


async def test_dropped_watches_are_reset(demo: Demo) -> None:
    async def watching() -> str:
        try:
            await demo.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=30")
        except (OSError, HTTPException) as error:
            return type(error).__name__
        return ""

    task = asyncio.create_task(watching())
    listeners = demo.core.store._listeners["configmaps"]
    await eventually(lambda: len(listeners) == 2, what="the watch is open, beside the garbage collector")
    await demo.ask("POST", "/faults", {"drop": True})
    async with asyncio.timeout(30):
        assert await task in ("ConnectionResetError", "IncompleteRead", "SSLEOFError")


async def test_a_watch_whose_client_has_gone_is_forgotten(demo: Demo) -> None:
    listeners = demo.core.store._listeners["configmaps"]
    reader, writer = await asyncio.open_connection(*demo.server.removeprefix("https://").split(":"), ssl=demo.tls)
    request = f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {demo.token}\r\n\r\n"
    writer.write(request.encode())
    assert b"200" in await reader.readline()
    await eventually(lambda: len(listeners) == 2)
    writer.close()
    await eventually(lambda: len(listeners) == 1, what="the watch is gone, the garbage collector stays")


async def test_a_client_that_does_not_read_is_cut_off(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MAX_PENDING_BYTES", 100_000)
    listeners = demo.core.store._listeners["configmaps"]
    reader, writer = await asyncio.open_connection(
        *demo.server.removeprefix("https://").split(":"), ssl=demo.tls, limit=1024
    )
    request = f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {demo.token}\r\n\r\n"
    writer.write(request.encode())
    await reader.readline()
    await eventually(lambda: len(listeners) == 2)

    async def cut_off() -> bool:
        for number in range(20):
            put(demo.core, "a", **{f"n{n}": f"{number}" + "x" * 50 for n in range(100)})
        await asyncio.sleep(0)
        return len(listeners) == 1

    await eventually(cut_off)
    writer.close()


@pytest.mark.slow
async def test_a_watch_of_tables_sends_rows(demo: Demo) -> None:
    await demo.ask("POST", "/apis/devcluster.example/v1/namespaces/t/gadgets", gadget())
    reply = await demo.ask(
        "GET",
        "/apis/devcluster.example/v1/gadgets?watch=1&timeoutSeconds=1",
        Accept="application/json;as=Table;v=v1;g=meta.k8s.io",
    )
    table = reply.lines[0]["object"]
    assert (table["kind"], table["rows"][0]["cells"]) == ("Table", ["g", 80])
