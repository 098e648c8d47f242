"""Each filter that is removed is noticed by the crawl: a filter that nothing notices would be untested."""

from __future__ import annotations

import pytest

from tests.support.access.crawl import Crawl, report
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.removed_filters import REMOVED, removed
from tests.support.access.tour import Tour

BATCHES, BATCH = 8, 12


async def _is_noticed(cluster: MarkedCluster, name: str) -> bool:
    crawl = Crawl(cluster.dashboard, cluster.objects)
    _, visits = REMOVED[name]

    async def visit(tour: Tour) -> None:
        if not crawl.faults:
            await crawl.visit(tour, visits)

    for _ in range(BATCHES):
        await cluster.batch(BATCH, visit)
        if crawl.faults:
            return True
    return False


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_each_removed_filter_is_noticed(cluster: MarkedCluster) -> None:
    unnoticed = []
    for name in REMOVED:
        with removed(name, cluster.dashboard.web):
            if not await _is_noticed(cluster, name):
                unnoticed.append(name)
    assert unnoticed == []
    await _check_that_all_are_back(cluster)


async def _check_that_all_are_back(cluster: MarkedCluster) -> None:
    crawl = Crawl(cluster.dashboard, cluster.objects)

    async def visit(tour: Tour) -> None:
        await crawl.visit(tour, ("list", "feed", "overview", "namespaces"))

    await cluster.batch(BATCH, visit)
    assert not crawl.faults, report(crawl.faults)
