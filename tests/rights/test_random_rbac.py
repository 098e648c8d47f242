"""People with random rights crawl a whole Deltaboard: it shows all that they may see, and no byte of anything else."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from django.urls import get_resolver

from tests.support.access.crawl import Crawl, report
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.tour import Tour
from tests.support.access.visits import VISITS

WORLDS, BATCH = 150, 25
SOAK_WORLDS = 5_000
VISITS_A_WORLD = 10
NOT_CRAWLED: frozenset[str] = frozenset()


async def explore(cluster: MarkedCluster, worlds: int, note: Callable[[int], None] = lambda _: None) -> Crawl:
    """Visit pages as the person of each world. `note` is called with the number of worlds so far."""
    crawl = Crawl(cluster.dashboard, cluster.objects)

    async def visit(tour: Tour) -> None:
        await crawl.visit(tour, cluster.random.sample([*VISITS], VISITS_A_WORLD))

    for batch in range(worlds // BATCH):
        await cluster.batch(BATCH, visit)
        assert not crawl.faults, report(crawl.faults)
        note((batch + 1) * BATCH)
    return crawl


@pytest.mark.timeout(900)
async def test_nothing_outside_of_somebodys_rights_is_in_any_answer_and_all_inside_is(cluster: MarkedCluster) -> None:
    crawl = await explore(cluster, WORLDS)
    named = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert named - crawl.reached.keys() == NOT_CRAWLED


@pytest.mark.soak
@pytest.mark.timeout(0)
async def test_the_same_in_many_worlds(cluster: MarkedCluster, capsys: pytest.CaptureFixture[str]) -> None:
    def note(worlds: int) -> None:
        with capsys.disabled():
            sys.stderr.write(f"\r{worlds:,} of {SOAK_WORLDS:,} worlds")

    await explore(cluster, SOAK_WORLDS, note)
