"""axe-core tests of stale and offline pages: outdated content is paler, with contrast of at least AA."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.dashboard.conftest import PageServer, open_live
from tests.support.browser.page_server_pool import Nursery
from tools.axe import violations

pytestmark = pytest.mark.browser

PATHS = {"overview": "/", "list and drawer": "/resources/pods/?open=default/pod-003", "feed": "/feed/"}


@pytest.fixture
def server(nursery: Nursery) -> Iterator[PageServer]:
    program = PageServer(nursery)
    try:
        yield program.open()
    finally:
        program.__exit__()


@pytest.mark.parametrize("state", ["stale", "offline"])
@pytest.mark.parametrize("name", PATHS)
def test_axe_finds_nothing_wrong(
    new_context: Callable[..., BrowserContext], server: PageServer, name: str, state: str
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.set_default_timeout(60_000)
    open_live(page, server.url + PATHS[name])
    if state == "stale":
        server.do("health", state="stale")
    else:
        server.do("turn_away", code=4012)
        server.do("close", code=4012)
    expect(page.locator(f"body[data-live={state}] #banner")).to_be_visible()
    if state == "stale":
        faint = page.evaluate(
            "getComputedStyle(document.querySelector('main .table td, main .tile, main .feed')).color"
        )
        assert faint == "rgb(95, 104, 118)", "what is out of date is paler"
    found: dict[str, None] = {}
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wrong = violations(page, of_colour_only=scheme == "dark")
            found |= dict.fromkeys(f"{width} {scheme}: {each}" for each in wrong)
    assert not found, "\n".join(found)
