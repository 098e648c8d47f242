"""Tests of a kind's replica whose rows come from several workers, and of moves between one worker and several."""

from __future__ import annotations

import pytest

from dashboard.live.replication import replica_comparison
from dashboard.live.replication.joined_rows import RowsOf
from dashboard.live.replication.replica import SILENCE_TIMEOUT
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.health import Health
from tests.support.live.sample_rows import row
from tests.support.live.shard_workers import STEP, ShardedCluster

THIRDS = (Shard(1, 3), Shard(2, 3), Shard(3, 3))
NAMESPACES = {Shard(1, 3): "shop", Shard(2, 3): "red", Shard(3, 3): "default"}
SILENCE = int((SILENCE_TIMEOUT + 1) / STEP)
"""Turns after which a worker that is gone is known to be."""


def test_the_namespaces_of_these_tests_are_in_different_shards() -> None:
    assert all(shard.includes(namespace) for shard, namespace in NAMESPACES.items())


@pytest.fixture
def cluster() -> ShardedCluster:
    """One object in a namespace of each third."""
    made = ShardedCluster()
    for namespace in NAMESPACES.values():
        made.put(namespace, f"in-{namespace}")
    made.made.clear()
    return made


async def test_three_shards_are_one_replica_whose_first_snapshot_is_that_of_all(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS[:2])
    await cluster.turns(SILENCE)
    assert cluster.replica.state == "starting"
    assert len(cluster.replica.rows) == 2, "what is there is shown"
    cluster.start(THIRDS[2])
    await cluster.turns(6)
    assert cluster.replica.is_live
    assert cluster.names == ["default/in-default", "red/in-red", "shop/in-shop"]
    assert [each.is_first_snapshot for each in cluster.changes].count(True) == 1
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects
    assert cluster.replica.get("shop", "in-shop") is not None
    assert len(cluster.replica.rows_in("red")) == 1
    assert len([row for rows in cluster.replica.find_by_name("") for row in rows]) == len(cluster.replica.rows)


