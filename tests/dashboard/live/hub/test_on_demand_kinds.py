"""Tests of the kinds that browsers have open in a web process: asked for, listed once, let go."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from dashboard.live.hub.freshness import freshness_problem
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import ANNOUNCE_INTERVAL, MAX_LISTED_KINDS, SILENT_WORKER, Interest
from dashboard.live.replication.messages import (
    NOT_FOLLOWED,
    ON_DEMAND_SHOWN,
    ON_DEMAND_TTL,
    Frame,
    SnapshotChunk,
    interest_decoder,
)
from dashboard.live.replication.replicas import Replicas
from dashboard.live.replication.unwatched_list import KindList, ListedOnce
from dashboard.objects.kinds.catalog import KINDS, KindInfo, kind_of_key, parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.overview.live_overview import open_overview
from dashboard.runtime.shard import Shard
from informerd.cache.health import Health
from informerd.errors import InformerdError
from tests.dashboard.live.worker.test_on_demand_kinds import LEASES, LIMITS, NAMES, SOME
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer


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


def test_of_more_kinds_than_are_shown_the_one_viewed_least_recently_goes_altogether(looking: Looking) -> None:
    keys = [f"things{number}.example.com" for number in range(LIMITS.kinds + MAX_LISTED_KINDS + 1)]
    kinds = [kind for key in keys if (kind := kind_of_key(key)) is not None]
    for kind in kinds[:-1]:
        looking.clock.skip(0.001)
        looking.interest.follow(kind)
    looking.interest.note_view(keys[0])
    assert [key for key in keys if key not in looking.replicas] == [keys[-1]]
    looking.interest.follow(kinds[-1])
    assert [key for key in keys if key not in looking.replicas] == [keys[1]]
    assert keys[1] not in [kind.key for kind in looking.hub.kinds]


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


async def test_a_kind_of_which_one_shard_is_heard_is_not_listed(looking: Looking) -> None:
    looking.follow(LEASES)
    replica, shard, live = looking.replicas.get(LEASES), Shard(1, 3), Health(state="live", since=2.0)
    frame = Frame(LEASES, "6-a", 1, 2.0, live, shard=shard)
    replica.receive_frame(frame)
    chunk = SnapshotChunk(LEASES, "6-a", 1, "6.1", 0, 1, live, rows=(row("one"),), announced_from=2.0, shard=shard)
    replica.receive_chunk(chunk)
    for _ in range(int(SILENT_WORKER) + 2):
        looking.pass_time(1.0)
        replica.receive_frame(frame)
        replica.tick()
    assert replica.state == "starting"
    await looking.interest.wait_until_readable(LEASES)
    assert replica.listed is None
    assert [each.name for each in replica.rows.values()] == ["one"]
    looking.pass_time(SILENT_WORKER)
    replica.tick()
    await looking.interest.wait_until_readable(LEASES)
    assert replica.listed is not None


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
