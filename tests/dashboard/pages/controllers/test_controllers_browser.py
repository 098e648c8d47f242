"""Tests of the controllers page in a browser: a failing key is shown, requeued with its button, and removed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.browser.live_page import open_live, states_not_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
_numbers = itertools.count()


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    """One for all: each test has a poison of its own."""
    yield from one_server(page_server_pool)


@pytest.fixture
def poison(server: PageServer) -> str:
    """The name of a key that fails."""
    name = f"poison-{next(_numbers)}"
    server.do("run_controllers", keys=["default/well", f"default/{name}"])
    return name


@pytest.fixture
def controllers(page: Page, server: PageServer, poison: str) -> Page:
    """The page that shows it."""
    open_live(page, f"{server.url}/controllers/")
    expect(row(page, poison)).to_be_visible()
    return page


def row(page: Page, name: str) -> Locator:
    return page.locator(f"tr[data-key='default/{name}']")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=f"Requeue default/{name} now", exact=True)


def said(page: Page) -> Locator:
    return page.locator("#requeued")


def test_it_waits_for_the_worker_and_fills_by_itself(page: Page, server: PageServer) -> None:
    server.do("forget_controllers")
    page.goto(f"{server.url}/controllers/")
    expect(page.locator("main")).to_contain_text("Waiting for the worker")
    expect(page.locator("#banner")).to_contain_text("Waiting for the worker's first word.")
    expect(page.locator("body")).to_have_attribute("data-live", "stale")
    server.do("run_controllers", keys=["default/well"])
    card = page.locator("[data-controller='sample']")
    expect(card.locator("[data-phase]")).to_have_text("running")
    expect(card.locator("[data-outcomes]")).to_contain_text("1 succeeded")
    expect(card.locator("[data-workers]")).to_have_text("0 of 2 busy")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    expect(page.locator("#banner")).to_be_hidden()


@pytest.mark.long
def test_a_poison_key_shows_up_with_its_error_is_requeued_with_the_button_and_vanishes(
    controllers: Page, server: PageServer, poison: str
) -> None:
    expect(row(controllers, poison)).to_contain_text("ValueError: spec.port is 0 <b>&")
    expect(row(controllers, poison).locator("[data-age=until]")).to_have_text(re.compile(r"in [45]m(\d+s)?"))
    button(controllers, poison).click()
    expect(said(controllers)).to_have_text(f"default/{poison} is requeued.")
    expect(row(controllers, poison).locator(".k-number")).to_have_text("2")
    server.do("cure", name=poison)
    button(controllers, poison).click()
    expect(row(controllers, poison)).to_have_count(0)
    assert controllers.evaluate("window.sameDocument")


def test_the_button_works_without_scripts(
    new_context: Callable[..., BrowserContext], controllers: Page, server: PageServer, poison: str
) -> None:
    server.do("cure", name=poison)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/controllers/")
    button(page, poison).click()
    expect(page).to_have_url(f"{server.url}/controllers/")
    expect(page.locator("main")).to_contain_text(f"default/{poison} is requeued.")
    expect(row(controllers, poison)).to_have_count(0)


def test_a_key_that_recovered_meanwhile_is_answered_in_words(
    controllers: Page, server: PageServer, poison: str
) -> None:
    server.do("cure", name=poison)
    value = button(controllers, poison).get_attribute("value")
    button(controllers, poison).click()
    expect(row(controllers, poison)).to_have_count(0)
    controllers.evaluate(
        """value => { const button = document.createElement("button");
          Object.assign(button, { name: "item", value, textContent: "late" });
          document.getElementById("requeue").append(button); button.click(); }""",
        value,
    )
    expect(said(controllers)).to_contain_text("is not a failed key of sample")


@pytest.mark.long
def test_a_worker_that_is_gone_makes_this_page_stale_and_no_other(
    new_context: Callable[..., BrowserContext], controllers: Page, server: PageServer, poison: str
) -> None:
    pods = new_context().new_page()
    open_live(pods, f"{server.url}/resources/pods/")
    server.do("end_controllers")
    expect(controllers.locator("body")).to_have_attribute("data-live", "stale")
    expect(controllers.locator("#banner")).to_contain_text(re.compile(r"has not been heard since \d\d:\d\d:\d\d"))
    expect(controllers.locator(".workers")).to_contain_text("no longer heard")
    button(controllers, poison).click()
    expect(said(controllers)).to_contain_text("nothing was requeued")
    assert states_not_live(pods) == []
    server.do("run_controllers", keys=[])
    expect(controllers.locator("body")).to_have_attribute("data-live", "live")


def test_nothing_moves_while_counts_change(page: Page, server: PageServer, poison: str) -> None:
    page.add_init_script(SHIFTS)
    open_live(page, f"{server.url}/controllers/")
    expect(row(page, poison)).to_be_visible()
    page.evaluate("window.shift = 0")
    before = page.locator("[data-outcomes] .ok").inner_text()
    server.do("run_controllers", keys=[f"default/{each}" for each in range(500)])
    expect(page.locator("[data-outcomes] .ok")).not_to_have_text(before)
    assert page.evaluate("window.shift") < 0.001, "0.1 is what people notice; a number that grows a digit is 0.0001"


def test_keys_lead_there_and_help_lists_them(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(f"{server.url}/controllers/")
    expect(page.locator(".side a[aria-current]")).to_have_text("Controllers")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("controllers")


def test_it_fits_a_phone_and_a_desk_in_light_and_dark(page: Page, server: PageServer) -> None:
    name = f"poison-{'long-' * 40}"
    server.do("run_controllers", keys=[f"a-namespace-with-a-long-name/{name}"])
    page.goto(f"{server.url}/controllers/")
    for scheme, width in product(("light", "dark"), (390, 1440)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.get_by_role("button", name=f"Requeue a-namespace-with-a-long-name/{name} now")).to_be_visible()
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{over} px too wide at {width}, {scheme}"