async def test_changes_of_all_shards_are_lines_of_one_feed(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(6)
    for namespace in NAMESPACES.values():
        cluster.put(namespace, "new")
        await cluster.turns()
    assert cluster.words == cluster.made
    assert [each.words for each in cluster.replica.entries] == cluster.made
    assert sum(sum(counts) for _, *counts in cluster.replica.rates.recent(cluster.clock.time())) == 3


async def test_a_silent_shard_is_named_with_its_namespaces_and_the_others_go_on(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(6)
    cluster.kill(Shard(2, 3))
    await cluster.turns(SILENCE)
    assert cluster.replica.state == "stale"
    (outdated,) = cluster.replica.outdated_shards
    assert (outdated.shard, outdated.namespaces) == (Shard(2, 3), ("red",))
    cluster.put("shop", "new")
    await cluster.turns()
    assert cluster.replica.get("shop", "new") is not None
    assert cluster.replica.get("red", "in-red") is not None, "what was there stays"
    gone = cluster.find("red", "in-red")
    assert gone is not None
    cluster.delete(gone.uid)
    cluster.start(Shard(2, 3))
    await cluster.turns(6)
    assert cluster.replica.is_live
    assert not cluster.replica.outdated_shards
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects


async def test_where_no_shard_is_live_none_is_named(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(6)
    cluster.kill(*THIRDS)
    await cluster.turns(SILENCE)
    assert cluster.replica.state == "stale"
    assert cluster.replica.outdated_shards == ()


async def test_a_shard_that_cannot_watch_is_named_in_the_health(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(6)
    cluster.workers[1].health = Health("stale", cluster.clock.time(), problem="no answer", has_answer=True)
    await cluster.turns(2)
    assert cluster.replica.state == "live"
    assert not cluster.replica.is_live
    assert (cluster.replica.health.state, cluster.replica.health.problem) == ("stale", "shard 2/3: no answer")
    assert [each.shard for each in cluster.replica.outdated_shards] == [Shard(2, 3)]


async def test_one_worker_becomes_three_without_a_gap(cluster: ShardedCluster) -> None:
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.start(*THIRDS[:2])
    for namespace in NAMESPACES.values():
        cluster.put(namespace, "first")
    await cluster.turns(6)
    assert cluster.replica.is_live
    assert cluster.replica.replica_of(WHOLE) is not None
    before = cluster.replica.epoch
    await cluster.clock.advance(STEP)
    cluster.start(THIRDS[2])
    seen = len(cluster.changes)
    for namespace in NAMESPACES.values():
        cluster.put(namespace, "second")
    await cluster.turns(6)
    assert cluster.replica.epoch > before, "the three are followed"
    assert not any(each.is_first_snapshot or each.unannounced for each in cluster.changes[seen:])
    cluster.kill(WHOLE)
    await cluster.turns(SILENCE)
    for namespace in NAMESPACES.values():
        cluster.put(namespace, "third")
    await cluster.turns(2)
    assert cluster.replica.is_live
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects
    assert cluster.words == cluster.made, "each change once, none is lost"
    assert {each.state for each in [cluster.replica]} == {"live"}


async def test_three_become_one_again_and_the_old_ones_are_forgotten(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(6)
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.kill(*THIRDS)
    cluster.put("shop", "new")
    await cluster.turns(60)
    assert cluster.replica.is_live
    assert cluster.words == cluster.made
    assert cluster.replica.replica_of(Shard(1, 3)) is None
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects


async def test_a_younger_division_that_is_not_whole_is_not_followed(cluster: ShardedCluster) -> None:
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.start(*THIRDS[:2])
    await cluster.turns(40)
    assert cluster.replica.is_live
    assert dict(cluster.replica.rows) == cluster.objects


async def test_a_worker_that_is_left_over_is_shown_once_it_restarts_until_all_shards_have(
    cluster: ShardedCluster,
) -> None:
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.start(*THIRDS)
    await cluster.turns(6)
    assert cluster.replica.shard_count == 3, "it is left over"
    for shards, shown in (([WHOLE], 1), (THIRDS[:2], 1), (THIRDS[2:], 3)):
        cluster.kill(*shards)
        await cluster.turns(SILENCE)
        cluster.start(*shards)
        cluster.put("shop", f"new-{shown}-{len(shards)}")
        await cluster.turns(6)
        assert cluster.replica.shard_count == shown
        assert cluster.replica.is_live
        assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects
    assert cluster.words == cluster.made


async def test_rows_of_a_replica_are_those_of_whoever_it_follows_now(cluster: ShardedCluster) -> None:
    cluster.start(WHOLE)
    await cluster.turns(6)
    rows, before = RowsOf(cluster.replica), cluster.replica.rows
    cluster.start(*THIRDS)
    await cluster.turns(6)
    cluster.kill(WHOLE)
    cluster.put("shop", "new")
    await cluster.turns(2)
    assert dict(rows) == dict(rows.items()) == cluster.objects
    assert len(rows) == len(list(rows.values())) == len(before) + 1


async def test_what_is_counted_never_falls_at_a_move(cluster: ShardedCluster) -> None:
    def counted() -> tuple[int, int, int]:
        return cluster.replica.gaps, cluster.replica.gaps_healed, cluster.replica.silences

    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.kill(WHOLE)
    await cluster.turns(SILENCE)
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.workers[0].publisher.put(row("lost", namespace="shop", uid="lost"))
    await cluster.workers[0].publisher.flush()
    cluster.layer.sent.clear()
    await cluster.turns(6)
    assert counted() == (1, 1, 1)
    for number, shards in enumerate((THIRDS, [WHOLE], THIRDS), 1):
        cluster.kill(WHOLE, *THIRDS)
        await cluster.turns(60)
        before = counted()
        assert before[:2] == (1, 1)
        assert before[2] >= 1 + number
        cluster.start(*shards)
        await cluster.turns(60)
        assert cluster.replica.is_live
        assert counted() == before


async def test_changes_that_nobody_watched_are_known_as_such_after_a_move(cluster: ShardedCluster) -> None:
    cluster.start(WHOLE)
    await cluster.turns(6)
    cluster.kill(WHOLE)
    gone_at = cluster.clock.time()
    await cluster.turns(SILENCE)
    cluster.put("shop", "unseen")
    await cluster.turns(4)
    cluster.start(*THIRDS)
    await cluster.turns(6)
    assert cluster.replica.is_live
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects
    (unannounced,) = [each.unannounced for each in cluster.changes if each.unannounced]
    assert unannounced[0] <= gone_at
    assert unannounced[1] == cluster.replica.announced_from


async def test_of_a_kind_without_namespaces_the_shard_counts_that_has_its_objects() -> None:
    cluster = ShardedCluster(is_namespaced=False)
    cluster.put("", "node")
    cluster.start(*THIRDS)
    await cluster.turns(6)
    (owner,) = [shard for shard in THIRDS if shard.includes("")]
    cluster.kill(*(shard for shard in THIRDS if shard != owner))
    await cluster.turns(SILENCE)
    assert cluster.replica.is_live
    cluster.kill(owner)
    await cluster.turns(SILENCE)
    assert cluster.replica.state == "stale"


async def test_a_list_of_a_kind_that_no_shard_follows_is_shown_until_they_do(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    for worker in cluster.workers:
        worker.publisher.rows.clear()
        worker.publisher._pending.take_batch()
        worker.health = Health("forbidden", cluster.clock.time(), problem="Deltaboard does not follow it: no room")
    await cluster.turns(6)
    assert cluster.replica.health.state == "forbidden"
    listed = KindList(cluster.clock.time(), (row("listed", namespace="shop"),), TableDefinition(True))
    cluster.replica.show_list(listed, "no room")
    await cluster.turns(SILENCE)
    assert cluster.names == ["shop/listed"]
    assert cluster.replica.listed is not None
    cluster.kill(*THIRDS)
    cluster.start(*THIRDS)
    await cluster.turns(SILENCE)
    assert cluster.replica.is_live
    assert cluster.replica.listed is None
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_workers_come_and_go_the_rows_are_those_of_the_cluster(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a layer that loses, doubles and delays, and with work in slices; each change is announced at most once."""
    monkeypatch.setattr(replica_comparison, "COMPARED_IN_STEP", 5)
    cluster = ShardedCluster(seed, is_sliced=bool(seed % 2))
    cluster.queue = type(cluster.queue)(cluster.chance, loss=0.1, doubling=0.1, delay=0.2)
    namespaces = [*NAMESPACES.values(), "payments", "search", "logging", "blue"]
    shards = [WHOLE, *THIRDS, Shard(1, 2), Shard(2, 2)]
    for _ in range(150):
        for _ in range(cluster.chance.randrange(4)):
            if cluster.objects and cluster.chance.random() < 0.2:
                cluster.delete(cluster.chance.choice(sorted(cluster.objects)))
            else:
                cluster.put(cluster.chance.choice(namespaces), f"pod-{cluster.chance.randrange(20)}")
        if cluster.chance.random() < 0.05:
            cluster.kill(*(shard for shard in shards if cluster.chance.random() < 0.3))
        if cluster.chance.random() < 0.1:
            cluster.start(*cluster.chance.choice(([WHOLE], THIRDS, shards[4:], [cluster.chance.choice(shards)])))
        await cluster.turns()
        assert dict(cluster.replica.rows) == cluster.mirror
    cluster.queue.be_kind()
    cluster.kill(*shards)
    cluster.start(*THIRDS)
    await cluster.turns(60)
    assert cluster.replica.is_live
    assert dict(cluster.replica.rows) == cluster.mirror == cluster.objects
    assert len(set(cluster.words)) == len(cluster.words), "a change was announced twice"
    assert set(cluster.words) <= set(cluster.made)
    assert not cluster.untold()


class Red:
    """Sees the objects of the namespace red, if their names have no x."""

    namespaces = frozenset(("red",))
    is_all_there = is_nothing = False

    def sees_row(self, row: Row) -> bool:
        return self.sees_name(row.namespace, row.name)

    def sees_entry(self, entry: Entry) -> bool:
        return self.sees_name(entry.namespace, entry.name)

    def sees_name(self, namespace: str, name: str) -> bool:
        return namespace == "red" and "x" not in name

    def sees_namespace(self, namespace: str) -> bool:
        return namespace == "red"


async def test_who_sees_one_namespace_sees_it_through_moves_and_no_name_of_another(cluster: ShardedCluster) -> None:
    cluster.start(WHOLE)
    cluster.put("red", "x-hidden")
    await cluster.turns(6)
    scoped = ScopedReplica(cluster.replica, Red())
    assert [row.name for row in scoped.rows.values()] == ["in-red"]
    cluster.start(*THIRDS)
    cluster.put("red", "new")
    await cluster.turns(6)
    cluster.kill(WHOLE)
    for namespace in ("red", "shop"):
        cluster.put(namespace, "newer")
    await cluster.turns(SILENCE)
    assert cluster.replica.shard_count == 3
    assert sorted(row.name for row in scoped.rows.values()) == ["in-red", "new", "newer"]
    assert len(scoped.rows) == 3
    assert {entry.namespace for entry in scoped.entries} == {"red"}
    cluster.kill(Shard(1, 3))
    await cluster.turns(SILENCE)
    assert (cluster.replica.state, scoped.state, scoped.is_live) == ("stale", "live", True), "red is in another shard"
    assert not scoped.outdated_shards
    cluster.kill(Shard(2, 3))
    await cluster.turns(SILENCE)
    assert (scoped.state, scoped.stale_since) == ("stale", cluster.replica.freshness_in(["red"]).stale_since)


async def test_a_list_does_not_make_the_feed_complete_from_its_time_on(cluster: ShardedCluster) -> None:
    cluster.put("shop", "a")
    cluster.made.clear()
    cluster.made_at.clear()
    listed = KindList(cluster.clock.time(), tuple(cluster.objects.values()), None)
    cluster.replica.show_list(listed, "no room")
    await cluster.turns(20)
    cluster.put("shop", "unreported")
    await cluster.turns(20)
    cluster.start(WHOLE)
    await cluster.turns(8)
    cluster.put("shop", "reported")
    await cluster.turns(8)
    assert cluster.replica.is_live
    assert cluster.untold() == []
    assert cluster.history.known_from(["pods"]) == cluster.replica.announced_from


async def test_a_list_that_takes_the_place_of_shards_deletes_nothing(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS[:2])
    await cluster.turns(SILENCE)
    assert (len(cluster.replica.rows), cluster.replica.state) == (2, "starting")
    before = len(cluster.changes)
    listed = KindList(cluster.clock.time(), tuple(cluster.objects.values()), None)
    cluster.replica.show_list(listed, "no worker has been heard")
    assert len(cluster.replica.rows) == 3
    assert [old for change in cluster.changes[before:] for old, new in change.rows if new is None] == []


async def test_rows_of_shards_stay_where_no_list_can_be_had(cluster: ShardedCluster) -> None:
    cluster.start(*THIRDS)
    await cluster.turns(SILENCE)
    cluster.replica.show_failure("the API server does not answer", "no room", is_forbidden=False)
    assert len(cluster.replica.rows) == 3


@pytest.mark.parametrize("was_listed", [False, True])
async def test_after_a_worker_has_taken_the_place_of_a_list_others_may_take_its_place(
    cluster: ShardedCluster, was_listed: bool
) -> None:
    cluster.put("shop", "a")
    if was_listed:
        listed = KindList(cluster.clock.time(), tuple(cluster.objects.values()), None)
        cluster.replica.show_list(listed, "no room")
        await cluster.turns(20)
    cluster.start(WHOLE)
    await cluster.turns(10)
    assert cluster.replica.is_live
    cluster.kill(WHOLE)
    await cluster.turns(SILENCE)
    cluster.put("shop", "b")
    cluster.start(*THIRDS)
    for worker in cluster.workers:
        worker.health = Health("stale", cluster.clock.time(), problem="no answer", has_answer=True)
    await cluster.turns(30)
    assert cluster.replica.get("shop", "b") is not None


class ByName:
    """Who may see the objects of one name in two namespaces."""

    namespaces = frozenset(("red", "shop"))
    is_all_there = is_nothing = False

    def sees_row(self, row: Row) -> bool:
        return self.sees_name(row.namespace, row.name)

    def sees_entry(self, entry: Entry) -> bool:
        return self.sees_name(entry.namespace, entry.name)

    def sees_name(self, _namespace: str, name: str) -> bool:
        return name == "mine"

    def sees_namespace(self, namespace: str) -> bool:
        return namespace in self.namespaces


async def test_namespaces_with_hidden_rows_alone_are_not_named(cluster: ShardedCluster) -> None:
    cluster.put("red", "hidden")
    cluster.put("shop", "mine")
    cluster.start(*THIRDS)
    await cluster.turns(6)
    scoped = ScopedReplica(cluster.replica, ByName())
    cluster.kill(THIRDS[1])
    await cluster.turns(SILENCE)
    assert [each.namespaces for each in cluster.replica.outdated_shards] == [("red",)]
    assert [each.namespaces for each in scoped.outdated_shards] == [()]
