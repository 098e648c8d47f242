"""Tests of the navigation in the browser: live counts and marks, dated ones, folds, pins and the search box."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.dashboard.conftest import PageServer, open_live
from tests.support.browser.chromium import wait_until
from tests.support.wait import until

pytestmark = pytest.mark.browser

CENSUS = {"secrets": 12, "configmaps": 34, "jobs.batch": 4, "rollouts.argoproj.io": 7, "gateways.example.org": None}


def line(page: Page, key: str) -> Locator:
    return page.locator(f'.kind-line[data-kind="{key}"]')


def fold(page: Page, group: str) -> Locator:
    return page.locator(f'[data-group="{group}"] details.rest')


def opened(page: Page, server: PageServer) -> None:
    server.do("census", counts=CENSUS, problems={"gateways.example.org": "gateways is forbidden"})
    open_live(page, f"{server.url}/")


def test_a_followed_kind_has_its_count_and_a_mark_while_something_is_wrong(page: Page, server: PageServer) -> None:
    opened(page, server)
    count = line(page, "pods").locator(".count")
    expect(count).to_have_text("30")
    server.do("put", rows=[{"name": "broken", "status": "Failed", "tone": "bad"}])
    expect(count).to_have_text("31")
    expect(count).to_have_class("count bad")
    expect(count).to_have_attribute("title", "1 wrong")
    server.do("put", rows=[{"name": "broken", "version": 2}])
    expect(count).to_have_class("count")


def test_dated_counts_are_counted_and_kept_only_while_a_fold_shows_them(page: Page, server: PageServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/kinds/counts/" in request.url else None)
    opened(page, server)
    expect(line(page, "secrets")).to_be_hidden()
    assert asked == []
    assert server.do("looked") is False
    fold(page, "config").locator("summary").click()
    count = line(page, "secrets").locator(".count")
    expect(count).to_have_text(re.compile(r"^12\d\d:\d\d$"))  # it was in the page, hidden: no request brought it
    expect(count).to_have_attribute("title", re.compile("They are not watched"))
    wait_until(page, "document.cookie.includes('folds=config')")
    until(lambda: server.do("looked"), what="the fold's request has arrived")
    assert len(asked) == 1
    page.reload()
    expect(line(page, "secrets")).to_be_visible()


def test_what_may_not_be_counted_says_why(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "custom-resources").locator("summary").click()
    count = line(page, "gateways.example.org").locator(".count")
    expect(count).to_have_text("–")
    expect(count).to_have_attribute("title", "gateways is forbidden")


def test_a_kind_that_somebody_opens_is_live_in_all_open_pages_at_once(
    page: Page, new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    opened(page, server)
    expect(fold(page, "config").locator("summary")).to_have_text("2 kinds")
    expect(line(page, "secrets")).to_be_hidden()
    server.do("look_at", key="secrets")
    expect(line(page, "secrets")).to_be_visible()
    expect(line(page, "secrets").locator(".count")).to_have_text("0")  # what the feed has of them
    expect(fold(page, "config").locator("summary")).to_have_text("1 more")
    assert page.evaluate("window.sameDocument")


def test_kinds_that_come_to_be_while_a_page_is_open_appear_in_it(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    expect(line(page, "secrets").locator("time")).to_be_visible()
    server.do("census", counts=CENSUS | {"leases.coordination.k8s.io": 3})
    expect(line(page, "leases.coordination.k8s.io").locator(".count")).to_contain_text("3")
    expect(fold(page, "config")).to_have_attribute("open", "")
    server.do("look_at", key="ingresses.networking.k8s.io")  # of which no census has said anything
    expect(line(page, "ingresses.networking.k8s.io")).to_be_visible()
    assert page.evaluate("window.sameDocument")


def test_the_box_finds_a_kind_in_any_fold_and_leaves_the_folds_as_they_were(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    box = page.get_by_role("searchbox", name="Find a kind")
    box.fill("rollo")
    expect(line(page, "rollouts.argoproj.io")).to_be_visible()
    expect(page.locator(".kind-line:visible")).to_have_count(1)
    box.fill("nothing like it")
    expect(page.locator("#side")).to_contain_text("No kind matches.")
    box.press("Escape")
    expect(line(page, "rollouts.argoproj.io")).to_be_hidden()
    expect(line(page, "secrets")).to_be_visible()
    box.fill("argoproj")
    box.press("Enter")
    expect(page).to_have_url(re.compile("/resources/rollouts.argoproj.io/$"))


def test_a_pinned_kind_stays_at_the_top_in_this_browser(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    line(page, "secrets").hover()
    page.get_by_role("button", name="Keep Secrets at the top").click()
    fold(page, "config").locator("summary").click()
    expect(line(page, "secrets")).to_be_visible()
    expect(line(page, "configmaps")).to_be_hidden()
    wait_until(page, "!document.cookie.includes('config')")  # the fold is kept a moment after it closed
    page.reload()
    expect(line(page, "secrets")).to_be_visible()
    expect(line(page, "configmaps")).to_be_hidden()
    line(page, "secrets").hover()
    page.get_by_role("button", name="Keep Secrets at the top").click()
    page.reload()
    expect(line(page, "secrets")).to_be_hidden()


def test_a_kind_is_pinned_by_the_keyboard(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    page.mouse.move(700, 500)
    line(page, "secrets").get_by_role("link").focus()
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="Keep Secrets at the top")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    page.keyboard.press("Tab")
    expect(button).to_have_count(0)


def test_without_scripts_the_folds_open_and_lead_to_their_kinds(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    server.do("census", counts=CENSUS)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/")
    fold(page, "config").locator("summary").click()
    expect(line(page, "secrets").locator(".count")).to_contain_text("12")
    expect(page.get_by_role("searchbox", name="Find a kind")).to_be_hidden()
    line(page, "configmaps").get_by_role("link").click()
    expect(page).to_have_url(re.compile("/resources/configmaps/$"))
