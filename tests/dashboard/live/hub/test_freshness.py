"""Tests of the freshness of a kind that is not live: since when, the problem, and its cause."""

from __future__ import annotations

import pytest

from dashboard.live.hub.freshness import FreshnessProblem, freshness_problem, outage_text
from dashboard.live.replication.messages import Frame, SnapshotChunk
from dashboard.live.replication.replica import SILENCE_TIMEOUT
from dashboard.objects.kinds.catalog import KINDS
from dashboard.runtime.shard import Shard
from informerd.cache.health import Health, State
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod
from tests.support.live.shard_workers import ShardedCluster

PODS, NODES = KINDS["pods"], KINDS["nodes"]


@pytest.fixture
def pods() -> Feeder:
    return Feeder("pods", FakeClock(), [pod("web")])


def said(feeder: Feeder, health: Health) -> FreshnessProblem:
    feeder.beat(health)
    problem = freshness_problem(PODS, feeder.replica)
    assert problem is not None
    return problem


def test_an_api_server_that_does_not_answer_is_said_to_and_since_its_last_word(pods: Feeder) -> None:
    problem = said(pods, Health("stale", since=100.0, heard=96.0, problem="it refused the connection", retry_at=103.0))
    assert problem.text == "The API server has not answered since {since}. What you see is from then."
    assert (problem.since, problem.retry_at) == (96.0, 103.0)


@pytest.mark.parametrize("heard", [96.0, 100.0, 3698.0])
def test_an_api_server_that_refuses_says_why_and_the_time_stands_still(pods: Feeder, heard: float) -> None:
    """RBAC was withdrawn an hour ago: probes go on renewing the last word."""
    problem = said(pods, Health("stale", since=100.0, heard=heard, problem="pods is forbidden", has_answer=True))
    text = "Pods have not been up to date since {since}: pods is forbidden. What you see is from then."
    assert (problem.text, problem.since) == (text, min(heard, 100.0))


def test_probes_that_go_through_while_the_watch_does_not_are_answers(pods: Feeder) -> None:
    problem = said(pods, Health("stale", since=100.0, heard=3698.0, problem="the watch was silent for 90 s"))
    assert problem.text.startswith("Pods have not been up to date since {since}: the watch was silent for 90 s.")
    assert problem.since == 100.0


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("starting", "The first list of Pods is on its way."),
        ("syncing", "Reading Pods: 100 of about 20,000 so far."),
        ("forbidden", "Pods may not be listed: no."),
        ("unreachable", "The API server cannot be reached: no."),
    ],
)
def test_rows_of_an_earlier_worker_are_said_to_be(pods: Feeder, state: State, words: str) -> None:
    """The worker is heard: it is not silent, it is only not so far yet."""
    replica = pods.replica
    assert isinstance(pods._clock, FakeClock)
    pods._clock.skip(SILENCE_TIMEOUT + 1)  # the earlier one is heard no more
    replica.tick()
    now = pods._clock.time()
    replica.receive_frame(Frame("pods", "1900000000000-new", 0, now, Health("starting", since=now)))
    replica.tick()
    health = Health(state, since=now, problem="no", listed=100, remaining=19_900)
    replica.receive_chunk(SnapshotChunk("pods", "1900000000000-new", 0, "s", 0, 1, health))
    problem = freshness_problem(PODS, replica)
    assert problem is not None
    assert problem.text == f"The worker was restarted. {words} What you see is from {{since}}."
    assert (problem.state, problem.since, len(replica.rows)) == (state, replica.stale_since, 1)


async def test_a_shard_that_is_silent_is_named_with_its_namespaces() -> None:
    cluster, thirds = ShardedCluster(), [Shard(number, 3) for number in (1, 2, 3)]
    for namespace in ("default", "kube-system", "payments", "blue", "red"):
        cluster.put(namespace, "web")
    cluster.start(*thirds)
    await cluster.turns(6)
    assert freshness_problem(PODS, cluster.replica) is None
    cluster.kill(thirds[2])
    await cluster.turns(12)
    problem = freshness_problem(PODS, cluster.replica)
    assert problem is not None
    assert problem.state == "silent"
    assert problem.text == (
        "The worker has not been heard since {since}. What you see is from then. That is so of shard 3 of 3 alone "
        "(namespaces blue, default, kube-system and 1 more); everything else is live."
    )


@pytest.fixture
async def three() -> ShardedCluster:
    """A cluster of three shards, in each of which there is a namespace."""
    cluster = ShardedCluster()
    for namespace in ("shop", "red", "default"):
        cluster.put(namespace, "web")
    cluster.start(*(Shard(number, 3) for number in (1, 2, 3)))
    await cluster.turns(6)
    return cluster


SILENT = "The worker has not been heard since {since}. What you see is from then."


