"""Tests of the seed: the state of the cluster in the first second."""

from __future__ import annotations

from collections import Counter

import pytest

from devcluster.server.printers.pod import pod_status
from devcluster.workload.demo.scaled_inventory import make_fleet
from devcluster.workload.demo_inventory import APPS, MYDEMOS
from devcluster.workload.times import parse_timestamp
from tests.support.clock import FakeClock
from tests.support.devcluster.workload_cluster import (
    CRONS,
    DAEMONS,
    DEMOS,
    DEPLOYMENTS,
    EVENTS,
    JOBS,
    NODES,
    PODS,
    STATEFUL,
    World,
    running,
    seeded,
)


@pytest.mark.slow
def test_the_seed_is_a_believable_cluster() -> None:
    clock = FakeClock()
    world = World(seeded(clock), clock)
    pods = world.all(PODS)
    assert len(pods) == 120
    assert {pod["metadata"]["namespace"] for pod in pods} == {"shop", "payments", "search", "platform", "default"}
    assert 4 <= len(world.all(NODES)) <= 6
    assert 6 <= len(world.all(DEMOS)) <= 8
    words = Counter(pod_status(pod) for pod in pods)
    assert {"Running", "CrashLoopBackOff", "Pending", "ImagePullBackOff", "Completed"} <= set(words)
    assert words["Running"] > 0.8 * len(pods)
    (crashing,) = (pod for pod in pods if pod_status(pod) == "CrashLoopBackOff")
    last = crashing["status"]["containerStatuses"][0]["lastState"]["terminated"]
    assert parse_timestamp(last["finishedAt"]) - parse_timestamp(last["startedAt"]) < 60, "it crashes soon each time"
    ages = [pod["metadata"]["creationTimestamp"][:10] for pod in pods]
    assert len(set(ages)) > 8, "created on many days"
    assert any(status["restartCount"] for pod in pods for status in pod["status"].get("containerStatuses", ()))


def test_everything_seeded_has_its_owner() -> None:
    world = World(seeded(FakeClock()), FakeClock())
    before = world.core.store.revision
    world.core.garbage_collector.collect()
    assert world.core.store.revision == before
    owners = {owner["kind"] for pod in world.all(PODS) for owner in pod["metadata"]["ownerReferences"]}
    assert owners == {"ReplicaSet", "Job", "StatefulSet", "DaemonSet"}
    assert {owner["kind"] for job in world.all(JOBS) for owner in job["metadata"]["ownerReferences"]} == {"CronJob"}


@pytest.mark.parametrize(("pods", "owned"), [(1, 1), (120, 6)])
def test_mydemos_own_deployments_so_that_their_usage_is_known(pods: int, owned: int) -> None:
    world = World(seeded(FakeClock(), pods=pods), FakeClock())
    uids = {demo["metadata"]["uid"] for demo in world.all(DEMOS)}
    owners = [owner for each in world.all(DEPLOYMENTS) for owner in each["metadata"].get("ownerReferences", ())]
    assert len(owners) == owned
    assert {(owner["kind"], owner["controller"]) for owner in owners} <= {("Mydemo", True)}
    assert {owner["uid"] for owner in owners} <= uids
    assert {demo.owned_app for demo in MYDEMOS} - {""} <= {app.name for app in APPS if not app.flaw}


@pytest.mark.slow
def test_the_same_seed_makes_the_same_cluster() -> None:
    def names(number: int) -> list[tuple[str, str]]:
        return sorted(record.key for record in seeded(FakeClock(), number).store.records(PODS).values())

    assert names(1) == names(1)
    assert names(1) != names(2)


@pytest.mark.parametrize("pods", [1, 2, 7, 35, 36, 60, 119, 120, 500, 1500, 1501, 20_000, 50_000])
def test_a_fleet_has_about_as_many_pods_as_asked_for(pods: int) -> None:
    made = make_fleet(pods)
    jobs = sum(cron.completions for cron in made.crons)
    placed = sum(app.replicas for app in made.stateful_apps) + len(made.daemon_apps) * len(made.nodes)
    assert pods * 0.98 <= sum(app.replicas for app in made.apps) + jobs + placed <= pods * 1.02 + 7
    keys = [app.key for app in made.apps]
    assert len(keys) == len(set(keys))
    room = sum(node.pods for node in made.nodes if not node.control_plane)
    assert sum(app.replicas for app in made.apps) < 0.8 * room
    assert {app.namespace for app in made.apps} <= {name for name, _ in made.namespaces} | {"default"}


@pytest.mark.slow
def test_nodes_and_addresses_of_a_large_fleet_are_told_apart() -> None:
    clock = FakeClock()
    nodes = World(seeded(clock, pods=3_500), clock).all(NODES)
    assert len(nodes) > 40
    assert len({node["spec"]["podCIDR"] for node in nodes}) == len(nodes)
    assert len({node["status"]["addresses"][0]["address"] for node in nodes}) == len(nodes)


def test_applications_are_named_once() -> None:
    names = [app.key for app in APPS]
    assert len(names) == len(set(names))


@pytest.mark.slow
async def test_nothing_changes_the_seed_at_rate_0() -> None:
    async with running(pods=120) as world:
        await world.live(5)
    written = [change for change in world.changes if change.bucket in (STATEFUL, DAEMONS, CRONS, PODS, JOBS)]
    sets = {"queue", "node-agent"}
    names = {change.record.key[1] for change in written}
    assert not [name for name in names if any(name.startswith(each) for each in sets)]
    assert len(world.pods("queue")) == 3
    assert len(world.pods("node-agent")) == len(world.all(NODES)) == 6
    assert world.one(DAEMONS, "platform", "node-agent")["status"]["numberReady"] == 6
    assert all(each["spec"]["suspend"] for each in world.all(CRONS)), "nothing begins by itself at rate 0"
    assert not [event for event in world.all(EVENTS) if event["involvedObject"]["name"] in sets]
