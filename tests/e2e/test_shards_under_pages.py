"""Test that no page is wrong, nor stale, while one worker becomes three and three become one, and what pages say when
one of three is killed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, expect

from dashboard.runtime.shard import Shard
from tests.support.e2e.cpu_starvation import Waited
from tests.support.e2e.expected_page_content import pods_with_restarts
from tests.support.e2e.page_recording_check import LATE
from tests.support.e2e.production_stack import WITHIN, ProductionStack, Worker
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.recorded_open_page import RecordedPage
from tests.support.e2e.upgrade_run import look_on, silences

pytestmark = [pytest.mark.browser, pytest.mark.redis, pytest.mark.postgresql]

THIRDS = (Shard(1, 3), Shard(2, 3), Shard(3, 3))
RATE = 10.0
"""Changes a second."""
LEAST = 0.5
"""Seconds of which a page says that it is stale."""


def shows_shards(stack: ProductionStack, count: int) -> bool:
    """Whether both web processes show the pods of so many workers."""
    return all(stack.gauge("feed_shards", "pods", web) == count for web in (0, 1))


def times_stale(pages: list[RecordedPage]) -> list[int]:
    """How often each page was not live, but for times in which programs waited for a processor."""
    return [sum(silence.seconds > LEAST for silence in silences(page)) for page in pages]


@pytest.mark.timeout(420)
def test_pages_through_moves_and_the_death_of_one_of_three_workers(
    production: ProductionStack, new_context: Callable[..., BrowserContext]
) -> None:
    controlplane = production.controlplane
    changes = Changes(controlplane, controlplane.create_namespace("shards-under-pages"))
    changes.fill(20)
    mine = next(shard for shard in THIRDS if shard.includes(changes.namespace))
    thirds = {shard: Worker({**production.env, "DELTABOARD_SHARD": str(shard)}) for shard in THIRDS}
    waited = Waited((production.worker, *thirds.values()), production.webs)
    waited.start()
    path, subject = pods_with_restarts(changes.namespace)
    pages = [RecordedPage(new_context().new_page(), web.url + path, subject, waited=waited) for web in production.webs]
    try:
        for page in pages:
            page.agree(changes.history)
        with changes.going_on(RATE):
            for worker in thirds.values():
                worker.start()
            look_on(pages, partial(shows_shards, production, len(THIRDS)))
            production.worker.stop()
            pages[0].page.wait_for_timeout(2 * LATE * 1000)
        for page in pages:
            page.agree(changes.history)
        assert times_stale(pages) == [0, 0], "while workers moved"

        thirds[mine].kill()
        changes.some()
        for page in pages:
            page.be("stale")
            words = f"shard {mine.number} of 3 alone"
            expect(page.page.locator("#banner")).to_contain_text(words, timeout=WITHIN * 1000)
            expect(page.page.locator("#banner")).to_contain_text(changes.namespace)
        thirds[mine].start()
        for page in pages:
            page.agree(changes.history)

        with changes.going_on(RATE):
            production.worker.start()
            look_on(pages, partial(shows_shards, production, 1))
            for worker in thirds.values():
                worker.stop()
            pages[0].page.wait_for_timeout(2 * LATE * 1000)
        for page in pages:
            page.agree(changes.history)
            verdict = page.judge(changes.history, late=LATE + 1.5)
            assert verdict.lies == [], "\n".join(map(str, verdict.lies[:5]))
        assert times_stale(pages) == [1, 1], "after the kill alone"
    finally:
        waited.stop()
        for worker in thirds.values():
            worker.__exit__()
