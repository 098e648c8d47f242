"""Tests of the navigation in the browser: live counts and marks, dated ones, folds, favourites and the search box."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser

CENSUS = {"secrets": 12, "configmaps": 34, "jobs.batch": 4, "rollouts.argoproj.io": 7, "gateways.example.org": None}


def line(page: Page, key: str) -> Locator:
    """The line in the kind's group."""
    return page.locator(f'.kinds:not(.shortcuts) .kind-line[data-kind="{key}"]')


def at_the_top(page: Page, group: str) -> Locator:
    """The lines of the favourites or of the recently opened kinds."""
    return page.locator(f'[data-group="{group}"] .kind-line')


def fold(page: Page, slug: str) -> Locator:
    return page.locator(f'details[data-fold="{slug}"]')


def opened(page: Page, server: PageServer) -> None:
    server.do("census", counts=CENSUS, problems={"gateways.example.org": "gateways is forbidden"})
    open_live(page, f"{server.url}/")


@pytest.mark.long
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


TELL = """(wrong) => {
  document.dispatchEvent(new CustomEvent("deltaboard:beat", { detail: { counts: {}, problems: {}, wrong } }));
  const count = document.querySelector("details[data-fold='example.org'] summary .count");
  return [count.className, count.title];
}"""
"""Tells a heartbeat of wrong objects; returns how the project is marked, before the next one comes."""


@pytest.mark.long
@pytest.mark.parametrize("is_open", [True, False])
def test_a_folded_project_is_marked_while_something_of_a_followed_kind_is_wrong(
    page: Page, server: PageServer, is_open: bool
) -> None:
    opened(page, server)
    server.do("look_at", key="gateways.example.org")
    expect(line(page, "gateways.example.org")).to_have_attribute("data-followed", "")
    project = fold(page, "example.org")
    if not is_open:  # as the server renders it where many kinds are folded
        project.evaluate(
            "fold => { fold.querySelectorAll('.fold-part').forEach((part) => part.remove());"
            " fold.dataset.kinds = 'gateways.example.org'; }"
        )
    assert page.evaluate(TELL, {"gateways.example.org": 2, "pods": 9}) == ["count bad", "2 wrong"]
    assert page.evaluate(TELL, {"pods": 9}) == ["count", ""]


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


@pytest.mark.long
def test_what_may_not_be_counted_says_why(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "example.org").locator("summary").click()
    count = line(page, "gateways.example.org").locator(".count")
    expect(count).to_have_text("–")
    expect(count).to_have_attribute("title", "gateways is forbidden")


