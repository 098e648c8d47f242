"""Tests of the guarantees of list and watch, the same on a real kube-apiserver and on the demo cluster.

The informer reaches its API server over a wire that the test can cut; the test itself has a client of its own.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from ruamel.yaml import YAML

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import ApiError, NotFound
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.resource_version import parse_resource_version
from informerd.rest.client import Client
from tests.support.controlplane import ControlPlane
from tests.support.informerd.recording_handler import Recorder
from tests.support.restartable_api_servers import Cluster, DemoCluster, RealCluster
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.tcp_proxy import Wire
from tests.support.wait import eventually

NAMESPACES = Resource(version="v1", plural="namespaces", kind="Namespace", namespaced=False)
DEFINITIONS = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    plural="customresourcedefinitions",
    kind="CustomResourceDefinition",
    namespaced=False,
)
WIDGETS = Resource(group="tests.example.com", version="v1", plural="widgets", kind="Widget")
MYDEMO_FILE = Path(__file__).parents[2] / "deploy" / "crd" / "mydemos.yaml"
WITHOUT_CACHE = ("--watch-cache=false",)
"""Lists and watches are then answered by etcd, whose compaction makes versions expire."""

Json = dict[str, Any]


def pod(name: str, **labels: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "registry.example/main:1"}]},
    }


def mydemo(name: str, port: int) -> Json:
    return {
        "apiVersion": MYDEMOS.api_version,
        "kind": MYDEMOS.kind,
        "metadata": {"name": name},
        "spec": {"ip": "10.0.0.1", "port": port},
    }


class Rig:
    """One test's namespace, its client, and informers at the far end of a wire."""

    def __init__(self, cluster: Cluster, client: Client, wire: Wire, namespace: str) -> None:
        self.cluster = cluster
        self.client = client
        self.wire = wire
        self.namespace = namespace
        self.states: list[str] = []
        self.recorder = Recorder()

    async def create(self, resource: Resource, obj: Json) -> str:
        """Create and give the resource version."""
        namespace = self.namespace if resource.namespaced else ""
        answer = await self.client.create(resource, obj, namespace)
        return str(answer.json()["metadata"]["resourceVersion"])

    async def label(self, resource: Resource, name: str, **labels: str) -> str:
        """Set labels and give the resource version."""
        answer = await self.client.patch(resource, name, self.namespace, {"metadata": {"labels": labels}})
        return str(answer.json()["metadata"]["resourceVersion"])

    async def delete(self, resource: Resource, name: str) -> None:
        namespace = self.namespace if resource.namespaced else ""
        await self.client.delete(resource, name, namespace, grace_period=0)

    async def versions(self, resource: Resource) -> dict[str, str]:
        """What the API server has: versions by key."""
        items = (await self.client.list(resource, self.namespace)).json()["items"]
        metas = [item["metadata"] for item in items]
        return {f"{meta['namespace']}/{meta['name']}": meta["resourceVersion"] for meta in metas}

    async def equal(self, informer: SharedInformer[Object]) -> None:
        """Wait until the store has what the API server has, and the handler was told so."""

        async def same() -> bool:
            wanted = await self.versions(informer.resource)
            return wanted == stored(informer) == folded(self.recorder)

        await eventually(same, what="the store and the handler equal the API server")

    def key(self, name: str) -> str:
        return f"{self.namespace}/{name}"


def stored(informer: SharedInformer[Object]) -> dict[str, str]:
    return {obj.key: obj.metadata.resource_version for obj in informer.store}


def folded(recorder: Recorder) -> dict[str, str]:
    """What a handler believes there is, from what it was told."""
    objects: dict[str, str] = {}
    for what, key, version, _ in recorder.told:
        if what == "delete":
            del objects[key]
        else:
            assert (what == "add") is (key not in objects), recorder.told
            objects[key] = version
    return objects


BOTH = [pytest.param("real", marks=pytest.mark.controlplane), "demo"]


@pytest.fixture(params=BOTH)
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    """An API server that tests leave alone."""
    if request.param == "real":
        controlplane: ControlPlane = request.getfixturevalue("controlplane")
        await asyncio.to_thread(controlplane.apply_crd, MYDEMO_FILE)
        yield RealCluster(controlplane)
        return
    demo = DemoCluster()
    await demo.start_again()
    yield demo
    await demo.kill()


