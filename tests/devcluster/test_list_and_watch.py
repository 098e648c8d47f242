"""Tests of list and watch, the same on the demo cluster and the real API server, bare and through informerd."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.devcluster.http_client import Api, Json
from tests.support.wait import eventually

pytestmark = pytest.mark.program

MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
_numbers = itertools.count(1)


@pytest.fixture(params=["demo", pytest.param("real", marks=pytest.mark.controlplane)])
def kubeconfig(request: pytest.FixtureRequest) -> Path:
    """Both servers, one after the other."""
    if request.param == "demo":
        found: Path = request.getfixturevalue("process")
        return found
    controlplane: Path = request.getfixturevalue("controlplane").kubeconfig
    return controlplane


@pytest.fixture
def server(kubeconfig: Path) -> Api:
    return Api.of(kubeconfig)


@pytest.fixture
def maps(server: Api) -> str:
    """The path of the ConfigMaps in a namespace of the test's own, which holds a, b and c."""
    name = f"list-and-watch-{next(_numbers)}"
    server.post("/api/v1/namespaces", {"metadata": {"name": name}})
    path = f"/api/v1/namespaces/{name}/configmaps"
    for letter in "abc":
        assert server.post(path, {"metadata": {"name": letter, "labels": {"letter": letter}}}).code == 201
    return path


def version(obj: Json) -> str:
    found: str = obj["metadata"]["resourceVersion"]
    return found


def seen(events: list[Json]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


def watched(server: Api, path: str, query: str = "") -> list[Json]:
    """The events of a watch of one second."""
    return server.get(f"{path}?watch=1&timeoutSeconds=1{query}").lines


def test_a_list_is_at_least_as_new_as_the_last_write(server: Api, maps: str) -> None:
    written = int(version(server.patch(f"{maps}/a", {"data": {"x": "1"}}).json))
    found = server.get(maps).json
    assert int(version(found)) >= written
    assert [item["metadata"]["name"] for item in found["items"]] == ["a", "b", "c"]


def test_an_exact_version_is_the_past(server: Api, maps: str) -> None:
    before = version(server.get(maps).json)
    server.delete(f"{maps}/a")
    found = server.get(f"{maps}?resourceVersion={before}&resourceVersionMatch=Exact").json
    assert [item["metadata"]["name"] for item in found["items"]] == ["a", "b", "c"]
    assert version(found) == before


def test_pages_show_one_version_while_things_change(server: Api, maps: str) -> None:
    first = server.get(f"{maps}?limit=1").json
    assert first["metadata"]["remainingItemCount"] == 2
    server.delete(f"{maps}/c")
    server.post(maps, {"metadata": {"name": "aa"}})
    rest = server.get(f"{maps}?limit=5&continue={first['metadata']['continue']}").json
    assert [item["metadata"]["name"] for item in rest["items"]] == ["b", "c"]
    assert version(rest) == version(first)
    assert "continue" not in rest["metadata"]


def test_a_watch_goes_on_where_the_list_ended(server: Api, maps: str) -> None:
    start = version(server.get(maps).json)
    server.patch(f"{maps}/a", {"data": {"x": "1"}})
    server.delete(f"{maps}/b")
    server.post(maps, {"metadata": {"name": "d"}})
    events = watched(server, maps, f"&resourceVersion={start}")
    assert seen(events) == [("MODIFIED", "a"), ("DELETED", "b"), ("ADDED", "d")]
    versions = [int(version(event["object"])) for event in events]
    assert versions == sorted(versions)
    assert versions[0] > int(start)


@pytest.mark.long
def test_a_watch_goes_on_from_any_event(server: Api, maps: str) -> None:
    start = version(server.get(maps).json)
    server.patch(f"{maps}/a", {"data": {"x": "1"}})
    server.patch(f"{maps}/b", {"data": {"x": "1"}})
    first, second = watched(server, maps, f"&resourceVersion={start}")
    assert watched(server, maps, f"&resourceVersion={version(first['object'])}") == [second]


@pytest.mark.long
def test_a_watch_without_a_version_begins_with_what_is_there(server: Api, maps: str) -> None:
    assert sorted(seen(watched(server, maps))) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    assert sorted(seen(watched(server, maps, "&resourceVersion=0"))) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]


def test_a_streaming_list_ends_with_its_bookmark(server: Api, maps: str) -> None:
    query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    *initial, bookmark = watched(server, maps, query)
    assert sorted(seen(initial)) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    assert bookmark["type"] == "BOOKMARK"
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(version(bookmark["object"])) >= max(int(version(event["object"])) for event in initial)


@pytest.mark.long
def test_a_streaming_list_of_a_version_to_come_is_an_error_event(server: Api, maps: str) -> None:
    query = (
        "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=999999999"
    )
    (event,) = server.get(f"{maps}?watch=1&timeoutSeconds=8{query}").lines
    assert (event["type"], event["object"]["reason"], event["object"]["code"]) == ("ERROR", "Timeout", 504)


