"""Tests of the feed in a browser: ranges on the histogram, bursts that open, and a steady page for the reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from dashboard.pages.feed.live_feed import MAX_LINES
from dashboard.pages.feed.refresh_rate import MAX_STORM_LINES
from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live, press_and_wait_for_copied
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser

LINES = "ol.feed[data-hold] > li"


def lines(page: Page) -> Locator:
    return page.locator(LINES)


def burst(server: PageServer, name: str, number: int) -> None:
    """At one moment, be the machine as busy as it may: what comes later than ten seconds after is another line."""
    server.do("put", rows=[{"name": name, "version": each + 2, "restarts": each} for each in range(number)])


def span_of(page: Page) -> tuple[datetime, datetime]:
    """The span in the page's address."""
    query = parse_qs(urlsplit(page.url).query)
    begin, end = (datetime.fromisoformat(query[name][0]) for name in ("from", "to"))
    return begin, end


@pytest.mark.long
def test_dragging_over_the_histogram_shows_that_span_and_leads_back_to_live(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/?q=busy")
    server.do("say", number=7)
    expect(lines(page)).to_have_count(7)
    expect(page.locator(".sums")).to_contain_text("7 modified")
    box = page.locator("#picture svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 5, box["y"] + 20, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"q=busy&from=\d{4}-\d\d-\d\dT[\d:]+Z&to="))
    begin, end = span_of(page)
    assert 100 <= (end - begin).total_seconds() <= 140
    expect(lines(page)).to_have_count(7)
    expect(page.locator("h1")).to_contain_text("7 changes")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.get_by_role("link", name="Earlier").click()
    expect(page.locator(".feed-card .empty")).to_contain_text("Not known any more")
    page.locator("#live").click()
    expect(page).to_have_url(f"{server.url}/feed/?q=busy")
    expect(lines(page)).to_have_count(7)


def test_arrow_keys_on_the_histogram_choose_a_span(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    server.do("say", number=3)
    picture = page.locator("#picture")
    picture.focus()
    page.keyboard.press("ArrowLeft")
    expect(picture).to_have_attribute("aria-label", re.compile(r"Chosen: [\d:]+ to [\d:]+\. Enter shows this span\."))
    page.keyboard.press("Escape")
    expect(page.locator(".brush")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_be_visible()
    expect(page).to_have_url(re.compile("[?&]from=.*&to="))
    begin, end = span_of(page)
    assert (end - begin).total_seconds() == 20


def test_the_time_fields_are_in_the_browsers_time_and_the_address_in_utc(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(timezone_id="Asia/Kolkata").new_page()
    open_live(page, f"{server.url}/feed/?from=2026-11-21T08:30:00Z&to=2026-11-21T08:40:00Z&q=web")
    expect(page.locator("#span input[name=from]")).to_have_value("2026-11-21T14:00")
    page.locator("#span input[name=from]").fill("2026-11-21T14:05:30")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("from=2026-11-21T08%3A35%3A30Z"))
    assert span_of(page) == (datetime(2026, 11, 21, 8, 35, 30, tzinfo=UTC), datetime(2026, 11, 21, 8, 40, tzinfo=UTC))
    expect(page.locator("#q")).to_have_value("web")


@pytest.mark.long
def test_without_scripts_the_page_can_be_read_and_spans_are_links_and_a_form(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    server.do("say", number=4)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/feed/?q=busy")
    expect(lines(page)).to_have_count(4)
    expect(page.locator("#span")).to_contain_text("UTC")
    page.get_by_role("link", name="Last 15m").click()
    expect(page).to_have_url(re.compile("last=15m"))
    expect(lines(page)).to_have_count(4)
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#live")).to_be_visible()
    expect(lines(page)).to_have_count(4)
    burst(server, "pod-007", 6)
    page.goto(f"{server.url}/feed/?q=pod-007")
    page.locator("li.fold summary").click()
    page.get_by_role("link", name="Show each of them").click()
    expect(lines(page)).to_have_count(6)


def test_a_burst_is_one_line_that_opens_and_stays_open_while_it_grows(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    burst(server, "pod-003", 12)
    fold = page.locator("li.fold[data-name=pod-003]")
    expect(fold).to_have_attribute("data-fold", "12")
    expect(fold.locator("summary")).to_contain_text("12 changes in ")
    expect(lines(page)).to_have_count(1)
    fold.locator("summary").click()
    expect(fold.locator(".within li")).to_have_count(12)
    page.mouse.move(5, 5)
    burst(server, "pod-003", 3)
    sizes = "all => all.map(line => Number(line.dataset.fold ?? 1))"
    until(lambda: sum(page.locator(f"{LINES}[data-name=pod-003]").evaluate_all(sizes)) == 15, what="all 15 changes")
    oldest = fold.last  # what came later than ten seconds after its beginning is another line
    expect(oldest.locator(".within > ol > li")).to_have_count(int(oldest.get_attribute("data-fold") or 0))
    assert oldest.locator("details").evaluate("details => details.open")
    assert page.locator("[id]").evaluate_all("all => all.length - new Set(all.map(each => each.id)).size") == 0


@pytest.mark.long
def test_a_pause_says_what_came_meanwhile_and_marks_it(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    server.do("say", number=2)
    expect(lines(page)).to_have_count(2)
    page.get_by_role("button", name="Pause").click()
    server.do("say", number=70)
    server.do("drop", names=["pod-004"])
    expect(page.locator("#held")).to_have_text("paused · 71 changes waiting")
    expect(lines(page)).to_have_count(2)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#meanwhile")).to_have_text(
        re.compile(r"While paused, in \d+ s: 71 changes: 70 modified, 1 deleted\.")
    )
    expect(lines(page)).not_to_have_count(2)  # the sentence comes first, then what came meanwhile
    expect(page.locator(f"{LINES}:not([data-ui-new])")).to_have_count(2)


@pytest.mark.long
def test_nothing_moves_under_the_pointer_nor_while_somebody_reads_further_down(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    server.do("say", number=60)
    expect(lines(page)).to_have_count(60)
    lines(page).first.hover()
    expect(page.locator("#held")).to_have_text("held")
    server.do("say", number=3)
    expect(page.locator("#held")).to_have_text("held · 3 changes waiting")
    page.mouse.move(5, 5)
    expect(lines(page)).to_have_count(63)
    page.evaluate("scrollTo(0, 1200)")
    expect(page.locator("#held")).to_have_text("held")
    server.do("say", number=37)
    jump = page.locator("#jump")
    expect(jump).to_have_text("↑ 37 new")
    expect(lines(page)).to_have_count(63)
    jump.click()
    expect(lines(page)).to_have_count(100)
    expect(jump).to_be_hidden()
    wait_until(page, "scrollY < 400")


def test_a_line_can_be_copied_as_markdown(new_context: Callable[..., BrowserContext], server: PageServer) -> None:
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    open_live(page, f"{server.url}/feed/")
    server.do("drop", names=["pod-005"])
    line = page.locator(f"{LINES}[data-name=pod-005]")
    line.locator(".feed-name").focus()
    page.keyboard.press("Tab")
    expect(line.get_by_role("button", name="Copy as Markdown")).to_be_focused()
    press_and_wait_for_copied(page, lambda: page.keyboard.press("Enter"))
    copied = page.evaluate("navigator.clipboard.readText()")
    link = re.escape(f"{server.url}/resources/pods/default/pod-005/")
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? UTC"
    assert re.fullmatch(rf"- {moment} · Pod \[default/pod-005\]\({link}\) deleted: was there", copied), copied


@pytest.mark.long
def test_past_reading_speed_the_page_says_how_much_it_shows_and_counts_all(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    hidden = page.locator("h1 small").first
    before = ""
    for _ in range(3):
        server.do("say", number=500)
        expect(hidden).to_have_text(re.compile(rf"^(?!{before or 'none'} )[\d,]+ more counted, not shown$"))
        before = hidden.inner_text().partition(" ")[0]
    expect(page.locator("h1")).to_contain_text(re.compile(r"showing \d+ of \d+ a second"))
    expect(page.locator(".sums")).to_contain_text("1,500 modified")
    expect(hidden).to_have_text(re.compile(r"1,[34]\d\d more counted, not shown"))
    until(lambda: 3 * MAX_STORM_LINES <= lines(page).count() <= MAX_LINES, what="some of each storm")


def test_a_mistake_in_the_filter_is_underlined_and_the_last_good_feed_stays(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/?q=busy")
    server.do("say", number=2)
    expect(lines(page)).to_have_count(2)
    page.locator("#q").fill("busy stats=Running")
    expect(page.locator("#filter-problems mark")).to_have_text("stats=")
    expect(page.locator("#filter-problems")).to_contain_text("Did you mean status=?")
    expect(lines(page)).to_have_count(2)
