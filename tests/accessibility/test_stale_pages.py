"""axe-core tests of stale and offline pages: outdated content is paler, with contrast of at least AA."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.long_tests import long_but
from tests.support.program_fork_server import ProgramPool
from tools.axe import violations

pytestmark = pytest.mark.browser

PATHS = {"overview": "/", "list and drawer": "/resources/pods/?open=default/pod-003", "feed": "/feed/"}


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


@pytest.mark.parametrize("name", long_but(PATHS, "list and drawer"))
def test_axe_finds_nothing_wrong(new_context: Callable[..., BrowserContext], server: PageServer, name: str) -> None:
    server.do("turn_away", code=0)
    server.do("health", state="live")
    page = new_context(reduced_motion="reduce").new_page()
    page.set_default_timeout(60_000)
    open_live(page, server.url + PATHS[name])
    server.do("health", state="stale")
    expect(page.locator("body[data-live=stale] #banner")).to_be_visible()
    faint = page.evaluate("getComputedStyle(document.querySelector('main .table td, main .tile, main .feed')).color")
    assert faint == "rgb(95, 104, 118)", "what is out of date is paler"
    found = [f"stale {each}" for each in wrong(page)]
    server.do("health", state="live")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    server.do("turn_away", code=4012)
    server.do("close", code=4012)
    expect(page.locator("body[data-live=offline] #banner")).to_be_visible()
    found += (f"offline {each}" for each in wrong(page))
    assert not found, "\n".join(found)


def wrong(page: Page) -> list[str]:
    """What axe-core finds in both themes, wide and narrow. Themes differ in colours alone."""
    found: dict[str, None] = {}
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            each_wrong = violations(page, of_colour_only=scheme == "dark")
            found |= dict.fromkeys(f"{width} {scheme}: {each}" for each in each_wrong)
    return list(found)
