"""Tests of pages that follow in the browser: filters, counts, feed, overview and details."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.live.test_connection_browser import becomes, change, shows, was
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until


def test_a_filter_changes_the_view_over_the_same_socket(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    before = server.do("stats")["views"]
    page.fill("#q", "pod-001")
    expect(page.locator("tbody tr")).to_have_count(1)
    until(lambda: server.do("stats")["views"] not in ([], before), what="the other view")
    change(server, 11)
    shows(page, "pod-001", 11)
    server.do("put", rows=[{"name": "pod-002", "version": 12, "restarts": 12}])
    change(server, 13)
    shows(page, "pod-001", 13)
    expect(page.locator("tbody tr")).to_have_count(1)
    assert server.do("stats")["opened"] == 1
    assert page.evaluate("window.sameDocument") is True
    assert "q=pod-001" in page.url


def test_a_mistake_in_the_filter_leaves_the_list_as_it_was_and_live(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.fill("#q", "restarts>many")
    expect(page.locator("#filter-problems")).to_contain_text("Write a number after >.")
    expect(page.locator("#filter-problems")).to_contain_text("Still showing everything")
    change(server, 3)
    shows(page, "pod-001", 3)
    server.do("close", code=4012)
    was(page, "offline")
    becomes(page, "live")
    change(server, 4)
    shows(page, "pod-001", 4)


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "mistake"), [("/resources/pods/", "pod-001 restarts>x"), ("/feed/", "pod-001 op=bogus")]
)
def test_a_mistake_keeps_the_address_of_what_is_still_shown(
    page: Page, server: PageServer, path: str, mistake: str
) -> None:
    open_live(page, f"{server.url}{path}")
    page.fill("#q", "pod-001")
    expect(page).to_have_url(re.compile("q=pod-001$"))
    view = page.locator("#list").get_attribute("data-view")
    page.fill("#q", mistake)
    expect(page.locator("#filter-problems")).to_contain_text("Still showing: pod-001")
    page.press("#q", "Enter")
    page.wait_for_timeout(300)  # nothing may come of it
    expect(page.locator("#list")).to_have_attribute("data-view", view or "")
    assert page.url.endswith("q=pod-001")
    assert page.locator("#q").input_value() == mistake


def test_counts_of_every_kind_follow_on_every_page(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    count = page.locator("nav [data-count='pods']")
    expect(count).to_have_text("30")
    server.do("drop", names=["pod-000"])
    expect(count).to_have_text("29")


@pytest.mark.long
def test_the_feed_shows_200_entries_at_most_and_counts_the_rest(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    server.do("say", number=500)
    expect(page.locator("ol.feed li")).to_have_count(60)
    expect(page.locator("h1")).to_contain_text("440 more")
    for newest in range(550, 901, 50):  # more than fit, each of them in a swap of its own
        server.do("say", number=50)
        expect(page.locator("ol.feed li").first).to_have_attribute("data-name", f"busy-{newest - 1}")
    expect(page.locator("ol.feed li")).to_have_count(200)
    shown = page.locator("ol.feed li").evaluate_all("items => items.map(item => [item.dataset.name, item.id])")
    names = [int(name.removeprefix("busy-")) for name, _ in shown]
    assert names == sorted(names, reverse=True)
    assert [line for _, line in shown] == sorted((line for _, line in shown), reverse=True)


def test_the_overview_follows(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.evaluate("document.addEventListener('deltaboard:rates', ({detail}) => { window.rates = detail; })")
    server.do("put", rows=[{"name": "pod-001", "version": 2, "status": "CrashLoopBackOff", "tone": "bad"}])
    expect(page.locator(".wrong-card")).to_contain_text("default/pod-001")
    expect(page.locator(".latest-card li").first).to_contain_text("pod-001")
    until(lambda: page.evaluate("window.rates?.modified.some((count) => count >= 1)"), what="the chart's data")
    time = page.locator(".latest-card li time").first
    time.evaluate("(time) => { time.textContent = '11-29 23:59:57.065'; }")  # of the day before
    assert time.evaluate("(time) => time.scrollWidth <= time.clientWidth")


def test_details_follow_deletion_and_creation_under_the_same_name(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/default/pod-003/")
    server.do("put", rows=[{"name": "pod-003", "version": 2, "obj": {"kind": "Pod", "spec": {"nodeName": "node-9"}}}])
    expect(page.locator("main")).to_contain_text("spec")
    expect(page.locator("pre.code")).to_contain_text("node-9")
    server.do("drop", names=["pod-003"])
    expect(page.locator("main")).to_contain_text("was deleted")
    server.do("put", rows=[{"name": "pod-003", "uid": "new-one", "version": 9}])
    expect(page.locator("main")).to_contain_text("this one was created again")
    expect(page.locator("article.detail")).to_have_attribute("data-uid", "new-one")
    assert page.evaluate("window.sameDocument") is True


def test_an_object_that_is_not_there_appears_once_it_is(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/default/late/")
    expect(page.locator("h1")).to_have_text("There is no Pod late in namespace default")
    server.do("put", rows=[{"name": "late", "version": 1, "obj": {"kind": "Pod", "spec": {"nodeName": "node-9"}}}])
    expect(page.locator("pre.code")).to_contain_text("node-9")
    expect(page.locator("h1")).to_have_text("late")
    assert page.evaluate("window.sameDocument") is True
