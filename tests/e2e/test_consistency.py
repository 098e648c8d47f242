"""Tests that open pages show the API server's state while it changes, and that the checker finds wrong pages."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute

from tests.support.e2e.consistency_run import change_and_watch, open_pages, verdicts
from tests.support.e2e.expected_page_content import pods_with_restarts
from tests.support.e2e.page_recording_check import LATE
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.recorded_open_page import RecordedPage

pytestmark = [pytest.mark.browser, pytest.mark.redis, pytest.mark.postgresql]

PODS = 40
RATE = 20.0


@pytest.fixture
def changes(production: ProductionStack) -> Iterator[Changes]:
    """The only pods and mydemos of the cluster: the pages' counts are of all namespaces."""
    changes = Changes(
        production.controlplane, production.controlplane.create_namespace(f"consistency-{secrets.token_hex(3)}")
    )
    yield changes
    changes.clear()


@pytest.mark.timeout(420)
@pytest.mark.parametrize("seconds", [5.0, pytest.param(120.0, marks=pytest.mark.soak)])
def test_every_state_that_a_live_page_shows_is_one_that_the_api_server_had_and_not_an_old_one(
    production: ProductionStack, changes: Changes, new_context: Callable[..., BrowserContext], seconds: float
) -> None:
    """`python -m tools.page_consistency` is the same with more rows than a page takes, for as long as one likes."""
    changes.fill(PODS)
    pages = open_pages(production, changes, new_context().new_page, most=4)
    change_and_watch(pages, changes, seconds=seconds, rate=RATE)
    found = dict(verdicts(pages, changes, late=LATE + 1.5))
    assert {name: list(map(str, verdict.lies[:3])) for name, verdict in found.items() if verdict.lies} == {}
    assert found["pods by restarts"].states > seconds, "pages that show hardly anything prove hardly anything"
    assert all(verdict.live > 0 for verdict in found.values())


def without(swap: str, message: str) -> str:
    """The message with those parts left out that are swapped so."""
    content = json.loads(message)
    if "after" in content:
        pattern = rf'<hx-partial[^>]*hx-swap="{swap}[^>]*>.*?</hx-partial>'
        content["content"] = re.sub(pattern, "", content["content"], flags=re.DOTALL)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("swap", "what"), [("gone", "ghosts"), pytest.param("place", "missing", marks=pytest.mark.long)]
)
def test_the_checker_catches_a_page_that_loses_a_part_of_its_frames(
    swap: str, what: str, production: ProductionStack, changes: Changes, page: Page
) -> None:
    def spoil(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda text: route.send(without(swap, text) if isinstance(text, str) else text))

    page.route_web_socket(re.compile("/live/"), spoil)
    changes.fill(10)
    path, subject = pods_with_restarts(changes.namespace)
    watched = RecordedPage(page, production.webs[0].url + path, subject)
    watched.agree(changes.history)
    for _ in range(3):
        changes.some()
    page.wait_for_timeout(2 * LATE * 1000)
    lies = watched.judge(changes.history).lies
    assert any(what in lie.sentence for lie in lies), lies
