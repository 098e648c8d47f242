"""Tests of kinds that a worker follows on demand: the start and the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.hub.freshness import freshness_problem
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import ANNOUNCE_INTERVAL, Interest
from dashboard.live.replication.messages import (
    NOT_FOLLOWED,
    ON_DEMAND_SHOWN,
    ON_DEMAND_TTL,
    Frame,
    InterestMessage,
    SnapshotChunk,
    SnapshotRequest,
    encoder,
    interest_decoder,
)
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import Replicas
from dashboard.live.replication.unwatched_list import KindList, ListedOnce
from dashboard.live.worker.on_demand_kinds import MAX_REFUSED, REFUSAL_TTL
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import KINDS, KindInfo, kind_of_key, parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.lists.live_list import open_list
from dashboard.pages.overview.live_overview import open_overview
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.cache.health import Health
from informerd.clock import SystemClock
from informerd.errors import InformerdError
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.controlplane import ControlPlane
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.objects.rows import made, row_of
from tests.support.scripted_api_server import ScriptedServer
from tests.support.wait import eventually, until

NAMES = [key for key in KINDS if key not in ("pods", "leases.coordination.k8s.io")]
LEASES = "leases.coordination.k8s.io"
LIMITS = OnDemandLimits(kinds=12, mebibytes=1, kinds_per_user=8)
SOME = NAMES[: LIMITS.kinds]


class Asked:
    """A worker of pods on a server that takes every request and answers none, with its clock in the test's hand."""

    def __init__(self, server: ScriptedServer) -> None:
        self.clock, self.layer = FakeClock(), RecordingLayer()
        self.client = server.client(SystemClock())
        self.worker = Worker(self.client, self.layer, parse_kinds(["pods"]), self.clock, limits=LIMITS)

    async def want(self, *keys: str, idle: float = 0.0, always: tuple[str, ...] = ()) -> None:
        want = InterestMessage(tuple((key, idle) for key in keys), always)
        await self.worker._answer({"type": "feed.want", "data": encoder.encode(want)})

    @property
    def informed(self) -> set[str]:
        return {informer.resource.key for informer in self.worker.factory.informers}

    async def answered(self, key: str) -> str:
        """The problem that a snapshot of the kind tells."""
        self.layer.sent.clear()
        await self.worker._answer({"type": "feed.ask", "data": encoder.encode(SnapshotRequest(key, "replica"))})
        (chunk,) = self.layer.chunks
        return chunk.health.problem

    async def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)
        await self.worker.on_demand.sweep()


@pytest.fixture
async def asked() -> AsyncIterator[Asked]:
    server = ScriptedServer()
    await server.start()
    made = Asked(server)
    yield made
    await made.worker.stop()
    await made.client.close()
    await server.stop()