def test_objects_enter_and_leave_a_selector(server: Api, maps: str) -> None:
    start = version(server.get(maps).json)
    server.patch(f"{maps}/b", {"metadata": {"labels": {"letter": "a"}}})
    server.patch(f"{maps}/a", {"metadata": {"labels": {"letter": "z"}}})
    last = version(server.get(f"{maps}/a").json)
    events = watched(server, maps, f"&labelSelector=letter%3Da&resourceVersion={start}")
    assert seen(events) == [("ADDED", "b"), ("DELETED", "a")]
    assert version(events[1]["object"]) == last
    assert events[1]["object"]["metadata"]["labels"] == {"letter": "a"}


def test_a_field_selector_watches_one_object(server: Api, maps: str) -> None:
    start = version(server.get(maps).json)
    server.patch(f"{maps}/a", {"data": {"x": "1"}})
    server.patch(f"{maps}/b", {"data": {"x": "1"}})
    events = watched(server, maps, f"&fieldSelector=metadata.name%3Db&resourceVersion={start}")
    assert seen(events) == [("MODIFIED", "b")]


def test_an_update_that_changes_nothing_is_no_event(server: Api, maps: str) -> None:
    start = server.get(f"{maps}/a").json
    same = server.patch(f"{maps}/a", {"metadata": {"labels": {"letter": "a"}}}).json
    assert version(same) == version(start)
    assert watched(server, maps, f"&resourceVersion={version(start)}&fieldSelector=metadata.name%3Da") == []


@pytest.fixture
async def informer(kubeconfig: Path, maps: str) -> AsyncIterator[SharedInformer[Object]]:
    """informerd on the test's namespace, synced."""
    async with Client(load_kubeconfig(kubeconfig)) as client:
        factory = SharedInformerFactory(client)
        informer = factory.informer(MAPS, namespace=maps.split("/")[4])
        factory.start()
        async with asyncio.timeout(20):
            await informer.wait_for_sync()
        yield informer
        await factory.stop()


async def test_informerd_follows(informer: SharedInformer[Object], server: Api, maps: str) -> None:
    heard: list[tuple[str, str]] = []
    handler: HandlerFunctions[Object] = HandlerFunctions(
        on_add=lambda obj, initial: heard.append(("initial" if initial else "add", obj.metadata.name)),
        on_update=lambda _, new: heard.append(("update", new.metadata.name)),
        on_delete=lambda obj, _: heard.append(("delete", obj.metadata.name)),
    )
    informer.add_handler(handler)
    await asyncio.to_thread(server.patch, f"{maps}/a", {"data": {"x": "1"}})
    await asyncio.to_thread(server.delete, f"{maps}/b")
    await asyncio.to_thread(server.post, maps, {"metadata": {"name": "d"}})
    await eventually(lambda: len(heard) == 6, what="three initial adds and three changes")
    assert sorted(heard[:3]) == [("initial", "a"), ("initial", "b"), ("initial", "c")]
    assert heard[3:] == [("update", "a"), ("delete", "b"), ("add", "d")]


async def test_informerd_reads_its_own_writes(informer: SharedInformer[Object], server: Api, maps: str) -> None:
    written = await asyncio.to_thread(server.patch, f"{maps}/a", {"data": {"x": "2"}})
    async with asyncio.timeout(30):
        await informer.wait_for(version(written.json))
    found = informer.store.get(f"{maps.split('/')[4]}/a")
    assert found is not None
    assert found.full()["data"] == {"x": "2"}


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "pages"])
async def test_informerd_follows_metadata_alone(kubeconfig: Path, server: Api, maps: str, streaming: bool) -> None:
    async with Client(load_kubeconfig(kubeconfig)) as client:
        settings = ReflectorSettings(streaming_lists=streaming, page_size=2)
        factory = SharedInformerFactory(client, settings=settings)
        namespace = maps.split("/")[4]
        informer = factory.metadata_informer(MAPS, namespace=namespace)
        factory.start()
        async with asyncio.timeout(20):
            await informer.wait_for_sync()
        assert sorted(obj.metadata.name for obj in informer.lister.list(label_selector="letter")) == ["a", "b", "c"]
        written = await asyncio.to_thread(
            server.patch, f"{maps}/a", {"data": {"x": "2"}, "metadata": {"labels": {"y": "z"}}}
        )
        async with asyncio.timeout(30):
            await informer.wait_for(version(written.json))
        found = informer.lister.get("a", namespace)
        assert found.metadata.labels["y"] == "z"
        whole = (await asyncio.to_thread(server.get, f"{maps}/a")).json
        assert found.full() == {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": whole["metadata"],
        }
        assert not any(informer.counters.faults.values())
        await factory.stop()
