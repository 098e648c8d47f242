"""Tests of the worker: deltas become rows and feed entries, and a fault of one kind does not affect another."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.messages import SnapshotRequest, encoder
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.row_handler import RowHandler
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import find_kind, kind_of_key, parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import projection_for
from informerd.clock import SystemClock
from informerd.errors import ServerError, Status
from informerd.objects import Object, ObjectMeta
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.program import ROOT
from tests.support.scripted_api_server import ScriptedServer
from tests.support.scripted_api_server import pod as scripted_pod
from tests.support.wait import eventually, until


class NoClient:
    """Stands for the client of a worker that is not started."""


CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"
MYDEMOS = "mydemos.crddemo.k8s.io"


def pod(name: str, version: int = 1, *, uid: str = "", phase: str = "Running") -> Object:
    meta = ObjectMeta(
        name=name,
        namespace="default",
        uid=uid or f"uid-{name}",
        resource_version=str(version),
        creation_timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )
    projected = msgspec.convert({"metadata": {}, "status": {"phase": phase}}, projection_for("pods"))
    return msgspec.structs.replace(projected, metadata=meta)


class Feed:
    def __init__(self) -> None:
        self.publisher = Publisher("pods", RecordingLayer(), FakeClock())
        self.handler = RowHandler("pods", self.publisher)

    async def entries(self) -> list[tuple[str, str, str]]:
        await self.publisher.flush()
        return [(entry.op, entry.name, entry.words) for entry in self.publisher.entries]

    @property
    def rows(self) -> dict[str, str]:
        return {row.name: row.version for row in self.publisher.rows.values()}


@pytest.fixture
def feed() -> Feed:
    return Feed()


async def test_the_first_list_makes_rows_but_no_feed_entries(feed: Feed) -> None:
    feed.handler.on_add(pod("a"), is_in_initial_list=True)
    assert feed.rows == {"a": "1"}
    assert await feed.entries() == []


async def test_adds_changes_and_deletes_are_told_in_words(feed: Feed) -> None:
    feed.handler.on_add(pod("a", phase="Pending"), is_in_initial_list=False)
    feed.handler.on_update(pod("a", phase="Pending"), pod("a", 2))
    feed.handler.on_delete(pod("a", 2), final_state_unknown=False)
    added, modified, deleted = await feed.entries()
    assert added == ("added", "a", "created, Pending")
    assert modified[:2] == ("modified", "a")
    assert "Pending → Running" in modified[2]
    assert deleted == ("deleted", "a", "was Running")
    assert feed.rows == {}


async def test_a_missed_delete_and_re_creation_is_told_as_both(feed: Feed) -> None:
    feed.handler.on_add(pod("a"), is_in_initial_list=True)
    feed.handler.on_update(pod("a"), pod("a", 9, uid="another"))
    assert [(op, name) for op, name, _ in await feed.entries()] == [("deleted", "a"), ("added", "a")]
    assert list(feed.publisher.rows) == ["another"]


async def test_a_delete_that_was_missed_says_so(feed: Feed) -> None:
    feed.handler.on_add(pod("a"), is_in_initial_list=True)
    feed.handler.on_delete(pod("a"), final_state_unknown=True)
    feed.handler.on_delete(pod("a"), final_state_unknown=True)
    assert await feed.entries() == [("deleted", "a", "while the watch was interrupted")]


async def test_an_object_that_cannot_be_read_any_more_is_not_called_deleted(feed: Feed) -> None:
    handler = RowHandler("pods", feed.publisher, is_unreadable=lambda key: key == pod("a").key)
    handler.on_add(pod("a"), is_in_initial_list=True)
    handler.on_delete(pod("a"), final_state_unknown=True)
    words = "still exists, but cannot be read any more: the worker's log says why"
    assert await feed.entries() == [("deleted", "a", words)]


async def test_an_object_that_cannot_be_read_is_shown_by_its_name(
    feed: Feed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise KeyError("status")

    monkeypatch.setattr("dashboard.live.worker.object_with_row.build_row", fails)
    feed.handler.on_add(pod("odd"), is_in_initial_list=True)
    (row,) = feed.publisher.rows.values()
    assert (row.name, row.status, row.tone) == ("odd", "Unreadable", "warn")
    assert "could not build the row of pods default/odd" in caplog.text


# --- against a scripted API server ------------------------------------------------------------------------------


class Watching:
    """A worker of pods and nodes and the replicas that follow it, with an API server whose answers the test gives."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server, self.clock = server, SystemClock()
        self.layer, self.kinds = InMemoryChannelLayer(capacity=1000), parse_kinds(["pods"])
        self.client = server.client(self.clock)
        self.replicas = Replicas(self.layer, self.kinds, self.clock)
        self.worker = Worker(self.client, self.layer, self.kinds, self.clock)
        self.pods = self.replicas.get("pods")
        self.running: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self.running = [asyncio.create_task(run()) for run in (self.replicas.run, self.worker.run)]

    async def stop(self) -> None:
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        await self.client.close()


