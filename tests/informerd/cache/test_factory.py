"""Tests of the factory: one informer a resource, started and stopped together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.errors import CacheSyncTimeout, InformerExists, InformerStopped, MalformedSelector
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import ScriptedServer, pod, status
from tests.support.wait import eventually


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()


@pytest.fixture
async def factory(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[SharedInformerFactory]:
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        yield factory
        await factory.stop()


async def test_there_is_one_informer_for_a_resource_a_namespace_and_selectors(factory: SharedInformerFactory) -> None:
    first = factory.informer(PODS, Pod)
    assert factory.informer(PODS, Pod) is first
    assert factory.informer(PODS, Pod, namespace="one") is not first
    assert factory.informer(PODS, Pod, label_selector="a=b") is not first


async def test_selectors_that_say_the_same_share_an_informer(factory: SharedInformerFactory) -> None:
    first = factory.informer(PODS, Pod, label_selector="b, a==1", field_selector="x!=1,y=2")
    again = factory.informer(PODS, Pod, label_selector="a in (1),b", field_selector=FieldSelector.parse("y==2,x!=1"))
    assert again is first
    assert factory.informer(PODS, Pod, label_selector=LabelSelector.parse("a=1")) is not first


async def test_a_malformed_selector_is_an_error_before_anything_is_asked_for(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    with pytest.raises(MalformedSelector, match="'a in b', character 6: found 'b', expected"):
        factory.informer(PODS, Pod, label_selector="a in b")
    with pytest.raises(MalformedSelector, match=r"'status\.phase', character 1"):
        factory.informer(PODS, Pod, field_selector="status.phase")
    pods = factory.informer(PODS, Pod)
    factory.start()
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await pods.wait_for_sync()
    assert pods.health().state == "live"


async def test_another_projection_of_the_same_is_an_error(factory: SharedInformerFactory) -> None:
    factory.informer(PODS, Pod)
    with pytest.raises(InformerExists, match="an informer of pods with Pod already"):
        factory.informer(PODS)


async def test_it_starts_what_was_asked_for_since_and_nothing_twice(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    pods = factory.informer(PODS, Pod)
    lister = factory.lister(PODS, Pod)
    recorder = Recorder()
    pods.add_handler(recorder)
    factory.start()
    factory.start()
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await factory.wait_for_cache_sync()
    assert lister.get("a", "default").spec.node_name == "n1"
    await eventually(lambda: recorder.words == ["add default/a@1"])
    demos = factory.informer(MYDEMOS)
    await run_ready_tasks()
    assert demos.health().state == "starting"
    factory.start()
    await eventually(lambda: demos.health().state == "absent")
    assert server.waiting == 0


async def test_stop_waits_for_the_end_and_is_final(factory: SharedInformerFactory, server: ScriptedServer) -> None:
    factory.informer(PODS)
    factory.start()
    await server.take()
    before = asyncio.all_tasks()
    await factory.stop()
    assert not [task for task in before if "pods" in task.get_name() and not task.done()]
    with pytest.raises(InformerStopped):
        factory.start()
    with pytest.raises(InformerStopped):
        factory.informer(PODS)


async def test_a_sync_that_does_not_come_in_time_is_an_error_that_names_who_and_why(
    factory: SharedInformerFactory, server: ScriptedServer, clock: FakeClock
) -> None:
    pods = factory.informer(PODS)
    factory.informer(MYDEMOS)
    factory.informer(PODS, namespace="one", label_selector="a=b")
    factory.start()
    waiting = asyncio.create_task(factory.wait_for_cache_sync(30))
    await eventually(lambda: server.waiting == 1, what="the list of pods")
    (await server.take()).fail(status(403, "Forbidden", "pods is forbidden"))
    (await server.take_list()).fail(status(403, "Forbidden", "pods is forbidden"))
    await eventually(lambda: pods.health().state == "forbidden")
    await clock.advance(29)
    assert not waiting.done()
    await clock.advance(1)
    with pytest.raises(CacheSyncTimeout) as caught:
        await waiting
    assert dict(caught.value.pending) == {
        "pods": "forbidden: pods is forbidden",
        "mydemos.crddemo.k8s.io": "absent: the API server has no mydemos.crddemo.k8s.io",
        "pods (namespace one, a=b)": "absent: the API server has no pods",
    }
    assert str(caught.value).startswith("not synced within 30 s: pods is forbidden: pods is forbidden; ")
    assert isinstance(caught.value, TimeoutError)
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "alarm"]


async def test_waiting_for_the_sync_covers_what_has_started_and_nothing_else(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    await factory.wait_for_cache_sync(5)
    factory.informer(PODS)
    factory.start()
    factory.informer(MYDEMOS)
    await (await server.take_streaming_list()).send_list([], "10")
    await factory.wait_for_cache_sync(5)


async def test_each_of_several_informers_of_one_kind_is_waited_for_and_named(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    informers = [
        factory.informer(PODS),
        factory.informer(PODS, field_selector="a=b"),
        factory.informer(PODS, label_selector="a=b"),
    ]
    factory.start()
    requests = [await server.take_streaming_list() for _ in informers]
    for request in requests[1:]:
        await request.send_list([], "10")
    await eventually(lambda: sum(each.has_synced for each in informers) == 2)
    waiting = asyncio.create_task(factory.wait_for_cache_sync())
    await run_ready_tasks()
    assert not waiting.done()
    await requests[0].send_list([], "10")
    await waiting
    factory.metadata_informer(PODS)
    names = [str(scope) for scope in factory._entries]
    assert names == ["pods", "pods (fields:a=b)", "pods (a=b)", "pods (metadata only)"]


async def test_an_informer_is_stopped_alone_and_made_anew_when_asked_for_again(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    pods, demos = factory.informer(PODS), factory.informer(MYDEMOS)
    recorder = Recorder()
    pods.add_handler(recorder)
    factory.start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await eventually(lambda: recorder.told)
    await factory.drop(pods)
    await factory.drop(pods)
    await eventually(lambda: stream.is_gone)
    with pytest.raises(InformerStopped):
        pods.add_handler(recorder)
    assert factory.informers == [demos]
    again = factory.informer(PODS)
    assert again is not pods
    again.add_handler(recorder)
    factory.start()
    await (await server.take_streaming_list()).send_list([pod("b", "2")], "20")
    await again.wait_for_sync()
    await eventually(lambda: recorder.words == ["add default/a@1", "add default/b@2"])


async def test_a_wait_for_the_sync_does_not_mind_an_informer_that_is_dropped_meanwhile(
    factory: SharedInformerFactory, server: ScriptedServer
) -> None:
    demos = factory.informer(MYDEMOS)
    factory.informer(PODS)
    factory.start()
    waiting = asyncio.create_task(factory.wait_for_cache_sync())
    await (await server.take_streaming_list()).send_list([], "10")
    await eventually(lambda: demos.health().state == "absent")
    await factory.drop(demos)
    await waiting


async def test_who_waits_for_an_informer_that_never_started_is_told_of_its_end(factory: SharedInformerFactory) -> None:
    dropped, left = factory.informer(MYDEMOS), factory.informer(PODS)
    registration = left.add_handler(Recorder())
    waiting = [
        asyncio.create_task(wait)
        for wait in (dropped.wait_for_sync(), left.wait_for_sync(), left.wait_for("7"), registration.wait_for_sync())
    ]
    await run_ready_tasks()
    await factory.drop(dropped)
    await factory.stop()
    for task in waiting:
        with pytest.raises(InformerStopped):
            await task
    with pytest.raises(InformerStopped):
        await left.run()


async def test_as_a_context_it_stops_at_the_end(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client, SharedInformerFactory(client, clock=clock) as factory:
        informer = factory.informer(PODS)
        factory.start()
        stream = await server.take_streaming_list()
    await eventually(lambda: stream.is_gone)
    with pytest.raises(InformerStopped):
        await informer.wait_for_sync()


async def test_it_probes_the_server_for_all_its_informers(
    factory: SharedInformerFactory, server: ScriptedServer, clock: FakeClock
) -> None:
    informer = factory.informer(PODS)
    factory.start()
    await (await server.take_streaming_list()).send_list([], "10")
    await informer.wait_for_sync()
    await clock.advance(5)
    await eventually(lambda: server.probes == 1)
    await eventually(lambda: informer.health().heard == clock.time())


async def test_a_probe_that_ends_by_itself_is_logged(
    factory: SharedInformerFactory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def end() -> None:
        raise ValueError("an end")

    monkeypatch.setattr(factory.probe, "run", end)
    factory.informer(PODS)
    factory.start()
    await run_ready_tasks()
    assert "probe ended by itself" in caplog.text
    assert "ValueError: an end" in caplog.text