async def test_a_kind_is_followed_from_the_first_word_on_and_once(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.want(LEASES)
    assert asked.worker.on_demand.keys == (LEASES,)
    assert asked.informed == {LEASES}
    assert await asked.answered(LEASES) == ""


async def test_kinds_of_the_settings_need_no_asking(asked: Asked) -> None:
    await asked.want("pods")
    assert asked.worker.on_demand.keys == ()


async def test_a_kind_is_let_go_of_ten_minutes_after_the_last_look(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.pass_time(ON_DEMAND_TTL - 1)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert (asked.informed, asked.worker.on_demand.keys) == (set(), ())


async def test_whoever_of_several_web_processes_looked_last_counts(asked: Asked) -> None:
    await asked.want(LEASES)
    await asked.pass_time(400)
    await asked.want(LEASES, idle=100)
    await asked.want(LEASES, idle=400)
    await asked.pass_time(499)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert asked.informed == set()


async def test_a_worker_that_has_just_begun_follows_for_the_rest_of_the_ten_minutes(asked: Asked) -> None:
    await asked.want(LEASES, idle=ON_DEMAND_TTL - 10)
    await asked.pass_time(9)
    assert asked.informed == {LEASES}
    await asked.pass_time(1)
    assert asked.informed == set()
    await asked.want(LEASES, idle=ON_DEMAND_TTL)
    assert asked.informed == set()


async def test_a_kind_that_is_followed_again_has_a_younger_epoch(asked: Asked) -> None:
    await asked.want(LEASES)
    before = asked.worker.on_demand.get(LEASES)
    await asked.pass_time(ON_DEMAND_TTL)
    await asked.want(LEASES)
    after = asked.worker.on_demand.get(LEASES)
    assert before is not None
    assert after is not None
    assert after.publisher.epoch > before.publisher.epoch


async def test_a_kind_that_comes_back_while_it_is_being_let_go_of_keeps_its_new_informer(asked: Asked) -> None:
    await asked.want(LEASES)
    await run_ready_tasks()
    before = asked.worker.factory.informers[0]
    asked.clock.skip(ON_DEMAND_TTL)
    sweeping = asyncio.create_task(asked.worker.on_demand.sweep())
    await asyncio.sleep(0)
    await asked.want(LEASES)
    await sweeping
    (after,) = asked.worker.factory.informers
    assert after is not before
    assert asked.worker.on_demand.keys == (LEASES,)


async def test_no_more_than_so_many_are_followed_and_the_next_is_told_why(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == set(SOME)
    assert LEASES not in asked.informed
    assert await asked.answered(LEASES) == f"{NOT_FOLLOWED}: {LIMITS.kinds_reached}"
    await asked.pass_time(REFUSAL_TTL)
    assert asked.worker.on_demand.get(LEASES) is None


async def test_the_one_left_longest_gives_way_to_who_looks_now(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(LEASES)
    await asked.pass_time(ON_DEMAND_SHOWN + 1)
    await asked.want(*SOME[1:])
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == {*SOME[1:], LEASES}
    await asked.want(NAMES[0], idle=ON_DEMAND_SHOWN + 2)  # kept by a web process, looked at by nobody
    assert NAMES[0] not in asked.worker.on_demand.keys
    assert asked.worker.on_demand.get(NAMES[0]) is None


async def test_what_is_followed_always_does_not_give_way(asked: Asked) -> None:
    await asked.want(*SOME, always=(NAMES[0],))
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(NAMES[0], idle=ON_DEMAND_SHOWN + 1, always=(NAMES[0],))
    await asked.want(LEASES)
    assert set(asked.worker.on_demand.keys) == {NAMES[0], *SOME[2:], LEASES}


def grow(asked: Asked, key: str, kibibytes: int) -> None:
    """Give the kind rows that take about as much."""
    followed = asked.worker.on_demand.get(key)
    assert followed is not None
    for number in range(kibibytes // 10):
        row = row_of("pods", made("Pod", f"{key}-{number}", namespace="shop", status={"message": "x" * 9_000}))
        followed.publisher.rows[f"{key}-{number}"] = msgspec.structs.replace(row, reason="x" * 9_000)


async def test_the_one_left_longest_gives_way_where_objects_take_too_much_memory(asked: Asked) -> None:
    await asked.want(*NAMES[:3])
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(*NAMES[1:3])
    for key in NAMES[:3]:
        grow(asked, key, 300)
    await asked.pass_time(1)
    assert set(asked.worker.on_demand.keys) == set(NAMES[:3])  # 0.9 of 1 MiB
    grow(asked, NAMES[2], 500)
    await asked.pass_time(1)
    assert set(asked.worker.on_demand.keys) == set(NAMES[1:3])
    assert asked.worker.on_demand.get(NAMES[0]) is None


async def test_where_pages_show_all_that_takes_too_much_memory_the_largest_is_refused_until_there_is_room(
    asked: Asked,
) -> None:
    await asked.want(*NAMES[:2])
    grow(asked, NAMES[0], 500)
    grow(asked, NAMES[1], 700)
    await asked.pass_time(1)
    assert asked.worker.on_demand.keys == (NAMES[0],)
    assert await asked.answered(NAMES[1]) == f"{NOT_FOLLOWED}: {LIMITS.memory_reached}"
    await asked.want(*NAMES[:2])
    assert asked.worker.on_demand.keys == (NAMES[0],)  # they would take too much again
    asked.clock.skip(ON_DEMAND_SHOWN + 1)
    await asked.want(NAMES[1])
    assert asked.worker.on_demand.keys == (NAMES[1],)


async def test_refusals_are_bounded_too_and_nonsense_is_followed_by_nobody(asked: Asked) -> None:
    await asked.want(*SOME)
    await asked.want(*(f"made-up-{number}.example.com" for number in range(MAX_REFUSED + 10)))
    assert len(asked.worker.on_demand._requested) == LIMITS.kinds + MAX_REFUSED
    assert kind_of_key("../secrets") is None
    assert kind_of_key("a" * 1000) is None


async def test_a_worker_that_is_stopped_ends_what_it_followed_on_demand(asked: Asked) -> None:
    await asked.want(LEASES, "widgets.example.com")
    await run_ready_tasks()
    tasks = [*asked.worker.on_demand.get(LEASES).tasks, *asked.worker.on_demand.get("widgets.example.com").tasks]  # type: ignore[union-attr]
    await asked.worker.stop()
    assert all(task.done() for task in tasks)
    assert asked.worker.on_demand.keys == ()


# --- in a web process -------------------------------------------------------------------------------------------


class FakeReader:
    """An API server that has one object of each kind, or a problem."""

    def __init__(self) -> None:
        self.listed: list[str] = []
        self.problem: InformerdError | None = None
        self.rows: dict[str, Row] = {}

    async def list(self, kind: KindInfo) -> KindList:
        self.listed.append(kind.key)
        if self.problem is not None:
            raise self.problem
        return KindList(1000.0, tuple(self.rows.values()) or (row(f"a {kind.key}"),), None)

    async def read(self, kind: KindInfo, namespace: str, name: str) -> tuple[Row | None, None]:
        return self.rows.get(name), None


def row(name: str, version: str = "1") -> Row:
    return Row(f"uid-{name}", "", name, version, 1.0, "Ready", "ok", (name,), {})


class Looking:
    """A web process of pods, whose layer keeps what is said."""

    def __init__(self) -> None:
        self.clock, self.layer = FakeClock(), RecordingLayer()
        self.replicas = Replicas(self.layer, parse_kinds(["pods"]), self.clock)
        self.hub = Hub(self.replicas, self.clock)
        self.reader = FakeReader()
        self.interest = Interest(self.replicas, self.hub, self.clock, limits=LIMITS, reader=lambda: self.reader)

    def follow(self, key: str, owner: str = "") -> bool:
        return self.interest.follow(KINDS[key], owner)

    def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)
        self.interest.sweep()

    @property
    def said(self) -> list[tuple[tuple[str, float], ...]]:
        return [
            interest_decoder.decode(each["data"]).kinds for _, each in self.layer.sent if each["type"] == "feed.want"
        ]


@pytest.fixture
def looking() -> Looking:
    return Looking()


async def test_what_is_open_is_said_at_once_and_again_and_again(looking: Looking) -> None:
    running = asyncio.create_task(looking.interest.run())
    await run_ready_tasks()
    assert looking.said == []
    looking.follow(LEASES)
    await run_ready_tasks()
    assert looking.said == [((LEASES, 0.0),)]
    await looking.clock.advance(ANNOUNCE_INTERVAL)
    assert looking.said[1:] == [((LEASES, ANNOUNCE_INTERVAL),)]
    running.cancel()


def test_a_kind_that_nobody_has_looked_at_for_ten_minutes_goes_with_all_that_showed_it(looking: Looking) -> None:
    looking.follow(LEASES)
    view = open_detail(looking.hub, KINDS[LEASES], "default", "one")
    assert LEASES in looking.replicas
    assert LEASES in looking.hub.summaries
    looking.clock.skip(ON_DEMAND_TTL - 1)
    looking.interest.sweep()
    assert LEASES in looking.replicas
    looking.clock.skip(1)
    looking.interest.sweep()
    assert LEASES not in looking.replicas
    assert LEASES not in looking.hub.summaries
    assert view.id not in looking.hub.views
    assert [kind.key for kind in looking.hub.kinds] == ["pods"]
    assert [kind.key for kind in looking.replicas.kinds] == ["pods"]


def test_a_look_counts_from_anew(looking: Looking) -> None:
    looking.follow(LEASES)
    looking.clock.skip(ON_DEMAND_TTL - 1)
    looking.interest.note_view(LEASES)
    looking.clock.skip(ON_DEMAND_TTL - 1)
    looking.interest.sweep()
    assert looking.interest.keys == (LEASES,)


def test_a_web_process_asks_for_so_many_at_most_and_what_was_left_gives_way(looking: Looking) -> None:
    for key in SOME:
        assert looking.follow(key)
    looking.reader.problem = InformerdError("down")
    assert not looking.follow(LEASES)
    assert looking.interest.refusal_of(LEASES) == LIMITS.kinds_reached
    looking.clock.skip(ON_DEMAND_SHOWN + 1)
    for key in SOME[1:]:
        looking.interest.note_view(key)
    looking.interest.note_view(LEASES)
    assert set(looking.interest.keys) == {*SOME[1:], LEASES}


def test_one_person_has_so_many_at_most_and_others_are_not_affected(looking: Looking) -> None:
    for key in SOME[:8]:
        assert looking.follow(key, "ann")
    assert not looking.follow(NAMES[8], "ann")
    assert looking.interest.refusal_of(NAMES[8]) == LIMITS.user_reached
    assert looking.follow(NAMES[9], "ben")
    looking.clock.skip(ON_DEMAND_SHOWN + 1)
    assert looking.follow(NAMES[10], "ann")  # in place of the one that she has left longest
    assert set(looking.interest.keys) == {*SOME[1:8], NAMES[9], NAMES[10]}


def test_a_kind_that_two_people_look_at_stays_when_one_of_them_has_too_many(looking: Looking) -> None:
    for key in SOME[:8]:
        looking.follow(key, "ann")
    looking.interest.note_view(NAMES[0], "ben")
    looking.clock.skip(ON_DEMAND_SHOWN + 1)
    assert looking.follow(NAMES[8], "ann")
    assert looking.follow(NAMES[9], "ann")
    assert NAMES[0] in looking.interest.keys
    assert NAMES[1] not in looking.interest.keys


async def test_a_kind_that_cannot_be_followed_is_listed_once_and_followed_when_there_is_room(looking: Looking) -> None:
    for key in SOME:
        looking.follow(key)
    looking.follow(LEASES)
    await looking.interest.wait_until_readable(LEASES)
    replica = looking.replicas.get(LEASES)
    assert [each.name for each in replica.rows.values()] == [f"a {LEASES}"]
    assert replica.listed == ListedOnce(1000.0, LIMITS.kinds_reached)
    assert LEASES not in looking.interest.keys
    problem = freshness_problem(KINDS[LEASES], replica)
    assert problem is not None
    assert problem.text == f"Leases were listed once, at {{since}}. They are not live: {LIMITS.kinds_reached}."
    await looking.interest.wait_until_readable(LEASES)
    assert looking.reader.listed == [LEASES]
    looking.reader.rows = {"other": row("other")}
    await looking.interest.list_once(LEASES)
    assert [each.name for each in replica.rows.values()] == ["other"]
    looking.clock.skip(ON_DEMAND_SHOWN + 1)
    looking.interest.note_view(LEASES)
    assert LEASES in looking.interest.keys
    assert replica.listed is not None  # until a worker has listed it


async def test_one_object_of_a_kind_that_is_listed_once_is_read_again_when_its_page_is_opened(looking: Looking) -> None:
    for key in SOME:
        looking.follow(key)
    looking.follow(LEASES)
    looking.reader.rows = {"one": row("one")}
    await looking.interest.wait_until_readable(LEASES)
    replica = looking.replicas.get(LEASES)
    looking.reader.rows = {"one": row("one", "2"), "new": row("new")}
    for name in ("one", "new", "none"):
        await looking.interest.read_object(KINDS[LEASES], "", name)
    assert {each.name: each.version for each in replica.rows.values()} == {"one": "2", "new": "1"}
    looking.reader.rows = {}
    await looking.interest.read_object(KINDS[LEASES], "", "one")
    assert [each.name for each in replica.rows.values()] == ["new"]


async def test_a_kind_that_can_neither_be_followed_nor_listed_says_why(looking: Looking) -> None:
    for key in SOME:
        looking.follow(key)
    looking.reader.problem = InformerdError("the API server is down")
    looking.follow(LEASES)
    await looking.interest.wait_until_readable(LEASES)
    replica = looking.replicas.get(LEASES)
    assert (replica.health.state, replica.health.problem) == ("unreachable", "the API server is down")
    problem = freshness_problem(KINDS[LEASES], replica)
    assert problem is not None
    assert problem.text.startswith("Leases cannot be listed: the API server is down. They are not live: ")


async def test_a_kind_that_the_worker_refuses_is_listed_once_until_the_worker_has_listed_it(looking: Looking) -> None:
    looking.follow(LEASES)
    replica = looking.replicas.get(LEASES)
    refused = Health(state="forbidden", since=1.0, problem=f"{NOT_FOLLOWED}: {LIMITS.memory_reached}")
    replica.receive_chunk(SnapshotChunk(LEASES, "5-a", 0, "5.1", 0, 1, refused))
    await looking.interest.wait_until_readable(LEASES)
    assert replica.listed == ListedOnce(1000.0, LIMITS.memory_reached)
    for number in (2, 3):  # the worker still refuses it
        looking.clock.skip(1.0)
        assert replica.tick() is not None
        replica.receive_chunk(SnapshotChunk(LEASES, "5-a", 0, f"5.{number}", 0, 1, refused))
    assert [each.name for each in replica.rows.values()] == [f"a {LEASES}"]
    live = Health(state="live", since=2.0)
    assert replica.receive_frame(Frame(LEASES, "6-a", 1, 2.0, live)) is not None
    replica.receive_chunk(SnapshotChunk(LEASES, "6-a", 1, "6.1", 0, 1, live, rows=(row("live"),), announced_from=2.0))
    assert replica.is_live
    assert not hasattr(replica.listed, "at")
    assert [each.name for each in replica.rows.values()] == ["live"]


async def test_a_kind_whose_objects_take_too_much_memory_is_listed_while_its_page_is_open(looking: Looking) -> None:
    looking.follow(LEASES)
    replica = looking.replicas.get(LEASES)
    large = tuple(msgspec.structs.replace(row(f"n{number}"), reason="x" * 30_000) for number in range(60))
    live = Health(state="live", since=2.0)
    replica.receive_chunk(SnapshotChunk(LEASES, "6-a", 1, "6.1", 0, 1, live, rows=large))
    assert replica.is_live
    looking.pass_time(1.0)
    after = looking.replicas.get(LEASES)
    assert after is not replica
    assert looking.interest.refusal_of(LEASES) == LIMITS.memory_reached
    await looking.interest.wait_until_readable(LEASES)
    assert after.listed is not None
    assert looking.interest.keys == ()


async def test_a_kind_that_is_followed_always_needs_no_page(looking: Looking) -> None:
    overview = open_overview(looking.hub)
    looking.interest.follow_always({LEASES: KINDS[LEASES], "pods": KINDS["pods"]})
    looking.pass_time(ON_DEMAND_TTL + 1)
    assert looking.interest.keys == (LEASES,)
    assert [tile.kind.key for tile in overview.tiles] == ["pods", LEASES]
    looking.interest.follow_always({})
    assert [tile.kind.key for tile in overview.tiles] == ["pods"]
    looking.pass_time(ON_DEMAND_TTL + 1)
    assert not looking.interest.keys


def test_trouble_of_a_kind_on_demand_makes_no_other_page_stale(looking: Looking) -> None:
    looking.follow(LEASES)
    beat = looking.hub._heartbeat.message()
    assert isinstance(beat, str)
    assert f'"parts":{{"{LEASES}"' in beat.replace(" ", "")


# --- against a real API server ----------------------------------------------------------------------------------


@pytest.fixture
async def web(controlplane: ControlPlane) -> AsyncIterator[tuple[Worker, list[tuple[Interest, Replicas]]]]:
    """A worker of namespaces and two web processes, over one layer."""
    layer, clock, kinds = InMemoryChannelLayer(capacity=1000), SystemClock(), parse_kinds(["namespaces"])
    client = Client(load_kubeconfig(controlplane.kubeconfig), clock=clock)
    worker = Worker(client, layer, kinds, clock)
    webs = []
    running = [asyncio.create_task(worker.run())]
    for _ in range(2):
        replicas = Replicas(layer, kinds, clock)
        interest = Interest(replicas, Hub(replicas, clock), clock)
        webs.append((interest, replicas))
        running += [asyncio.create_task(each()) for each in (replicas.run, interest.run)]
    yield worker, webs
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await client.close()


async def test_objects_of_a_kind_that_somebody_looks_at_reach_both_processes_that_look(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    worker, ((first, one), (second, two)) = web
    kind = _generic("flowschemas.flowcontrol.apiserver.k8s.io")
    assert first.follow(kind)
    assert second.follow(kind)
    await eventually(lambda: one.get(kind.key).is_live and two.get(kind.key).is_live)
    for replicas in (one, two):
        assert replicas.get(kind.key).get("", "exempt") is not None
    assert worker.on_demand.keys == (kind.key,)
    await worker.on_demand.stop()  # as a worker that is started again: it is told once more
    await eventually(lambda: worker.on_demand.keys == (kind.key,))
    await eventually(lambda: one.get(kind.key).is_live and two.get(kind.key).is_live)


DIALS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "dials.anykind.example.com"},
    "spec": {
        "group": "anykind.example.com",
        "scope": "Cluster",
        "names": {"plural": "dials", "singular": "dial", "kind": "Dial", "listKind": "DialList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
                    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
                ],
            }
        ],
    },
}


_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DIALS_PATH = "/apis/anykind.example.com"


def _definition(kind: KindInfo) -> str:
    return f"{_DEFINITIONS}/{kind.key}"


def _version(name: str, *, storage: bool = True) -> dict[str, object]:
    return {**DIALS["spec"]["versions"][0], "name": name, "storage": storage}  # type: ignore[index]


def _dial(name: str, size: int, version: str) -> dict[str, object]:
    return {
        "apiVersion": f"anykind.example.com/{version}",
        "kind": "Dial",
        "metadata": {"name": name},
        "spec": {"size": size, "image": "web:1"},
        "status": {"conditions": [{"type": "Ready", "status": "True" if size > 9 else "False"}]},
    }


async def _served_at(controlplane: ControlPlane, version: str) -> None:
    await asyncio.to_thread(until, lambda: controlplane.exists(f"{_DIALS_PATH}/{version}/dials"))


def _create_dials(controlplane: ControlPlane, version: str) -> None:
    definition = {**DIALS, "spec": {**DIALS["spec"], "versions": [_version(version)]}}  # type: ignore[dict-item]
    controlplane.create(_DEFINITIONS, definition)
    until(lambda: controlplane.exists(f"{_DIALS_PATH}/{version}/dials"))
    for name, size in (("a", 10), ("b", 9), ("c", 100)):
        controlplane.create(f"{_DIALS_PATH}/{version}/dials", _dial(name, size, version))


async def _follow_dials(interest: Interest, controlplane: ControlPlane, version: str = "v1") -> KindInfo:
    await asyncio.to_thread(_create_dials, controlplane, version)
    kind = _generic("dials.anykind.example.com")
    assert interest.follow(kind)
    return kind


async def test_a_custom_kind_has_the_columns_of_its_definition_and_is_sorted_and_filtered_by_them(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    assert [(column.id, column.header, column.priority) for column in columns_for(kind.key)] == [
        ("name", "Name", 0),
        ("size", "Size", 0),
        ("ready", "Ready", 0),
        ("image", "Image", 1),
        ("status", "Health", 0),
        ("age", "Age", 0),
    ]
    query = Query.parse({"sort": ["-size"], "q": ["ready=True"]}, kind.key)
    assert query.problems == ()
    result = first._hub.index.open_result(kind, query)
    await eventually(lambda: result.ready)
    rows = [result.rows[uid] for uid in result.window(0, 9)]
    assert [(row.name, row.cells[1]) for row in rows] == [("c", 100), ("a", 10)]
    window = open_list(first._hub, kind, query).render_window(first._hub._updates.render)
    assert f'hx-target="#head-{open_list(first._hub, kind, query).id}"' in window
    assert ">Size<" in window
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


async def test_a_definition_that_changes_gives_the_rows_their_new_columns_while_the_kind_is_followed(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    before, entries = replica.epoch, len(replica.entries)
    changes: list[Change] = []
    replica.on_change(changes.append)
    version = {**DIALS["spec"]["versions"][0]}  # type: ignore[index]
    version["additionalPrinterColumns"] = [{"name": "Picture", "type": "string", "jsonPath": ".spec.image"}]
    await asyncio.to_thread(controlplane.patch, _definition(kind), {"spec": {"versions": [version]}})
    await eventually(lambda: replica.is_live and [c.id for c in columns_for(kind.key)][1:2] == ["picture"])
    assert sorted((row.name, row.cells[1]) for row in replica.rows.values()) == [(name, "web:1") for name in "abc"]
    assert [change.has_new_columns for change in changes if change.rows] == [True]  # columns and cells in one moment
    assert replica.epoch > before
    assert len(replica.entries) == entries  # nothing happened to the objects
    await asyncio.to_thread(controlplane.create, f"{_DIALS_PATH}/v1/dials", _dial("d", 1, "v1"))
    await eventually(lambda: (row := replica.get("", "d")) is not None and row.cells[1] == "web:1")
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


async def test_a_kind_turns_to_the_version_that_is_served_still_and_its_objects_stay(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    worker, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane, version="v1beta1")
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    await worker.factory.wait_for_cache_sync(30)  # its definition is watched, too
    entries, states, fewest = len(replica.entries), set[str](), [3]

    def seen(_: Change) -> None:
        states.add(replica.health.state)
        fewest.append(len(replica.rows))

    replica.on_change(seen)
    # served in both, then not in the one that is followed
    for served in (True, False):
        versions = [{**_version("v1beta1", storage=False), "served": served}, _version("v1")]
        await asyncio.to_thread(controlplane.patch, _definition(kind), {"spec": {"versions": versions}})
        if served:
            await _served_at(controlplane, "v1")
    await eventually(lambda: replica.is_live and replica.table is not None and replica.table.version == "v1")
    assert {row.decode_object()["apiVersion"] for row in replica.rows.values()} == {"anykind.example.com/v1"}
    assert (min(fewest), len(replica.entries)) == (3, entries)  # none of them was deleted
    assert "absent" not in states
    await asyncio.to_thread(controlplane.create, f"{_DIALS_PATH}/v1/dials", _dial("d", 1, "v1"))
    await eventually(lambda: replica.get("", "d") is not None)
    await asyncio.to_thread(controlplane.delete_crd, kind.key)
    await eventually(lambda: replica.health.state == "absent" and not replica.rows)


async def test_a_definition_that_is_made_again_otherwise_is_followed_as_it_is_then(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    await asyncio.to_thread(controlplane.delete_crd, kind.key)
    await eventually(lambda: replica.health.state == "absent" and not replica.rows)
    again = {**DIALS, "spec": {**DIALS["spec"], "scope": "Namespaced", "versions": [_version("v2")]}}  # type: ignore[dict-item]
    await asyncio.to_thread(controlplane.create, _DEFINITIONS, again)
    await _served_at(controlplane, "v2")
    path = f"{_DIALS_PATH}/v2/namespaces/default/dials"
    await asyncio.to_thread(controlplane.create, path, _dial("e", 1, "v2"))
    await eventually(lambda: replica.is_live and replica.get("default", "e") is not None)
    assert columns_for(kind.key)[0].id == "namespace"
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


def _generic(key: str) -> KindInfo:
    kind = kind_of_key(key)
    assert kind is not None
    return kind
