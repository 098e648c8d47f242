"""Worker and web process together: a look has kinds counted, and the counts come back."""

from __future__ import annotations

import asyncio

from channels.layers import InMemoryChannelLayer

from dashboard.census.link import CensusLink
from dashboard.census.taker import CensusTaker, this_process
from dashboard.live.layer import Trouble
from informerd.clock import SystemClock
from tests.census.test_taker import Api
from tests.wait import eventually


async def test_a_look_has_kinds_counted_and_the_counts_come_back() -> None:
    layer, clock, api = InMemoryChannelLayer(), SystemClock(), Api(leases=3, secrets=2)
    taker = CensusTaker(
        api, api, layer, clock, epoch="1", follows=lambda key: key == "secrets", trouble=Trouble()
    )  # fmt: skip
    link = CensusLink(layer, clock)
    running = [asyncio.create_task(link.run()), asyncio.create_task(taker.run())]
    await eventually(lambda: set(link.kinds) == {"leases", "secrets"})
    assert link.kinds["leases"].count is None
    assert list(link.workers) == [("1", this_process())]
    link._said = float("-inf")
    link.look()
    await eventually(lambda: link.kinds["leases"].count == 3)
    assert link.kinds["secrets"].count is None, "what is followed is not counted"
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