@pytest.fixture(scope="module")
def uncached_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One for the tests that do it harm, which may be killed and have its history compacted."""
    directory = tmp_path_factory.mktemp("uncached_controlplane")
    controlplane = ControlPlane(directory, controlplane_binaries(), apiserver_flags=WITHOUT_CACHE)
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture(params=BOTH)
async def own_cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    """An API server that this test alone uses, and may harm: the demo cluster is its own, the real one is mended."""
    if request.param == "demo":
        demo = DemoCluster()
        await demo.start_again()
        yield demo
        await demo.kill()
        return
    cluster = RealCluster(request.getfixturevalue("uncached_controlplane"))
    try:
        yield cluster
    finally:
        await cluster.start_again()


@pytest.fixture
async def rig(cluster: Cluster) -> AsyncIterator[Rig]:
    async with rigged(cluster) as rig:
        yield rig


@pytest.fixture
async def own_rig(own_cluster: Cluster) -> AsyncIterator[Rig]:
    async with rigged(own_cluster) as rig:
        yield rig


@asynccontextmanager
async def rigged(cluster: Cluster) -> AsyncIterator[Rig]:
    async with Client(cluster.config) as client, Wire(cluster.port) as wire:
        namespace = f"list-and-watch-{uuid4().hex[:8]}"
        await client.create(NAMESPACES, {"metadata": {"name": namespace}})
        yield Rig(cluster, client, wire, namespace)


@pytest.fixture
async def informers() -> AsyncIterator[list[Any]]:
    """What `follow` started, to be stopped."""
    started: list[Any] = []
    yield started
    for factory, client in started:
        await factory.stop()
        await client.close()


async def follow(
    rig: Rig, informers: list[Any], resource: Resource = PODS, *, probe: float = 5.0, **settings: Any
) -> SharedInformer[Object]:
    """Start an informer of the rig's namespace over the wire."""
    config = dataclasses.replace(rig.cluster.config, server=f"https://127.0.0.1:{rig.wire.port}")
    client = Client(config)
    factory = SharedInformerFactory(client, settings=ReflectorSettings(**settings), probe_interval=probe)
    informers.append((factory, client))
    informer = factory.informer(resource, namespace=rig.namespace)
    informer.add_handler(rig.recorder)
    informer.on_health(lambda health: rig.states.append(health.state))
    factory.start()
    return informer


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "list"])
async def test_sync_gives_what_the_api_server_has(rig: Rig, informers: list[Any], streaming: bool) -> None:
    for name in ("a", "b"):
        await rig.create(PODS, pod(name, app=name))
    informer = await follow(rig, informers, streaming_lists=streaming)
    await informer.wait_for_sync()
    await rig.equal(informer)
    assert [extra for *_, extra in rig.recorder.told] == [True, True]
    live = (await rig.client.get(PODS, "a", rig.namespace)).json()
    cached = informer.store.get(rig.key("a"))
    assert cached is not None
    assert cached.full() == live
    assert cached.metadata.labels == {"app": "a"}
    await eventually(lambda: informer.health().state == "live")


@pytest.mark.parametrize("consistent", [True, False])
async def test_lists_come_in_pages_and_lose_nothing(rig: Rig, informers: list[Any], consistent: bool) -> None:
    await asyncio.gather(*(rig.create(PODS, pod(f"p{number}")) for number in range(7)))
    informer = await follow(rig, informers, streaming_lists=False, consistent_lists=consistent, page_size=3)
    await informer.wait_for_sync()
    assert len(informer.store) == 7
    await rig.equal(informer)


async def test_adds_changes_and_deletes_are_seen_in_order(rig: Rig, informers: list[Any]) -> None:
    informer = await follow(rig, informers, MYDEMOS)
    await informer.wait_for_sync()
    created = await rig.create(MYDEMOS, mydemo("one", 8080))
    changed = await rig.label(MYDEMOS, "one", colour="red")
    await informer.wait_for(changed)
    obj = informer.store.get(rig.key("one"))
    assert obj is not None
    assert obj.metadata.labels == {"colour": "red"}
    assert obj.full()["spec"] == {"ip": "10.0.0.1", "port": 8080}
    await rig.delete(MYDEMOS, "one")
    await eventually(lambda: len(rig.recorder.told) == 3)
    assert rig.recorder.told[:2] == [
        ("add", rig.key("one"), created, False),
        ("update", rig.key("one"), changed, created),
    ]
    what, key, version, unknown = rig.recorder.told[2]
    assert (what, key, unknown) == ("delete", rig.key("one"), False)
    assert parse_resource_version(version) >= parse_resource_version(changed)
    assert len(informer.store) == 0


