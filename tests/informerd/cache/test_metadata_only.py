"""Tests of metadata-only informers (PartialObjectMetadata), on the real kube-apiserver and on a scripted one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import Json, ScriptedServer, pod
from tests.support.wait import eventually

SECRETS = Resource(version="v1", plural="secrets", kind="Secret")
WATCH = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def partial(name: str, version: str, **more: Any) -> Json:
    return {**pod(name, version, **more), "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}


class Setup:
    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    async def create(self, name: str, **labels: str) -> str:
        body = {"metadata": {"name": name, "labels": labels}, "stringData": {"password": "hidden"}}
        return str((await self.client.create(SECRETS, body, self.namespace)).json()["metadata"]["resourceVersion"])


@pytest.fixture
async def setup(controlplane: ControlPlane) -> AsyncIterator[Setup]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        namespace = f"metadata-{uuid4().hex[:8]}"
        await asyncio.to_thread(controlplane.create_namespace, namespace)
        yield Setup(client, namespace)


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "pages"])
async def test_names_and_labels_come_and_follow_without_the_rest(setup: Setup, streaming: bool) -> None:
    for name in ("a", "b", "c"):
        last = await setup.create(name, app=name)
    settings = ReflectorSettings(streaming_lists=streaming, page_size=2)
    factory = SharedInformerFactory(setup.client, settings=settings)
    informer = factory.metadata_informer(SECRETS, namespace=setup.namespace)
    recorder = Recorder()
    informer.add_handler(recorder)
    factory.start()
    await factory.wait_for_cache_sync()
    await informer.wait_for(last)  # the API server's own cache, of which the first list is, may be a moment behind
    found = informer.lister.list(label_selector="app in (a,c)")
    assert sorted(obj.metadata.name for obj in found) == ["a", "c"]
    obj = informer.lister.get("a", setup.namespace)
    assert (obj.kind, obj.api_version) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert {*obj.full()} == {"kind", "apiVersion", "metadata"}
    assert obj.metadata.uid

    created = await setup.create("d", app="d")
    await informer.wait_for(created)
    changed = await setup.client.patch(SECRETS, "a", setup.namespace, {"metadata": {"labels": {"app": "z"}}})
    await informer.wait_for(changed.json()["metadata"]["resourceVersion"])
    await setup.client.delete(SECRETS, "b", setup.namespace)
    names = ["a", "c", "d"]
    await eventually(lambda: sorted(each.metadata.name for each in informer.store) == names)
    assert informer.lister.get("a", setup.namespace).metadata.labels == {"app": "z"}
    await eventually(lambda: [what for what, *_ in recorder.told] == ["add"] * 4 + ["update", "delete"])
    assert not any(informer.counters.faults.values())
    assert informer.health().state == "live"
    await factory.stop()


async def test_whole_objects_and_metadata_of_one_resource_are_two_informers(setup: Setup) -> None:
    created = await setup.create("a")
    factory = SharedInformerFactory(setup.client)
    whole = factory.informer(SECRETS, namespace=setup.namespace)
    partial = factory.metadata_informer(SECRETS, namespace=setup.namespace)
    assert (whole.selector, partial.selector) == ("", "metadata only")
    assert partial is factory.metadata_informer(SECRETS, namespace=setup.namespace)
    factory.start()
    await factory.wait_for_cache_sync()
    await asyncio.gather(whole.wait_for(created), partial.wait_for(created))
    assert whole.lister.get("a", setup.namespace).full()["data"]
    assert "data" not in partial.lister.get("a", setup.namespace).full()
    await factory.stop()


async def test_it_asks_for_metadata_in_lists_streaming_lists_and_watches(
    server: ScriptedServer, clock: FakeClock
) -> None:
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        informer = factory.metadata_informer(PODS)
        factory.start()
        streaming = await server.take_streaming_list()
        assert streaming.accept == WATCH
        streaming.fail({"kind": "Status", "code": 400, "reason": "BadRequest", "message": "no streaming lists"})
        listing = await server.take()
        assert listing.accept == LIST
        listing.answer_list([partial("a", "1")], "10")
        watch = await server.take()
        assert (watch.is_watch, watch.accept) == (True, WATCH)
        await watch.send("ADDED", partial("b", "11"))
        await eventually(lambda: len(informer.store) == 2)
        await factory.stop()


async def test_whole_objects_that_come_all_the_same_are_dropped_with_a_word(
    server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """An API server that knows no such form must not pass for an empty one unseen."""
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        informer = factory.metadata_informer(PODS)
        factory.start()
        stream = await server.take_streaming_list()
        await stream.send("ADDED", pod("a", "1"))
        await eventually(lambda: informer.counters.faults["unexpected"] == 1)
        assert "expected meta.k8s.io/v1 PartialObjectMetadata, got v1 Pod" in caplog.text
        await factory.stop()


async def test_an_informer_of_whole_objects_asks_for_them(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        informer = factory.informer(PODS, Object)
        factory.start()
        request = await server.take_streaming_list()
        assert request.accept == "application/json"
        await request.send_list([pod("a", "1")], "10")
        await informer.wait_for_sync()
        await factory.stop()
