"""Tests of the probes of a web process: /healthz and /readyz."""

from __future__ import annotations

import pytest

from dashboard.runtime.shard import Shard
from dashboard.server.monitoring_views import SHARD_PATIENCE, is_waited_for
from informerd.cache.health import Health, State
from tests.support.live.shard_workers import STEP, ShardedCluster
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, small_site


async def test_machines_get_plain_answers() -> None:
    site = small_site()
    for path in ("/healthz", "/readyz"):
        response = await site.client.get(path)
        assert response.content == b"ok\n"
        assert response["Cache-Control"] == "no-store"


async def test_a_history_that_cannot_be_written_is_said_and_takes_no_process_out_of_rotation() -> None:
    site = Site()
    site.parts.history_problem = lambda: "database is locked"
    response = await site.client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\nhistory cannot be written\n")


@pytest.mark.parametrize("state", ["unreachable", "forbidden", "absent", "stale"])
async def test_a_cluster_that_does_not_answer_takes_no_process_out_of_rotation(state: State) -> None:
    site = small_site()
    for kind in site.feeds.kinds:
        site.feeder(kind.key).beat(Health(state=state, since=0.0, problem="the API server does not answer"))
    assert (await site.client.get("/readyz")).status_code == 200


async def test_a_process_whose_own_worker_cannot_begin_serves_the_pages_that_say_so() -> None:
    site = Site(silent=("pods", "nodes"))
    assert (await site.client.get("/readyz")).status_code == 503
    site.parts.cannot_watch, site.parts.problem = True, "kubeconfig: line 2: not YAML."
    assert (await site.client.get("/readyz")).status_code == 200
    assert "kubeconfig: line 2: not YAML." in await page(site, "/")


async def test_a_process_is_ready_though_one_of_several_workers_does_not_come() -> None:
    cluster, thirds = ShardedCluster(), [Shard(number, 3) for number in (1, 2, 3)]
    for namespace in ("shop", "red", "default"):
        cluster.put(namespace, "web")
    assert is_waited_for(cluster.replica)
    cluster.start(*thirds[:2])
    await cluster.turns(8)
    assert is_waited_for(cluster.replica), "the third may be on its way"
    assert [each.shard for each in cluster.replica.outdated_shards] == thirds[2:]
    await cluster.turns(int(SHARD_PATIENCE / STEP))
    assert cluster.replica.state == "starting"
    assert not is_waited_for(cluster.replica)


@pytest.mark.parametrize("state", ["absent", "forbidden", "stale"])
async def test_a_shard_is_not_waited_for_longer_where_the_others_are_not_live_either(state: State) -> None:
    cluster = ShardedCluster()
    cluster.start(Shard(1, 3), Shard(2, 3))
    for worker in cluster.workers:
        worker.health = Health(state, cluster.clock.time(), problem="no answer")
    await cluster.turns(8)
    assert is_waited_for(cluster.replica)
    await cluster.turns(int(SHARD_PATIENCE / STEP))
    assert not is_waited_for(cluster.replica)
