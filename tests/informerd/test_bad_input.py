"""Tests of bad input, which gets a typed error with the name and the position while the informer continues."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import FilteringHandler
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.decoding.decoder import TransformFailed
from informerd.errors import (
    BadRequest,
    IndexExists,
    InformerExists,
    MalformedResourceVersion,
    MalformedSelector,
    NotFound,
    ProjectionMismatch,
    UnexpectedObject,
    UnknownField,
    UnknownIndex,
)
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import Json, Request, ScriptedServer, pod
from tests.support.wait import eventually


class Port(msgspec.Struct, frozen=True):
    number: int
    name: str = ""


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""
    ports: tuple[Port, ...] = ()


class Pod(Object, frozen=True):
    spec: Spec = Spec()


class OtherPod(Object, frozen=True):
    pass


class Running(msgspec.Struct):
    factory: SharedInformerFactory
    informer: SharedInformer[Pod]
    stream: Request
    faults: list[Exception]

    async def goes_on(self) -> None:
        """One more event comes through."""
        await self.stream.send("ADDED", pod("later", "99"))
        await eventually(lambda: "default/later" in self.informer.store)
        assert self.informer.health().state == "live"


@pytest.fixture
async def running(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[Running]:
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        informer = factory.informer(PODS, Pod)
        faults: list[Exception] = []
        informer.on_fault(faults.append)
        factory.start()
        stream = await server.take_streaming_list()
        await stream.send_list([pod("a", "1")], "10")
        await informer.wait_for_sync()
        yield Running(factory, informer, stream, faults)
        await factory.stop()


def with_spec(name: str, version: str, spec: object) -> Json:
    return {**pod(name, version), "spec": spec}


@pytest.mark.parametrize(
    ("spec", "field", "problem"),
    [
        ({"nodeName": 5}, "spec.nodeName", "Expected `str`, got `int`"),
        ("none", "spec", "Expected `object`, got `str`"),
        ({"ports": {"number": 1}}, "spec.ports", "Expected `array`, got `object`"),
        ({"ports": [{"number": 1}, {"number": "http"}]}, "spec.ports[1].number", "Expected `int`, got `str`"),
        ({"ports": [{"name": "x"}]}, "spec.ports[0].number", "Object missing required field `number`"),
    ],
)
async def test_a_projection_that_does_not_fit_an_object_names_field_and_object_and_the_object_is_there(
    running: Running, caplog: pytest.LogCaptureFixture, spec: object, field: str, problem: str
) -> None:
    await running.stream.send("ADDED", with_spec("odd", "11", spec))
    await eventually(lambda: "default/odd" in running.informer.store)
    (error,) = running.faults
    assert isinstance(error, ProjectionMismatch)
    assert (error.projection, error.resource, error.key, error.field) == ("Pod", "pods", "default/odd", field)
    assert problem in str(error)
    assert str(error) in caplog.text
    odd = running.informer.lister.get("odd", "default")
    assert (odd.spec, odd.metadata.uid, odd.full()["spec"]) == (Spec(), "uid-odd", spec)
    await running.goes_on()


async def test_an_object_of_another_kind_is_told_and_left_out(running: Running) -> None:
    await running.stream.send("ADDED", {**pod("x", "11"), "kind": "Node"})
    await running.goes_on()
    (error,) = running.faults
    assert isinstance(error, UnexpectedObject)
    assert "expected v1 Pod, got v1 Node" in str(error)
    assert "default/x" not in running.informer.store


async def test_a_transform_that_raises_is_told_with_the_objects_key(
    running: Running, server: ScriptedServer, clock: FakeClock
) -> None:
    def transform(raw: bytes) -> bytes:
        raise ValueError("no")

    informer = running.factory.informer(PODS, Object, transform=transform, label_selector="a=b")
    told: list[Exception] = []
    informer.on_fault(told.append)
    running.factory.start()
    await clock.advance(1)
    await (await server.take_streaming_list()).send_list([pod("b", "2")], "10")
    await informer.wait_for_sync()
    (error,) = told
    assert isinstance(error, TransformFailed)
    assert (error.key, str(error.__cause__)) == ("default/b", "no")


async def test_a_listener_for_faults_that_raises_is_logged_and_may_leave(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    leave = running.informer.on_fault(lambda error: 1 / 0)  # type: ignore[arg-type]
    await running.stream.send("ADDED", with_spec("odd", "11", 1))
    await eventually(lambda: "a listener for faults of pods failed" in caplog.text)
    leave()
    leave()
    caplog.clear()
    await running.stream.send("ADDED", with_spec("odd", "12", 1))
    await running.goes_on()
    assert len(running.faults) == 2
    assert "a listener for faults" not in caplog.text


async def test_an_index_used_twice_and_an_unknown_one_are_errors_that_name_it(running: Running) -> None:
    running.informer.add_index("node", lambda each: [each.spec.node_name])
    with pytest.raises(IndexExists, match="there is an index 'node' already"):
        running.informer.add_index("node", lambda each: [])
    with pytest.raises(IndexExists, match="'namespace'"):
        running.informer.add_index("namespace", lambda each: [])
    with pytest.raises(UnknownIndex, match="there is no index 'nodes'; there are namespace, node") as raised:
        running.informer.lister.by_index("nodes", "n1")
    assert raised.value.known == ("namespace", "node")
    assert [each.metadata.name for each in running.informer.lister.by_index("node", "n1")] == ["a"]
    await running.goes_on()


async def test_an_index_and_a_filter_that_raise_are_logged_and_the_object_is_kept(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """(client-go panics.)"""

    def picky(each: Pod) -> bool:
        if each.metadata.name == "odd":
            raise ValueError("odd")
        return True

    recorder = Recorder()
    registration = running.informer.add_handler(FilteringHandler(picky, recorder))
    running.informer.add_index("picky", lambda each: [str(picky(each))])
    await running.stream.send("ADDED", pod("odd", "11"))
    await running.goes_on()
    assert "default/odd" in running.informer.store
    assert sorted(running.informer.store.index_keys("picky", "True")) == ["default/a", "default/later"]
    await eventually(lambda: recorder.words == ["add default/a@1", "add default/later@99"])
    assert registration.failures == 1
    assert "index picky failed on default/odd" in caplog.text
    assert "the handler Recorder failed on pods default/odd" in caplog.text


async def test_malformed_selectors_and_unknown_fields_are_errors_and_the_informer_goes_on(running: Running) -> None:
    with pytest.raises(MalformedSelector, match="character 3"):
        running.informer.lister.list(label_selector="a=(b)")
    with pytest.raises(UnknownField, match=r"did you mean spec\.nodeName"):
        running.informer.lister.list(field_selector="spec.nodename=n1")
    with pytest.raises(MalformedSelector):
        running.factory.informer(PODS, Pod, label_selector="a in")
    assert len(running.factory.informers) == 1
    await running.goes_on()


async def test_another_projection_of_the_same_resource_is_an_error_that_names_the_first(running: Running) -> None:
    with pytest.raises(
        InformerExists, match="there is an informer of pods with Pod already, now asked for with OtherPod"
    ):
        running.factory.informer(PODS, OtherPod)
    with pytest.raises(InformerExists, match="now asked for with another transform"):
        running.factory.informer(PODS, Pod, transform=bytes.strip)
    assert running.factory.informer(PODS, Pod) is running.informer
    await running.goes_on()


@pytest.mark.parametrize("version", ["", "0", "latest", "-5", "07", "1.5"])
async def test_a_malformed_version_is_an_error_and_no_endless_wait(running: Running, version: str) -> None:
    async with asyncio.timeout(30):
        with pytest.raises(MalformedResourceVersion, match="is not a resource version"):
            await running.informer.wait_for(version)
        await running.informer.wait_for("10")
    await running.goes_on()


@pytest.fixture
async def live(controlplane: ControlPlane) -> AsyncIterator[SharedInformerFactory]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        factory = SharedInformerFactory(client)
        yield factory
        await factory.stop()


async def test_a_resource_that_does_not_exist_is_absent_and_told_as_not_found(live: SharedInformerFactory) -> None:
    nonsense = Resource(group="nonsense.example.com", version="v1", plural="things", kind="Thing")
    things, pods = live.informer(nonsense), live.informer(PODS)
    told: list[Exception] = []
    things.set_watch_error_handler(told.append)
    live.start()
    await eventually(lambda: things.health().state == "absent")
    assert isinstance(told[0], NotFound)
    assert things.health().problem == "the API server has no things.nonsense.example.com"
    assert not things.has_synced
    await pods.wait_for_sync()


async def test_a_field_that_the_api_server_does_not_select_by_is_told_in_its_words(live: SharedInformerFactory) -> None:
    informer, pods = live.informer(PODS, field_selector="spec.hostname=a"), live.informer(PODS)
    told: list[Exception] = []
    informer.set_watch_error_handler(told.append)
    live.start()
    await eventually(lambda: bool(told))
    assert isinstance(told[0], BadRequest)
    assert "field label not supported: spec.hostname" in str(told[0])
    assert "field label not supported: spec.hostname" in informer.health().problem
    await pods.wait_for_sync()


async def test_a_list_and_watch_of_its_own_checks_its_selectors_too(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client:
        with pytest.raises(MalformedSelector, match="'a in b', character 6"):
            ListWatch(client, PODS, projection=Pod, label_selector="a in b")
        with pytest.raises(MalformedSelector, match="'phase', character 1"):
            ListWatch(client, PODS, projection=Pod, field_selector="phase")
        source = ListWatch(client, PODS, projection=Pod, label_selector="b, a==1", field_selector="x==1")
        assert source.selector == "a=1,b fields:x=1"
    assert server.waiting == 0
