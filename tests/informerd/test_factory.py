"""The factory: one informer a resource, started and stopped together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from informerd.errors import InformerExists, InformerStopped, MalformedSelector
from informerd.factory import SharedInformerFactory
from informerd.field_selector import FieldSelector
from informerd.label_selector import LabelSelector
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS
from tests.clock import FakeClock, settle
from tests.informerd.recorder import Recorder
from tests.informerd.scripted import ScriptedServer, pod
from tests.wait import eventually


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
    await settle()
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
    await settle()
    assert "probe ended by itself" in caplog.text
    assert "ValueError: an end" in caplog.text