@pytest.mark.long
def test_a_kind_that_somebody_opens_is_live_in_all_open_pages_at_once(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    expect(fold(page, "config").locator("summary")).to_have_text("2 kinds")
    expect(line(page, "secrets").locator("time")).to_be_visible()
    server.do("look_at", key="secrets")
    expect(line(page, "secrets").locator("time")).to_have_count(0)
    expect(line(page, "secrets").locator(".count")).to_have_text("0")  # what the feed has of them
    expect(fold(page, "config").locator("summary")).to_have_text("2 kinds")
    assert page.evaluate("window.sameDocument")


@pytest.mark.long
def test_kinds_that_come_to_be_while_a_page_is_open_appear_in_it(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    expect(line(page, "secrets").locator("time")).to_be_visible()
    server.do("census", counts=CENSUS | {"leases.coordination.k8s.io": 3})
    expect(line(page, "leases.coordination.k8s.io").locator(".count")).to_contain_text("3")
    expect(fold(page, "config")).to_have_attribute("open", "")
    server.do("look_at", key="ingresses.networking.k8s.io")  # of which no census has said anything
    expect(line(page, "ingresses.networking.k8s.io")).to_have_count(1)
    assert page.evaluate("window.sameDocument")


@pytest.mark.long
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


@pytest.mark.long
def test_the_box_ranks_names_and_short_names_first_and_says_what_enter_opens(page: Page, server: PageServer) -> None:
    server.do("census", counts=CENSUS | {"apps.example.org": 1, "applications.argoproj.io": 2})
    open_live(page, f"{server.url}/")
    box = page.get_by_role("searchbox", name="Find a kind")
    box.fill("apps")
    expect(page.locator(".kind-line.best")).to_have_attribute("data-kind", "apps.example.org")
    box.fill("app")
    expect(page.locator("#kinds-found")).to_have_text("2 found. Enter opens Applications.")
    box.fill("argo cd")
    expect(page.locator("#kinds-found")).to_have_text("1 found. Enter opens Applications.")
    box.press("Enter")
    expect(page).to_have_url(re.compile("/resources/applications.argoproj.io/$"))


@pytest.mark.long
def test_a_favourite_stays_at_the_top_in_this_browser_and_in_its_group(page: Page, server: PageServer) -> None:
    opened(page, server)
    expect(page.get_by_role("heading", name="Favourites")).to_be_hidden()
    fold(page, "config").locator("summary").click()
    line(page, "secrets").hover()
    page.get_by_role("button", name="Favourite: Secrets").click()
    expect(at_the_top(page, "favourites")).to_contain_text("Secrets")
    expect(line(page, "secrets")).to_be_visible()
    line(page, "pods").hover()
    page.get_by_role("button", name="Favourite: Pods").click()
    page.reload()
    expect(at_the_top(page, "favourites").locator(".kind")).to_have_text(["Secrets", "Pods"])
    at_the_top(page, "favourites").first.hover()
    page.get_by_role("button", name="Favourite: Secrets").click()
    expect(at_the_top(page, "favourites")).to_have_count(2)  # in case of a slip
    page.reload()
    expect(at_the_top(page, "favourites").locator(".kind")).to_have_text(["Pods"])


def test_a_kind_is_made_a_favourite_by_the_keyboard(page: Page, server: PageServer) -> None:
    opened(page, server)
    fold(page, "config").locator("summary").click()
    page.mouse.move(700, 500)
    line(page, "secrets").get_by_role("link").focus()
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="Favourite: Secrets")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    page.keyboard.press("Tab")
    expect(button).to_have_count(0)
    expect(at_the_top(page, "favourites")).to_have_count(1)


def test_where_nothing_hovers_each_line_has_its_star(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    server.do("census", counts=CENSUS)
    page = new_context(has_touch=True, is_mobile=True).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    open_live(page, f"{server.url}/")
    page.get_by_role("button", name="Kinds").click()
    page.get_by_role("button", name="Favourite: Pods").tap()
    expect(at_the_top(page, "favourites")).to_have_text(re.compile("Pods"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.long
def test_recently_opened_kinds_are_at_the_top_the_newest_first(page: Page, server: PageServer) -> None:
    opened(page, server)
    for key in ("secrets", "rollouts.argoproj.io"):
        open_live(page, f"{server.url}/resources/{key}/")
    expect(at_the_top(page, "recent").locator(".kind")).to_have_text(["Rollouts", "Secrets"])
    expect(at_the_top(page, "recent").first.get_by_role("link")).to_have_attribute("aria-current", "page")
    open_live(page, f"{server.url}/resources/pods/")  # it stands open
    expect(at_the_top(page, "recent").locator(".kind")).to_have_text(["Rollouts", "Secrets"])


@pytest.mark.long
def test_the_lines_of_many_folded_kinds_are_fetched_when_a_fold_opens_or_something_is_searched(
    page: Page, server: PageServer
) -> None:
    many = {f"kind{number}s.group{number % 9}.example.com": number for number in range(80)}
    server.do("census", counts=many | CENSUS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "all=1" in request.url else None)
    open_live(page, f"{server.url}/")
    expect(page.locator("#kinds .kind-line")).to_have_count(6)
    fold(page, "group4.example.com").locator("summary").click()
    expect(line(page, "kind4s.group4.example.com")).to_be_visible()
    expect(line(page, "kind4s.group4.example.com").locator(".count")).to_contain_text("4")
    expect(line(page, "kind5s.group5.example.com")).to_be_hidden()
    page.reload()
    expect(line(page, "kind4s.group4.example.com")).to_be_visible()
    expect(line(page, "kind5s.group5.example.com")).to_have_count(0)
    page.get_by_role("searchbox", name="Find a kind").fill("kind5s")
    expect(page.locator(".kind-line:visible")).to_have_count(1)
    expect(line(page, "kind5s.group5.example.com")).to_be_visible()
    assert len(asked) == 2


@pytest.mark.long
def test_without_scripts_a_fold_without_lines_leads_to_the_page_of_all_kinds(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    server.do("census", counts={f"kind{number}s.group{number % 9}.example.com": number for number in range(80)})
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/")
    fold(page, "group4.example.com").locator("summary").click()
    fold(page, "group4.example.com").get_by_role("link", name="Show them").click()
    expect(page).to_have_url(re.compile("/kinds/all/#group4.example.com$"))
    page.get_by_role("main").get_by_role("link", name="Kind4s").click()
    expect(page).to_have_url(re.compile("/resources/kind4s.group4.example.com/$"))


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
