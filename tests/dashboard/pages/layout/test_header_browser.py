"""Tests of the header in the browser: freshness details, copying, and the times of ages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.dashboard.conftest import PageServer, copies, has_copied, hears, open_live

pytestmark = pytest.mark.browser

COPIED = "navigator.clipboard.readText()"
POD = "/resources/pods/default/pod-003/"


@pytest.fixture
def reader(new_context: Callable[..., BrowserContext], server: PageServer) -> Page:
    """A page that may read what was copied."""
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    return context.new_page()


# --- freshness ---


def test_a_click_on_the_freshness_says_why_kind_by_kind_and_by_which_worker(page: Page, server: PageServer) -> None:
    server.do("census", counts={"secrets": 2})
    open_live(page, f"{server.url}/")
    page.locator(".fresh").click()
    why = page.locator("#why")
    expect(why.get_by_role("row")).to_have_count(4)
    expect(why.get_by_role("row", name=re.compile("Pods"))).to_contain_text("live")
    expect(why).to_contain_text("comes from test-machine, process 7, which started")
    server.do("health", state="stale", problem="the watch was closed")
    row = why.get_by_role("row", name=re.compile("^Pods"))
    expect(row).to_contain_text("stale")
    expect(why).to_contain_text(re.compile(r"has not answered since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"))
    server.do("look_at", key="secrets")
    expect(why.get_by_role("row", name=re.compile("Secrets"))).to_contain_text("while open")
    assert page.evaluate("window.sameDocument")


def test_nothing_is_asked_for_while_it_is_closed(page: Page, server: PageServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_live(page, f"{server.url}/")
    page.locator(".fresh").click()
    expect(page.locator("#why table")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()
    before = sum("/freshness/" in url for url in asked)
    hears(page, beats=4)  # open it would ask every two seconds
    assert sum("/freshness/" in url for url in asked) == before


def test_who_i_am_is_said_where_nobody_signs_in(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    expect(page.locator(".who")).to_have_text("local")
    expect(page.locator(".who")).to_have_attribute("title", re.compile("There is no sign-in"))


# --- copies ---


@pytest.mark.parametrize("place", [POD, "/resources/pods/?open=default/pod-003"])
def test_a_line_for_an_incident_says_what_how_since_when_where_and_when(
    reader: Page, server: PageServer, place: str
) -> None:
    server.do("put", rows=[{"name": "pod-003", "version": 2, "status": "Crash_Loop*", "tone": "bad"}])
    open_live(reader, server.url + place)
    copies(reader, reader.get_by_role("button", name="Incident").click)
    line = reader.evaluate(COPIED)
    assert "\n" not in line
    assert line.startswith(f"**Pod [default/pod-003]({server.url}{POD})**: ")
    assert re.search(r" · age \d+\w* · cluster test · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$", line)


def test_a_page_that_is_not_live_says_so_in_what_it_copies(reader: Page, server: PageServer) -> None:
    open_live(reader, server.url + POD)
    server.do("health", state="stale", problem="the watch was closed")
    expect(reader.locator("body")).to_have_attribute("data-live", "stale")
    copies(reader, reader.get_by_role("button", name="Incident").click)
    assert re.search(r" UTC, as last heard at [0-9 :-]+ UTC$", reader.evaluate(COPIED))


def test_name_and_command_are_copied_and_the_command_finds_a_cluster_that_is_the_dashboards_own(
    reader: Page, server: PageServer
) -> None:
    server.do("own", kubeconfig="/tmp/a b/demo.kubeconfig")
    open_live(reader, server.url + POD)
    reader.get_by_role("button", name="Name", exact=True).click()
    has_copied(reader, "pod-003")
    reader.get_by_role("button", name="kubectl", exact=True).click()
    has_copied(reader, "kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods pod-003 -n default -o yaml")
    reader.goto(f"{server.url}/resources/pods/")
    reader.get_by_text("Export").click()
    expect(reader.locator("#command")).to_have_text("kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods -A")
    expect(reader.locator(".export")).to_contain_text("Deltaboard runs this cluster")
    reader.locator(".export").get_by_role("button", name="Copy").click()
    has_copied(reader, "kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods -A")


def test_without_a_clipboard_copying_works_the_old_way(page: Page, server: PageServer) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    open_live(page, server.url + POD)
    copies(page, page.get_by_role("button", name="Name", exact=True).click)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    page.keyboard.press("Control+v")
    expect(page.get_by_role("combobox", name="Go to")).to_have_value("pod-003")


# --- the times behind ages ---

BOTH = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\s.*\d:\d\d:\d\d")


def test_the_key_t_says_the_times_behind_the_ages_of_a_row_one_after_the_other(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    said = page.locator("#moment")
    page.keyboard.press("j")
    page.keyboard.press("t")
    expect(said).to_have_text(BOTH)
    expect(page.locator("tr[data-ui-cursor] time[data-ui-told]")).to_have_count(1)
    page.keyboard.press("t")
    expect(said).to_be_hidden()
    page.keyboard.press("t")
    expect(said).to_be_visible()
    page.keyboard.press("Escape")
    expect(said).to_be_hidden()


def test_a_tap_on_an_age_says_its_time(new_context: Callable[..., BrowserContext], server: PageServer) -> None:
    page = new_context(has_touch=True).new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    open_live(page, server.url + POD)
    page.locator("time[data-created]").tap()
    expect(page.locator("#moment")).to_have_text(BOTH)
    box = page.locator("#moment").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.locator("h1").tap()
    expect(page.locator("#moment")).to_be_hidden()