async def test_a_shard_with_another_problem_is_not_said_to_have_that_of_the_first(three: ShardedCluster) -> None:
    three.workers[0].health = Health("stale", three.clock.time(), problem="no answer")
    three.kill(Shard(2, 3))
    await three.turns(12)
    problem = freshness_problem(PODS, three.replica)
    assert problem is not None
    assert problem.text == (
        f"{SILENT} That is so of shard 2 of 3 alone (namespace red); shard 1 (namespace shop) is out of date for "
        "another reason; everything else is live."
    )
    three.workers[1].health = Health("forbidden", three.clock.time(), problem="no")
    await three.turns(2)
    problem = freshness_problem(PODS, three.replica)
    assert problem is not None
    assert problem.text == (
        f"{SILENT} That is so of shard 2 of 3 alone (namespace red); shards 1, 3 (namespaces default, shop) are out of "
        "date for other reasons."
    )


async def test_of_two_shards_that_answer_each_is_said_what_is_so(three: ShardedCluster) -> None:
    three.workers[0].health = Health("stale", three.clock.time(), problem="no answer", has_answer=True)
    three.workers[1].health = Health("forbidden", three.clock.time(), problem="no")
    await three.turns(2)
    problem = freshness_problem(PODS, three.replica)
    assert problem is not None
    assert problem.text == (
        "Pods may not be listed: shard 2/3: no. That is so of shard 2 of 3 alone (namespace red); shard 1 (namespace "
        "shop) is out of date for another reason; everything else is live."
    )


async def test_what_is_so_of_all_shards_names_none(three: ShardedCluster) -> None:
    three.kill(*(Shard(number, 3) for number in (1, 2, 3)))
    await three.turns(12)
    problem = freshness_problem(PODS, three.replica)
    assert problem is not None
    assert problem.text == SILENT


async def test_a_shard_that_was_restarted_is_told_from_one_that_is_silent(three: ShardedCluster) -> None:
    three.kill(Shard(1, 3), Shard(2, 3))
    await three.turns(12)
    three.start(Shard(1, 3))
    three.workers[-1].health = Health("syncing", three.clock.time(), listed=10)
    await three.turns(6)
    problem = freshness_problem(PODS, three.replica)
    assert problem is not None
    assert problem.text == (
        "The worker was restarted. Reading Pods: 10 so far. What you see is from {since}. That is so of shard 1 of 3 "
        "alone (namespace shop); shard 2 (namespace red) is out of date for another reason; everything else is live."
    )


def test_without_scripts_a_page_says_since_when_in_utc(pods: Feeder) -> None:
    replicas = {"pods": pods.replica, "nodes": Feeder("nodes", FakeClock()).replica}
    assert outage_text([PODS, NODES], replicas) == ""
    pods.beat(Health("stale", since=100.0, heard=96.0, problem="it refused the connection"))
    said = "The API server has not answered since 1970-01-01 00:01:36 UTC. What you see is from then."
    assert outage_text([PODS], replicas) == said
    assert outage_text([PODS, NODES], replicas) == f"Pods: {said}"
    pods.beat(Health("syncing", since=100.0, listed=1240, remaining=760))
    assert outage_text([PODS, NODES], replicas) == "Reading Pods: 1,240 of about 2,000 so far."


def test_without_scripts_what_may_not_be_listed_spoils_its_own_page_only(pods: Feeder) -> None:
    nodes = Feeder("nodes", FakeClock())
    replicas = {"pods": pods.replica, "nodes": nodes.replica}
    pods.beat(Health("forbidden", since=100.0, problem="no"))
    assert outage_text([PODS], replicas) == "Pods may not be listed: no."
    assert outage_text([PODS, NODES], replicas) == ""
    nodes.beat(Health("stale", since=100.0, problem="no worker ran", has_answer=True))
    words = outage_text([PODS, NODES], replicas)
    assert words.startswith("Nodes have not been up to date since")
    assert "Pods" not in words, "of which nothing is shown that might be out of date"


def test_without_scripts_all_kinds_with_the_same_problem_are_its_subject() -> None:
    kinds = [*KINDS.values()][:6]
    feeders = {kind.key: Feeder(kind.key, FakeClock()) for kind in kinds}
    replicas = {key: feeder.replica for key, feeder in feeders.items()}
    for number, feeder in enumerate(feeders.values()):
        feeder.beat(Health("stale", since=100.0 - number, problem="no worker ran", has_answer=True))
    a, b, c, *_ = (kind.title for kind in kinds)
    words = "have not been up to date since 1970-01-01 00:01:35 UTC: no worker ran. What you see is from then."
    assert outage_text(kinds, replicas) == f"{a}, {b}, {c} and 3 other kinds {words}"
    feeders[kinds[-1].key].beat(Health("stale", since=100.0, problem="it is too slow", has_answer=True))
    assert outage_text(kinds, replicas).startswith(f"{a}, {b}, {c} and 2 other kinds have not")
    assert outage_text(kinds, replicas).endswith(f"from then. {kinds[-1].title} may not be up to date either.")