@pytest.mark.slow
async def test_a_watch_that_reaches_its_time_out_is_resumed_without_a_relist(rig: Rig, informers: list[Any]) -> None:
    informer = await follow(rig, informers, watch_timeout=1.0)
    await informer.wait_for_sync()
    for count in range(1, 4):
        await rig.create(PODS, pod(f"p{count}"))
        await eventually(lambda count=count: informer.health().reconnects >= count)  # type: ignore[misc]
    await rig.equal(informer)
    assert informer.health().relists == 0
    assert rig.states == ["syncing", "live"]


async def test_bookmarks_move_the_version_on(rig: Rig, informers: list[Any]) -> None:
    """A watch cache sends one every minute, and two seconds before a watch's end."""
    informer = await follow(rig, informers, watch_timeout=4.0)
    await informer.wait_for_sync()
    elsewhere = await rig.client.create(PODS, pod("other"), "default")
    try:
        wanted = str(elsewhere.json()["metadata"]["resourceVersion"])
        async with asyncio.timeout(30):
            await informer.wait_for(wanted)
    finally:
        await rig.client.delete(PODS, "other", "default", grace_period=0)
    health = informer.health()
    assert health.last_bookmark is not None
    assert (health.last_event, health.relists, len(informer.store)) == (None, 0, 0)


@pytest.mark.slow
async def test_a_broken_connection_is_resumed_without_a_relist_and_nothing_is_missed(
    rig: Rig, informers: list[Any]
) -> None:
    informer = await follow(rig, informers)
    await informer.wait_for_sync()
    await rig.create(PODS, pod("a"))
    await rig.create(PODS, pod("b"))
    await rig.equal(informer)
    await rig.wire.cut()
    await eventually(lambda: informer.health().state == "stale")
    assert f"127.0.0.1:{rig.wire.port}" in informer.health().problem
    assert informer.health().retry_at is not None
    await rig.delete(PODS, "a")
    await rig.create(PODS, pod("c"))
    await rig.wire.mend()
    await eventually(lambda: informer.health().state == "live")
    await rig.equal(informer)
    assert informer.health().relists == 0
    assert ("delete", rig.key("a"), False) in [(what, key, extra) for what, key, _, extra in rig.recorder.told]


@pytest.mark.slow
async def test_a_connection_that_falls_silent_is_noticed_by_the_probe_and_healed(
    rig: Rig, informers: list[Any]
) -> None:
    informer = await follow(rig, informers, probe=0.2)
    await rig.create(PODS, pod("a"))
    await rig.equal(informer)
    rig.wire.freeze()
    await eventually(lambda: informer.health().state == "stale")
    assert "does not answer" in informer.health().problem or "in time" in informer.health().problem
    await rig.delete(PODS, "a")
    rig.wire.thaw()
    await eventually(lambda: informer.health().state == "live")
    await rig.equal(informer)


@pytest.mark.slow
async def test_an_expired_version_leads_to_a_relist_that_computes_the_deletes(
    own_rig: Rig, informers: list[Any]
) -> None:
    rig = own_rig
    informer = await follow(rig, informers)
    for name in ("kept", "gone", "changed", "replaced"):
        await rig.create(PODS, pod(name))
    await rig.equal(informer)
    before = len(rig.recorder.told)
    await rig.wire.cut()
    await rig.delete(PODS, "gone")
    await rig.label(PODS, "changed", colour="red")
    await rig.delete(PODS, "replaced")
    await rig.create(PODS, pod("replaced"))
    await rig.create(PODS, pod("new"))
    await rig.cluster.compact()
    await rig.create(PODS, pod("newest"))
    await rig.wire.mend()
    await rig.equal(informer)
    assert informer.health().relists == 1
    news = rig.recorder.told[before:]
    assert (news[0][0], news[0][1], news[0][3]) == ("delete", rig.key("gone"), True)
    told = sorted((what, key) for what, key, *_ in news[1:])
    assert told == sorted(
        [
            ("add", rig.key("new")),
            ("add", rig.key("newest")),
            ("update", rig.key("changed")),
            ("update", rig.key("replaced")),
        ]
    )
    await eventually(lambda: informer.health().state == "live")


