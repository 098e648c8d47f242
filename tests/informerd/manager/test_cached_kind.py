"""Tests of a manager's kinds: reads from caches, writes to the API server, and read-your-writes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from informerd.controller.request import Request
from informerd.controller_util.create_or_update import create_or_update
from informerd.errors import (
    Conflict,
    InformerExists,
    InvalidCall,
    MalformedSelector,
    NotFound,
    NotInTime,
    NotSynced,
    UnknownIndex,
    UnreadableObject,
)
from informerd.manager.cache_options import strip_managed_fields
from informerd.manager.cached_client import OWN_WRITE_TIMEOUT
from informerd.manager.manager import Manager
from informerd.manager.read_your_writes import ReadYourWrites
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS
from informerd.rest.client import Client
from informerd.rest.response import Response
from informerd.selectors.shard_selector import ShardSelector
from tests.informerd.cache.test_unreadable_objects import broken, event
from tests.informerd.manager.conftest import MAPS, NAMESPACES, Place
from tests.support.clock import FakeClock
from tests.support.scripted_api_server import ScriptedServer, pod
from tests.support.wait import eventually


class ConfigMap(Object, frozen=True):
    data: dict[str, str] = {}


@asynccontextmanager
async def running(manager: Manager) -> AsyncIterator[None]:
    task = asyncio.create_task(manager.run())
    try:
        for informer in manager.client.informers:
            await informer.wait_for_sync()
        yield
    finally:
        manager.stop()
        await task


def manifest(place: Place, name: str, **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": place.namespace, **fields.pop("metadata", {})}, **fields}


async def test_reads_come_from_the_cache_and_writes_go_to_the_api_server(place: Place) -> None:
    manager = Manager(place.config, namespaces=[place.namespace])
    maps = manager.kind(MAPS, ConfigMap)
    async with running(manager):
        await maps.create(manifest(place, "a", data={"k": "1"}), wait=True)
        found = maps.get(Request(place.namespace, "a"))
        assert found is not None
        assert found.data == {"k": "1"}
        assert maps.get(f"{place.namespace}/a") is maps.get(found) is found
        assert maps.get(Request(place.namespace, "b")) is None
        assert (await place.maps.get("a"))["data"] == {"k": "1"}
        assert (await maps.read(found)).data == {"k": "1"}
        with pytest.raises(NotFound):
            await maps.read(Request(place.namespace, "b"))


@pytest.mark.slow
async def test_each_write_is_seen_by_the_next_read(place: Place) -> None:
    manager = Manager(place.config, namespaces=[place.namespace], wait_for_own_writes=True)
    maps = manager.kind(MAPS, ConfigMap)
    where = Request(place.namespace, "a")

    def cached() -> dict[str, str] | None:
        found = maps.get(where)
        return None if found is None else dict(found.data)

    async with running(manager):
        created = await maps.create(manifest(place, "a", data={"n": "0"}))
        assert cached() == {"n": "0"}
        await maps.patch(where, {"data": {"n": "1"}})
        assert cached() == {"n": "1"}
        changed = {**(await maps.read(where)).full(), "data": {"n": "2"}}
        await maps.update(changed)
        assert cached() == {"n": "2"}
        await create_or_update(maps, manifest(place, "a"), lambda each: each.update(data={"n": "3"}))
        assert cached() == {"n": "3"}
        with pytest.raises(Conflict):
            await maps.update(changed)
        await maps.patch(where, {"data": {"n": "4"}}, dry_run=True)
        assert cached() == {"n": "3"}
        await maps.patch(where, {"metadata": {"finalizers": ["example.com/hold"]}})
        left = await maps.delete(created)
        assert left is not None
        assert (held := maps.get(where)) is not None
        assert held.metadata.deletion_timestamp is not None
        await maps.patch(where, {"metadata": {"finalizers": []}})
        await eventually(lambda: cached() is None)
        for _ in range(5):
            await maps.create(manifest(place, "a"))
            assert cached() == {}
            assert await maps.delete(where) is None
            assert cached() is None


async def test_the_delete_of_an_object_is_of_that_very_one(demo: Place) -> None:
    manager = Manager(demo.config, wait_for_own_writes=True)
    maps = manager.kind(MAPS)
    async with running(manager):
        first = await maps.create(manifest(demo, "a"))
        await maps.delete(first)
        await maps.create(manifest(demo, "a"))
        with pytest.raises(Conflict):
            await maps.delete(first)
        assert maps.get(first) is not None


async def test_a_deleted_name_that_somebody_takes_again_at_once_is_not_waited_for(
    demo: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager(demo.config)
    maps = manager.kind(MAPS)
    delete = Client.delete

    async def late_answer(*args: Any, **options: Any) -> Response:
        answer = await delete(*args, **options)
        await maps.create(manifest(demo, "a"), wait=True)
        return answer

    async with running(manager):
        first = await maps.create(manifest(demo, "a"), wait=True)
        monkeypatch.setattr(Client, "delete", late_answer)
        async with asyncio.timeout(OWN_WRITE_TIMEOUT / 2):
            assert await maps.delete(Request(demo.namespace, "a"), wait=True) is None
        second = maps.get(first)
        assert second is not None
        assert second.metadata.uid != first.metadata.uid


async def test_a_kind_that_is_asked_for_again_and_again_leaves_nothing_behind(demo: Place) -> None:
    def waiting() -> int:
        gc.collect()
        return sum(type(each) is ReadYourWrites for each in gc.get_objects())

    manager = Manager(demo.client)
    before = waiting()
    for _ in range(10):
        manager.kind(MAPS)
    assert waiting() == before


async def test_status_is_written_apart(demo: Place) -> None:
    manager = Manager(demo.config, wait_for_own_writes=True)
    demos = manager.kind(MYDEMOS)
    async with running(manager):
        made = await demos.create(manifest(demo, "a", spec={"ip": "10.0.0.1", "port": 80}))
        await demos.patch_status(made, {"status": {"message": "well"}})
        found = demos.get(made)
        assert found is not None
        assert found.full()["status"]["message"] == "well"
        await demos.update_status({**found.full(), "status": {"message": "better"}})
        again = demos.get(made)
        assert again is not None
        assert again.full()["status"]["message"] == "better"


async def test_nothing_is_read_from_a_cache_that_has_not_synced(demo: Place) -> None:
    manager = Manager(demo.config)
    maps = manager.kind(MAPS)
    for read in (lambda: maps.get("a/b"), maps.list, lambda: maps.by_index("namespace", "a")):
        with pytest.raises(NotSynced, match="the cache has not synced yet: configmaps is starting"):
            read()
    assert not maps.has_synced
    await manager.client.rest.close()


async def test_an_object_that_cannot_be_read_is_not_taken_for_one_that_is_gone(
    server: ScriptedServer, clock: FakeClock
) -> None:
    async with server.client(clock) as client:
        manager = Manager(client, clock=clock)
        pods = manager.kind(PODS)
        task = asyncio.create_task(manager.run())
        stream = await server.take_streaming_list()
        await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
        await pods.wait_for_sync()
        await stream.send_raw(event("MODIFIED", broken("a", "11")))
        await eventually(lambda: pods.informer.unreadable)
        with pytest.raises(UnreadableObject, match="pods default/a cannot be read: it is nested too deeply"):
            pods.get("default/a")
        assert pods.get("default/b") is not None
        assert pods.get("default/c") is None
        manager.stop()
        await task


async def test_lists_go_by_namespace_selectors_indexes_and_tests(demo: Place) -> None:
    manager = Manager(demo.config, wait_for_own_writes=True)
    maps = manager.kind(MAPS, ConfigMap)
    maps.add_index("tier", lambda each: [each.metadata.labels.get("tier", "")])
    async with running(manager):
        for name, tier in (("a", "front"), ("b", "back"), ("c", "back")):
            await maps.create(manifest(demo, name, metadata={"labels": {"tier": tier}}))

        def names(found: list[ConfigMap]) -> list[str]:
            return sorted(each.metadata.name for each in found)

        place = demo.namespace
        assert names(maps.list(place)) == ["a", "b", "c"]
        assert names(maps.list(label_selector="tier=back")) == ["b", "c"]
        assert names(maps.list(place, field_selector="metadata.name=a")) == ["a"]
        assert names(maps.list(place, where=lambda each: each.metadata.name > "b")) == ["c"]
        assert names(maps.by_index("tier", "back", namespace=place)) == ["b", "c"]
        assert maps.list("elsewhere") == []
        with pytest.raises(MalformedSelector):
            maps.list(label_selector="a in")
        with pytest.raises(UnknownIndex):
            maps.by_index("colour", "red")


async def test_a_cache_of_some_namespaces_has_an_informer_for_each_and_knows_no_other(demo: Place) -> None:
    second = f"second-{uuid4().hex[:8]}"
    await demo.dynamic.resource(NAMESPACES).create({"metadata": {"name": second}})
    manager = Manager(demo.config, namespaces=[demo.namespace, second, second], wait_for_own_writes=True)
    maps, spaces = manager.kind(MAPS), manager.kind(NAMESPACES)
    async with running(manager):
        for name in (demo.namespace, second):
            await maps.create({"metadata": {"name": "a", "namespace": name}})
        assert [each.namespace for each in maps.informers] == [demo.namespace, second]
        assert sorted(each.metadata.namespace for each in maps.list()) == sorted([demo.namespace, second])
        assert len(maps.list(second)) == 1
        assert len(maps.sources()) == 2
        with pytest.raises(InvalidCall, match=f"of the namespace default are not cached: those of {demo.namespace}"):
            maps.get("default/a")
        with pytest.raises(InvalidCall, match="an informer for each of its namespaces"):
            _ = maps.informer
        assert spaces.get(second) is not None  # what is in no namespace is not narrowed
        await maps.create({"metadata": {"name": "b", "namespace": "default"}})  # and not waited for


async def test_what_selectors_leave_out_is_neither_cached_nor_waited_for(demo: Place) -> None:
    clock = FakeClock()
    manager = Manager(demo.client, clock=clock, wait_for_own_writes=True)
    fronts = manager.kind(MAPS, label_selector="tier=front", field_selector=f"metadata.namespace={demo.namespace}")
    async with running(manager):
        await fronts.create(manifest(demo, "other", metadata={"labels": {"tier": "back"}}))
        await fronts.create(manifest(demo, "own", metadata={"labels": {"tier": "front"}}))
        assert [each.metadata.name for each in fronts.list()] == ["own"]
        await fronts.patch(f"{demo.namespace}/own", {"metadata": {"labels": {"tier": "back"}}})
        assert fronts.list() == []


async def test_objects_of_other_shards_are_neither_cached_nor_waited_for(demo: Place) -> None:
    manager = Manager(demo.client, clock=FakeClock(), wait_for_own_writes=True)
    halves = [manager.kind(MAPS, shard_selector=ShardSelector.of(number, 2)) for number in (1, 2)]
    async with running(manager):
        for number in range(20):
            await halves[0].create(manifest(demo, f"object-{number:02}"))
        await eventually(lambda: all(half.list(demo.namespace) for half in halves))
        await eventually(lambda: sum(len(half.list(demo.namespace)) for half in halves) == 20)
        names = [each.metadata.name for half in halves for each in half.list(demo.namespace)]
        assert sorted(names) == [f"object-{number:02}" for number in range(20)]


async def test_a_cache_that_does_not_show_a_write_in_time_says_so_and_it_is_written(demo: Place) -> None:
    clock = FakeClock()
    manager = Manager(demo.client, clock=clock)
    maps = manager.kind(MAPS)  # whose informer never runs
    for write in (maps.create(manifest(demo, "a"), wait=True), maps.patch(f"{demo.namespace}/a", {}, wait=True)):
        writing = asyncio.create_task(write)
        await clock.wait_for_sleeper(OWN_WRITE_TIMEOUT)
        await clock.advance(OWN_WRITE_TIMEOUT)
        with pytest.raises(NotInTime, match=r"was written, but the cache of configmaps has not shown it within 10 s"):
            await writing
    assert (await demo.maps.get("a"))["metadata"]["name"] == "a"


async def test_managed_fields_and_whatever_a_transform_takes_away_are_not_kept(place: Place) -> None:
    def masked(raw: bytes) -> bytes:
        obj = msgspec.json.decode(raw)
        if obj.get("data"):
            obj["data"] = dict.fromkeys(obj["data"], "***")
        return msgspec.json.encode(obj)

    manager = Manager(place.config, namespaces=[place.namespace], strip_managed_fields=True, wait_for_own_writes=True)
    maps = manager.kind(MAPS, ConfigMap, transform=masked)
    assert manager.kind(MAPS, ConfigMap, transform=masked).informer is maps.informer
    async with running(manager):
        made = await maps.create(manifest(place, "a", data={"password": "1234"}))
        assert "managedFields" in (await maps.read(made)).full()["metadata"]
        found = maps.get(made)
        assert found is not None
        assert found.full()["data"] == {"password": "***"}
        assert "managedFields" not in found.full()["metadata"]


def test_an_object_without_managed_fields_is_left_as_it_is() -> None:
    raw = b'{"metadata":{"name":"a"}}'
    assert strip_managed_fields(raw) is raw
    assert strip_managed_fields(b'{"metadata":{"managedFields":[],"name":"a"}}') == raw
    assert strip_managed_fields(b'{"managedFields":1}') == b'{"managedFields":1}'


async def test_a_kind_asked_for_in_two_forms_is_refused(demo: Place) -> None:
    manager = Manager(demo.client)
    manager.kind(MAPS, ConfigMap)
    with pytest.raises(InformerExists, match="now asked for with Object"):
        manager.kind(MAPS)


@pytest.mark.parametrize("namespaces", ["shop", ["shop", ""], [1]])
async def test_what_are_no_namespaces_is_refused(demo: Place, namespaces: Any) -> None:
    with pytest.raises(InvalidCall, match="namespaces are a list of names"):
        Manager(demo.client, namespaces=namespaces)
    with pytest.raises(InvalidCall, match="namespaces are a list of names"):
        Manager(demo.client).kind(MAPS, namespaces=namespaces)


async def test_what_names_no_object_or_kind_is_refused(demo: Place) -> None:
    manager = Manager(demo.client)
    with pytest.raises(InvalidCall, match="give a Request, an object, or its key"):
        manager.kind(MAPS).get(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidCall, match="such as PODS"):
        manager.kind("configmaps")  # type: ignore[call-overload]


async def test_a_bare_name_is_refused_rather_than_taken_for_an_object_that_is_gone(demo: Place) -> None:
    manager = Manager(demo.client)
    with pytest.raises(
        InvalidCall, match="'web' is not a key of configmaps: give a Request, an object, or namespace/name"
    ):
        manager.kind(MAPS).get("web")
    with pytest.raises(
        InvalidCall, match="'a/b' is not a key of namespaces: give a Request, an object, or its name alone"
    ):
        manager.kind(NAMESPACES).get("a/b")
