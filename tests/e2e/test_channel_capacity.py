"""Tests of Channels' capacity: messages are dropped, the replica notices it, and pages recover."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.support.controlplane import ControlPlane
from tests.support.e2e.expected_page_content import pods_with_restarts
from tests.support.e2e.page_recording_check import LATE
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.recorded_open_page import RecordedPage
from tests.support.e2e.small_channel_settings import CAPACITY
from tests.support.wait import until

pytestmark = [pytest.mark.browser, pytest.mark.redis, pytest.mark.postgresql]

RATE = 20
SHORT = 1.5
"""Seconds: less than the silence that counts."""


@pytest.fixture
def stack(cluster: ControlPlane, tmp_path: Path) -> Iterator[ProductionStack]:
    settings = {
        "DJANGO_SETTINGS_MODULE": "tests.support.e2e.small_channel_settings",
        "DELTABOARD_KINDS": "pods,namespaces",
    }
    stack = ProductionStack(cluster, tmp_path, **settings)
    try:
        stack.start()
        yield stack
    finally:
        stack.worker.kill()  # this layer takes ten seconds to let go of it
        stack.stop()


@pytest.mark.long
def test_frames_that_no_queue_had_room_for_are_missed_and_made_good(
    stack: ProductionStack, namespace: str, new_context: Callable[..., BrowserContext]
) -> None:
    """One web process is held up, again and again, for as long as its queue takes to be full."""
    assert RATE * SHORT > CAPACITY
    changes = Changes(stack.controlplane, namespace)
    changes.fill(20)
    path, subject = pods_with_restarts(namespace)
    pages = [RecordedPage(new_context().new_page(), web.url + path, subject, waited=stack.waited) for web in stack.webs]
    for page in pages:
        page.agree(changes.history)
    web = stack.webs[0]
    before = stack.counted("feed_gaps")

    def missed() -> bool:
        web.pause()
        pages[1].page.wait_for_timeout(SHORT * 1000)
        web.resume()
        return stack.counted("feed_gaps") > before

    with changes.going_on(RATE):
        until(missed, within=60, every=0.5)
    for page in pages:
        page.agree(changes.history)
        verdict = page.judge(changes.history, late=LATE + SHORT)
        assert verdict.lies == [], "\n".join(map(str, verdict.lies[:5]))
    assert stack.counted("feed_gaps_healed") > 0
    assert pages[0].recording.now()[1]["list"] == pages[1].recording.now()[1]["list"]
