"""Tests of the production form with each part failing in turn: no page is wrong, and all recover by themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.e2e.expected_page_content import pods_with_restarts
from tests.support.e2e.faults import BOTH, FAULTS, Fault, Says
from tests.support.e2e.page_recording_check import LATE
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.recorded_open_page import WITHIN, RecordedPage
from tests.support.long_tests import long_but

pytestmark = [pytest.mark.browser, pytest.mark.redis, pytest.mark.postgresql]

ALLOWED = LATE + 1.5
"""Seconds; what a loaded machine adds is less than the longest faults last."""

SHORT = [fault for fault in FAULTS if fault.name in {
    "redis_killed_and_started", "web_process_frozen", "history_compacted_while_the_worker_was_away",
}]  # fmt: skip
"""One fault of each part; worker and API server are killed in test_faults.py."""


@pytest.fixture(scope="module")
def changes(production: ProductionStack) -> Changes:
    """The one writer, for all faults one after the other."""
    controlplane = production.controlplane
    changes = Changes(controlplane, controlplane.create_namespace("faults"))
    changes.fill(20)
    return changes


@pytest.mark.parametrize("fault", long_but(FAULTS, *SHORT), ids=lambda fault: fault.name)
def test_no_page_lies(
    fault: Fault, production: ProductionStack, changes: Changes, new_context: Callable[..., BrowserContext]
) -> None:
    production.mend()
    path, subject = pods_with_restarts(changes.namespace)
    pages = [
        RecordedPage(new_context().new_page(), web.url + path, subject, waited=production.waited)
        for web in production.webs
    ]
    for page in pages:
        page.agree(changes.history)
    before = [production.counted(fault.counted, web) for web in BOTH] if fault.counted else []

    for says in fault.story(production, changes):
        if says.changes:
            changes.some()
        hold(pages, says, changes)

    for page in pages:
        page.agree(changes.history)
        verdict = page.judge(changes.history, late=ALLOWED)
        assert verdict.lies == [], "\n".join(map(str, verdict.lies[:5]))
    for web, count in enumerate(before):
        assert production.counted(fault.counted, web) > count, f"{fault.counted} of web process {web}"
    assert pages[0].recording.now()[1]["list"] == pages[1].recording.now()[1]["list"]


def hold(pages: list[RecordedPage], says: Says, changes: Changes) -> None:
    """Wait until the pages say so, and for as long as it is to last."""
    for number in says.pages:
        if says.state == "live":
            pages[number].agree(changes.history, struck=True)
        elif says.state:
            pages[number].be(says.state)
            expect(pages[number].page.locator("#banner")).to_contain_text(says.words, timeout=WITHIN)
    if says.seconds:
        pages[0].page.wait_for_timeout(says.seconds * 1000)