@pytest.fixture
async def watching() -> AsyncIterator[Watching]:
    server = ScriptedServer()
    await server.start()
    made = Watching(server)
    yield made
    await made.stop()
    await server.stop()


@pytest.mark.slow
async def test_no_replica_is_live_with_a_part_of_the_first_list(watching: Watching) -> None:
    seen: list[tuple[bool, int]] = []
    watching.pods.on_change(lambda _: seen.append((watching.pods.is_live, len(watching.pods.rows))))
    watching.start()
    request = await watching.server.take_streaming_list()
    await request.send_list([scripted_pod(f"p{number}", str(number + 1)) for number in range(3000)], "9000")
    await eventually(lambda: watching.pods.is_live)
    assert {rows for live, rows in seen if live} == {3000}


@pytest.mark.slow
async def test_an_informer_that_fails_by_a_fault_of_its_own_says_so_on_the_page(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching.start()
    request = await watching.server.take_streaming_list()
    await request.send_list([scripted_pod("a", "1")], "9")
    await eventually(lambda: watching.pods.is_live)

    async def fail(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr("informerd.cache.watch_session.WatchSession.follow", fail)
    monkeypatch.setattr("informerd.cache.reflector_failures.Recovery.pause", fail)
    request.end()
    await (await watching.server.take()).open()
    await eventually(lambda: watching.pods.health.state == "stale")
    assert "the informer of pods has failed" in watching.pods.health.problem
    assert [row.name for row in watching.pods.rows.values()] == ["a"]


async def test_a_kind_that_cannot_be_answered_for_keeps_no_other_from_being(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = RecordingLayer()
    worker = Worker(NoClient(), layer, parse_kinds(["pods", "nodes"]), FakeClock())  # type: ignore[arg-type]

    async def fail(_: SnapshotRequest) -> None:
        raise OverflowError("too much")

    monkeypatch.setattr(worker.publishers["pods"], "answer", fail)
    for key in ("pods", "nodes"):
        await worker._answer({"type": "feed.ask", "data": encoder.encode(SnapshotRequest(key, "replica"))})
    assert [chunk.resource for chunk in layer.chunks] == ["nodes"]
    assert "could not answer a request for pods" in caplog.text


async def test_questions_that_cannot_be_read_are_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker(NoClient(), RecordingLayer(), (), FakeClock())  # type: ignore[arg-type]
    for data in (b"\x93\x01", b"\xc1"):
        await worker._answer({"type": "feed.ask", "data": data})
    assert [record.levelname for record in caplog.records if "dropped a request" in record.message][:1] == ["WARNING"]
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


async def test_a_kind_that_discovery_cannot_name_yet_was_never_listed_and_does_not_claim_it() -> None:
    worker = Worker(NoClient(), RecordingLayer(), parse_kinds(["widgets.example.com"]), FakeClock())  # type: ignore[arg-type]
    (widgets,) = worker._followed
    widgets.report_unresolved(ServerError(Status(code=500, message="etcd is away")))
    health = widgets.publisher.health()
    assert (health.state, health.problem) == ("unreachable", "etcd is away")


# --- against a real API server ----------------------------------------------------------------------------------

Start = Callable[..., Awaitable[Replicas]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Starts a worker and replicas joined by an in-memory layer; all are ended after the test."""
    running: list[asyncio.Task[None]] = []
    clients: list[Client] = []

    async def started(controlplane: ControlPlane, *kinds: str, user: str = "admin") -> Replicas:
        layer, clock = InMemoryChannelLayer(capacity=1000), SystemClock()
        client = Client(load_kubeconfig(controlplane.kubeconfig_of(user)), clock=clock)
        clients.append(client)
        named = tuple(kind for name in kinds if (kind := find_kind(name) or kind_of_key(name)) is not None)
        replicas = Replicas(layer, named, clock)
        worker = Worker(client, layer, named, clock)
        running.extend(asyncio.create_task(each) for each in (replicas.run(), worker.run()))
        return replicas

    yield started
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    for client in clients:
        await client.close()


async def row_of(replica: KindReplica, namespace: str, name: str) -> Row:
    row = await eventually(lambda: replica.get(namespace, name), what=f"{namespace}/{name} in {replica.key}")
    assert row is not None
    return row


def last(replica: KindReplica) -> tuple[str, str]:
    return replica.entries[-1].op, replica.entries[-1].name


async def live(replica: KindReplica) -> None:
    await eventually(lambda: replica.is_live, what=f"{replica.key} live: {replica.health}")


async def test_objects_of_a_real_api_server_reach_the_replica(controlplane: ControlPlane, start: Start) -> None:
    namespace = controlplane.create_namespace(f"worker-{uuid.uuid4().hex[:8]}")
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    replica = (await start(controlplane, "configmaps")).get("configmaps")
    await live(replica)

    created = await asyncio.to_thread(controlplane.create, path, {"metadata": {"name": "one"}, "data": {"k": "1"}})
    row = await row_of(replica, namespace, "one")
    assert (row.uid, row.version) == (created["metadata"]["uid"], created["metadata"]["resourceVersion"])
    assert last(replica) == ("added", "one")

    changed = await asyncio.to_thread(controlplane.patch, f"{path}/one", {"data": {"k": "2"}})
    await eventually(
        lambda: (now := replica.get(namespace, "one")) and now.version == changed["metadata"]["resourceVersion"]
    )
    assert last(replica) == ("modified", "one")
    assert "1 → 2" in replica.entries[-1].words

    await asyncio.to_thread(controlplane.delete, f"{path}/one")
    await eventually(lambda: replica.get(namespace, "one") is None)
    assert last(replica) == ("deleted", "one")


async def test_secrets_are_masked_before_anything_is_kept(controlplane: ControlPlane, start: Start) -> None:
    namespace = controlplane.create_namespace(f"worker-{uuid.uuid4().hex[:8]}")
    body = {"metadata": {"name": "vault"}, "stringData": {"password": "hunter2-hunter2"}}
    await asyncio.to_thread(controlplane.create, f"/api/v1/namespaces/{namespace}/secrets", body)
    replica = (await start(controlplane, "secrets")).get("secrets")
    row = await row_of(replica, namespace, "vault")
    assert row.blob is not None
    whole = row.blob.json()
    assert b"vault" in whole
    assert b"aHVudGVyMi1odW50ZXIy" not in whole
    assert b"hunter2" not in whole


async def test_a_kind_that_cannot_be_watched_is_polled_and_says_so(controlplane: ControlPlane, start: Start) -> None:
    replica = (await start(controlplane, "componentstatuses")).get("componentstatuses")
    await live(replica)
    await eventually(lambda: any(row.name.startswith("etcd") for row in replica.rows.values()))
    assert replica.health.polled > 0
    assert all(uid and row.version for uid, row in replica.rows.items())


async def test_a_kind_that_is_forbidden_says_so_and_the_others_go_on(
    controlplane: ControlPlane, start: Start, request: pytest.FixtureRequest
) -> None:
    rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch"]}]
    name = f"worker-{uuid.uuid4().hex[:8]}"
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    controlplane.create(f"{rbac}/clusterroles", {"metadata": {"name": name}, "rules": rules})
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "bob"}],
    }
    controlplane.create(f"{rbac}/clusterrolebindings", binding)
    request.addfinalizer(lambda: controlplane.delete(f"{rbac}/clusterrolebindings/{name}"))
    replicas = await start(controlplane, "namespaces", "secrets", user="bob")
    await live(replicas.get("namespaces"))
    assert replicas.get("namespaces").get("", "kube-system") is not None
    secrets = replicas.get("secrets")
    await eventually(lambda: secrets.health.state == "forbidden")
    assert 'User "bob" cannot list resource "secrets"' in secrets.health.problem
    assert (secrets.state, secrets.is_live, secrets.rows) == ("live", False, {})
    assert secrets.health.retry_at is not None


async def test_a_kind_whose_crd_comes_later_appears_and_one_that_is_removed_disappears(
    own_controlplane: ControlPlane, start: Start
) -> None:
    """One kind is known by heart; the other by its name only, and discovery is asked for it."""
    replicas = await start(own_controlplane, "mydemos", "widgets.example.com")
    mydemos, widgets = replicas.get(MYDEMOS), replicas.get("widgets.example.com")
    await eventually(lambda: mydemos.health.state == widgets.health.state == "absent")

    await asyncio.to_thread(own_controlplane.apply_crd, CRD)
    await asyncio.to_thread(_create_widgets, own_controlplane)
    path = "/apis/crddemo.k8s.io/v1/namespaces/default/mydemos"
    await asyncio.to_thread(own_controlplane.create, path, _mydemo("early"))
    await eventually(lambda: mydemos.get("default", "early"))
    await live(mydemos)
    await eventually(lambda: widgets.is_live)
    assert widgets.get("", "w") is not None

    await asyncio.to_thread(own_controlplane.delete_crd, MYDEMOS)
    await eventually(lambda: mydemos.health.state == "absent")
    assert mydemos.rows == {}
    assert mydemos.entries[-1].op == "deleted"


def _mydemo(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name},
        "spec": {"ip": "10.0.0.1", "port": 80},
    }


def _create_widgets(controlplane: ControlPlane) -> None:
    """A cluster-scoped kind in a version of its own."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v2beta1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget"}
    spec = {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]}
    controlplane.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {"metadata": {"name": "widgets.example.com"}, "spec": spec},
    )
    until(lambda: controlplane.exists("/apis/example.com/v2beta1/widgets"))
    body = {"apiVersion": "example.com/v2beta1", "kind": "Widget", "metadata": {"name": "w"}}
    controlplane.create("/apis/example.com/v2beta1/widgets", body)