@pytest.mark.slow
async def test_a_killed_api_server_makes_it_stale_and_it_heals_without_ghosts(
    own_rig: Rig, informers: list[Any]
) -> None:
    rig = own_rig
    informer = await follow(rig, informers)
    for name in ("a", "b"):
        await rig.create(PODS, pod(name))
    await rig.equal(informer)
    await rig.cluster.kill()
    await eventually(lambda: informer.health().state == "stale")
    assert len(informer.store) == 2
    await rig.cluster.start_again()
    await rig.delete(PODS, "a")
    await rig.create(PODS, pod("c"))
    await eventually(lambda: informer.health().state == "live")
    await rig.equal(informer)
    assert sorted(stored(informer)) == [rig.key("b"), rig.key("c")]


@pytest.mark.slow
async def test_a_custom_resource_appears_when_its_definition_is_created_and_vanishes_with_it(
    own_rig: Rig, informers: list[Any]
) -> None:
    rig = own_rig
    informer = await follow(rig, informers, WIDGETS)
    await eventually(lambda: informer.health().state == "absent")
    assert not informer.has_synced
    await rig.client.create(DEFINITIONS, widgets_definition())
    await eventually(lambda: _served(rig), what="widgets are served")
    widget = {"apiVersion": WIDGETS.api_version, "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}}
    await rig.create(WIDGETS, widget)
    await eventually(lambda: informer.health().state == "live")
    await rig.equal(informer)
    await rig.client.delete(DEFINITIONS, "widgets.tests.example.com")
    await eventually(lambda: informer.health().state == "absent")
    assert stored(informer) == {}
    assert folded(rig.recorder) == {}
    await eventually(lambda: _unserved(rig), what="widgets are gone")
    await rig.client.create(DEFINITIONS, widgets_definition())
    await eventually(lambda: _served(rig), what="widgets are served")
    await rig.create(WIDGETS, widget)
    await rig.equal(informer)
    await eventually(lambda: informer.health().state == "live")


@pytest.mark.slow
@pytest.mark.parametrize("own_cluster", ["demo"], indirect=True)
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_happens_in_between_the_store_and_the_handler_end_equal_to_the_api_server(
    own_rig: Rig, informers: list[Any], seed: int
) -> None:
    """A random history of writes, broken connections, outages and lost histories."""
    rig, chance = own_rig, random.Random(seed)
    informer = await follow(rig, informers, backoff=0.02, backoff_cap=0.1, watch_interval=0.02)
    names: set[str] = set()
    for _ in range(150):
        await _something_happens(rig, names, chance)
    await rig.wire.mend_if_cut()
    await rig.equal(informer)
    await eventually(lambda: informer.health().state == "live")
    assert sorted(stored(informer)) == sorted(map(rig.key, names))
    health = informer.health()
    assert health.reconnects + health.relists > 0  # on a busy machine each break may end in a list


async def _something_happens(rig: Rig, names: set[str], chance: random.Random) -> None:
    name = f"p{chance.randrange(12)}"
    match chance.choices(["write", "delete", "drop", "cut", "mend", "forget", "wait"], [50, 15, 4, 3, 6, 3, 19])[0]:
        case "write" if name in names:
            await rig.label(PODS, name, colour=str(chance.random()))
        case "write":
            await rig.create(PODS, pod(name))
            names.add(name)
        case "delete" if name in names:
            await rig.delete(PODS, name)
            names.remove(name)
        case "drop":
            rig.wire.drop()
        case "cut":
            await rig.wire.cut()
        case "mend":
            await rig.wire.mend_if_cut()
        case "forget":
            await rig.cluster.compact()
        case _:
            await asyncio.sleep(chance.random() / 50)  # lets the informer catch up, more or less


def widgets_definition() -> Json:
    """A CRD of its own, made from Mydemo's, because Mydemo may be everybody's."""
    definition: Json = msgspec.json.decode(msgspec.json.encode(YAML(typ="safe").load(MYDEMO_FILE)))
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    definition["metadata"] = {"name": "widgets.tests.example.com"}
    definition["spec"] = {"group": WIDGETS.group, "scope": "Namespaced", "names": names, "versions": [version]}
    return definition


async def _served(rig: Rig) -> bool:
    try:
        await rig.client.list(WIDGETS, rig.namespace)
    except ApiError:
        return False
    return True


async def _unserved(rig: Rig) -> bool:
    try:
        await rig.client.get(DEFINITIONS, "widgets.tests.example.com")
    except NotFound:
        return True
    return False
