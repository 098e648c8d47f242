"""Tests of every page's small scripts in Chromium, on sample pages without server, cluster or socket."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from types import SimpleNamespace as Made
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.pages.feed.live_feed import LiveFeed
from dashboard.server.static_urls import versioned_storage
from tests.support.browser.chromium import wait_until
from tests.support.controllers import report_samples as reports
from tests.support.pages import template_view_samples as samples
from tests.support.program import ROOT

pytestmark = pytest.mark.browser

HOST = "http://deltaboard.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
RULES = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
POLICY = "; ".join(f"{name} {' '.join(sources)}" for name, sources in RULES.items())
Show = Callable[..., Page]


def serve(context: BrowserContext, pages: dict[str, str], asked: list[str]) -> None:
    """Answers for a server: static files, and `pages` by path, with the program's own policy."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(HOST)
        asked.append(path)
        name = path.removeprefix(static("")).partition("?")[0]
        content = versioned_storage().contents.get(name)
        if path.startswith(static("")) and content is not None:
            route.fulfill(body=content, content_type=TYPES[PurePath(name).suffix])
        else:
            html = pages.get(path.partition("?")[0], "<title>elsewhere</title>")
            route.fulfill(body=html, content_type="text/html", headers={"content-security-policy": POLICY})

    context.route(f"{HOST}/**", answer)


@pytest.fixture
def asked() -> list[str]:
    """Paths that the page asked for."""
    return []


@pytest.fixture
def show(new_context: Callable[..., BrowserContext], asked: list[str]) -> Show:
    """Opens a page rendered from a template and a view, in a window of its own."""

    def open_page(template: str, view: Any, *, path: str = "/resources/pods/", **options: Any) -> Page:
        context = new_context(**{"base_url": HOST, **options})
        shown = {
            "view": view,
            "page": samples.page_info("pods", socket=""),
            "command": samples.KUBECTL_COMMAND,
            "follow": samples.FOLLOW,
        }
        serve(context, {path: render_to_string(template, shown)}, asked)
        page = context.new_page()
        page.goto(path)
        return page

    return open_page


@pytest.fixture
def pods(show: Show) -> Page:
    """The list of pods."""
    return show("lists/list.html", samples.list_view(9))


def tell(page: Page, name: str, detail: dict[str, Any]) -> None:
    """What live/main.js would tell the other scripts."""
    page.evaluate(
        "([name, detail]) => document.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(detail) }))",
        [f"deltaboard:{name}", json.dumps(detail)],
    )


def cursor(page: Page) -> str | None:
    name: str | None = page.evaluate("document.querySelector('tr[data-ui-cursor]')?.dataset.name")
    return name


AGES = [
    (4.5, r"[4-9]s|\d\ds"),
    (119, r"119s|2m(\d+s)?"),
    (190, r"3m[1-5]\ds"),
    (600, "10m"),
    (38 * 60 + 30, "38m"),
    (3 * 3600 + 60, "3h1m"),
    (9 * 3600, "9h"),
    (47.5 * 3600, "47h"),
    (2 * 86400 + 7200, "2d2h"),
    (12 * 86400, "12d"),
    (3 * 365 * 86400, "3y"),
    (-30, "0s"),
    (-(3 * 86400 + 5400), "in 3d1h"),
]


def test_ages_read_as_kubectl_prints_them(show: Show) -> None:
    lines = samples.list_view(len(AGES)).lines
    moments = [rfc3339(time.time() - seconds) for seconds, _ in AGES]
    page = show("lists/list.html", samples.list_view(len(AGES), lines=tuple(map(samples.with_age, lines, moments))))
    expect(page.locator("td.c-age time")).to_have_text([re.compile(f"^({words})$") for _, words in AGES])


def test_a_time_of_another_day_has_the_day_and_is_utc_where_the_page_is(show: Show) -> None:
    page = show("lists/list.html", samples.list_view(1), timezone_id="Asia/Tokyo")
    page.clock.set_fixed_time("2026-11-28T16:00:00Z")  # the 29th in Tokyo
    page.evaluate(TIMES_OF_DAY)
    expect(page.locator("#times time")).to_have_text(["11-28 23:59:59", "00:00:00", "14:59:59", "00:00:00.000"])


TIMES_OF_DAY = """() => {
  const times = document.createElement("p");
  times.id = "times";
  const [before, midnight] = ["14:59:59", "15:00:00"];
  const cases = [[before, "seconds"], [midnight, "seconds"], [before, "seconds", true], [midnight, ""]];
  for (const [moment, clock, utc] of cases) {
    const time = document.createElement("time");
    time.dataset.clock = clock;
    time.toggleAttribute("data-ui-utc", Boolean(utc));
    time.dateTime = `2026-11-28T${moment}Z`;
    times.append(time);
  }
  document.querySelector("main").append(times);
  document.dispatchEvent(new CustomEvent("deltaboard:times"));
}"""
UNTIL = [(95.5, r"in [5-9]\ds"), (400, r"in 6m\d+s"), (-5, "now")]


def test_a_moment_to_come_is_counted_down_to(show: Show) -> None:
    now = time.time()
    failed = tuple(reports.failed(f"default/{number}", retry_at=now + UNTIL[number][0]) for number in range(len(UNTIL)))
    page = show("controllers/page.html", reports.view_of(reports.report(reports.controller(failed=failed))))
    expect(page.locator("[data-age=until]")).to_have_text([re.compile(f"^{words}$") for _, words in UNTIL])


@pytest.mark.long
def test_a_count_down_goes_on_by_itself_and_ends_with_now(show: Show) -> None:
    failed = reports.failed(retry_at=time.time() + 2)
    page = show("controllers/page.html", reports.view_of(reports.report(reports.controller(failed=(failed,)))))
    expect(page.locator("[data-age=until]")).to_have_text("now")


def test_an_age_counts_on_the_clusters_clock_and_grows_by_itself(show: Show) -> None:
    line = samples.with_age(samples.list_view(1).lines[0], rfc3339(time.time() - 5))
    page = show("lists/list.html", samples.list_view(1, lines=(line,)))
    age = page.locator("td.c-age time")
    tell(page, "beat", {"now": 0, "offset": 10 * 86400})
    expect(age).to_have_text("10d")
    tell(page, "beat", {"now": 0, "offset": 0})
    first = age.inner_text()
    expect(age).not_to_have_text(first)


@pytest.mark.long
def test_the_header_tells_how_long_ago_server_and_cluster_were_heard(pods: Page) -> None:
    expect(pods.locator("header [data-age=cluster]")).to_have_text("not yet")
    tell(pods, "beat", {"now": 1000, "heard": 998.8, "offset": 0, "why": {"last_event": 700, "reconnects": 2}})
    expect(pods.locator("header [data-age=cluster]")).to_have_text(re.compile(r"^([1-9]|\d\d) s ago$"))
    pods.locator(".fresh").click()
    expect(pods.locator("[data-why=last_event]")).to_have_text("5 min ago")
    expect(pods.locator("[data-why=reconnects]")).to_have_text("2")
    expect(pods.locator("header [data-age=browser]")).to_have_text(re.compile(r"^([2-9]|\d\d) s ago$"))
    expect(pods.locator("header [data-age=cluster]")).to_have_text(re.compile(r"^([3-9]|\d\d) s ago$"))


def test_word_title_and_icon_say_that_a_page_is_stale(pods: Page) -> None:
    expect(pods).to_have_title("Pods · staging · Deltaboard")
    for state in ("stale", "live"):
        pods.evaluate(f"document.body.dataset.live = '{state}'")
        tell(pods, "state", {"state": state, "words": ""})
        expect(pods.locator("[data-live-word]")).to_have_text(state)
        expect(pods.locator("#favicon")).to_have_attribute("href", re.compile("^data:image/svg"))
        assert pods.title().startswith("(stale)") == (state == "stale")


def test_a_cluster_that_is_chosen_later_is_named_everywhere(show: Show) -> None:
    page = show("overview/overview.html", samples.overview_view())
    expect(page).to_have_title("Pods · staging · Deltaboard")
    why = "KUBECONFIG=/tmp/k, current context prod"
    cluster = {"name": "prod", "version": "", "server": "https://p:6443", "why": why, "user": "", "colour": "red"}
    tell(page, "beat", {"now": time.time(), "cluster": cluster})
    expect(page).to_have_title("Pods · prod · Deltaboard")
    expect(page.locator("h1")).to_have_text("prod")
    expect(page.locator("html")).to_have_attribute("data-colour", "red")
    expect(page.locator(".overview > .head .total")).to_be_hidden()
    page.locator(".cluster > summary").click()
    for text in ("prod", "https://p:6443", why):
        expect(page.locator(".cluster dl")).to_contain_text(text)
    expect(page.locator(".cluster dt", has_text="Version")).to_be_hidden()


def test_j_k_and_enter_walk_the_rows_and_open_one(pods: Page) -> None:
    for key, name in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        pods.keyboard.press(key)
        assert cursor(pods) == samples.PODS[name][1]
    pods.keyboard.press("Enter")
    expect(pods).to_have_url(f"{HOST}/resources/pods/?open=payments/{samples.PODS[1][1]}")


def test_f_and_slash_lead_to_the_filter_and_escape_out_of_it(pods: Page) -> None:
    for key in ("f", "/"):
        pods.keyboard.press(key)
        expect(pods.locator("#q")).to_be_focused()
        pods.keyboard.press("Escape")
        expect(pods.locator("#q")).not_to_be_focused()


def test_keys_do_nothing_while_somebody_types(pods: Page, asked: list[str]) -> None:
    pods.locator("#q").click()
    pods.keyboard.type("gjy?")
    expect(pods.locator("#q")).to_have_value("gjy?")
    assert cursor(pods) is None
    expect(pods.locator("#keys").first).not_to_be_visible()  # the answer to what was typed is a whole page here


def test_g_and_a_letter_go_places(pods: Page) -> None:
    pods.keyboard.press("g")
    pods.keyboard.press("f")
    expect(pods).to_have_url(f"{HOST}/feed/")


def test_e_leaves_alone_what_cannot_be_edited(show: Show) -> None:
    kind = samples.list_view(9).kind
    read_only = replace(
        kind, resource=msgspec.structs.replace(kind.resource, verbs=frozenset({"get", "list", "watch"}))
    )
    pods = show("lists/list.html", samples.list_view(9, kind=read_only))
    pods.keyboard.press("j")
    expect(pods.locator("#key-hint")).to_be_hidden()
    pods.keyboard.press("e")
    expect(pods.locator("#key-hint")).to_have_text("Pods cannot be edited here.")
    assert pods.url == f"{HOST}/resources/pods/"
    pods.keyboard.press("y")
    expect(pods).to_have_url(f"{HOST}/resources/pods/payments/{samples.PODS[0][1]}/yaml/")


def test_keys_can_be_switched_off_for_good(pods: Page) -> None:
    pods.keyboard.press("?")
    expect(pods.locator("#keys")).to_be_visible()
    pods.locator("#keys-on").uncheck()
    pods.keyboard.press("Escape")
    pods.reload()
    pods.keyboard.press("j")
    pods.keyboard.press("?")
    assert cursor(pods) is None
    expect(pods.locator("#keys")).not_to_be_visible()
    pods.locator("[data-keys-help]").click()
    expect(pods.locator("#keys-on")).not_to_be_checked()


def test_the_theme_is_kept_in_a_cookie_without_a_new_page(pods: Page, asked: list[str]) -> None:
    pods.locator(".theme summary").click()
    pods.locator(".theme button[value=dark]").click()
    expect(pods.locator("html")).to_have_attribute("data-theme", "dark")
    assert {"theme": "dark"}.items() <= {c["name"]: c["value"] for c in pods.context.cookies()}.items()
    assert "/theme/" not in asked
    expect(pods.locator(".theme form")).not_to_be_visible()


def test_popovers_close_by_escape_and_by_a_click_beside_them(pods: Page) -> None:
    body = pods.locator(".cluster .pop-body")
    pods.locator(".cluster summary").click()
    expect(body).to_be_visible()
    pods.keyboard.press("Escape")
    expect(body).not_to_be_visible()
    pods.locator(".cluster summary").click()
    pods.locator(".pager").click()
    expect(body).not_to_be_visible()


def test_typing_asks_for_the_list_and_leaves_empty_fields_out_of_the_address(pods: Page, asked: list[str]) -> None:
    pods.locator("#q").fill("web")
    expect(pods).to_have_url(f"{HOST}/resources/pods/?q=web")
    pods.locator("#q").fill("")
    expect(pods).to_have_url(f"{HOST}/resources/pods/")
    assert pods.evaluate("history.length") == 2, "typing replaces the address"


def test_the_chart_is_drawn_and_drawn_again_in_the_other_themes_colours(show: Show) -> None:
    page = show("overview/overview.html", samples.overview_view(), path="/", color_scheme="light")
    expect(page.locator("#chart canvas")).to_have_count(1)
    light = page.evaluate("document.querySelector('#chart canvas').toDataURL()")
    page.locator(".theme summary").click()
    page.locator(".theme button[value=dark]").click()
    wait_until(page, "before => document.querySelector('#chart canvas').toDataURL() !== before", light)
    expect(page.locator("#chart")).to_have_attribute("aria-label", re.compile("modified"))


def test_a_quiet_chart_says_so_until_something_happens(show: Show) -> None:
    quiet = {"start": 0, "step": 5, "added": [0] * 180, "modified": [0] * 180, "deleted": [0] * 180}
    page = show("overview/overview.html", samples.overview_view(rates=quiet), path="/")
    expect(page.locator("#chart[data-quiet]")).to_have_count(1)
    tell(page, "rates", quiet | {"added": [1] * 180})
    expect(page.locator("#chart[data-quiet]")).to_have_count(0)


def test_the_kinds_are_a_menu_on_a_phone(show: Show) -> None:
    page = show("lists/list.html", samples.list_view(3))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#side")).not_to_be_visible()
    page.locator("button.menu").click()
    expect(page.locator("#side a[aria-current=page]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#side")).not_to_be_visible()


VIEWS: dict[str, tuple[str, Made | LiveFeed]] = {
    "list": ("lists/list.html", samples.list_view(9)),
    "empty": ("lists/list.html", samples.list_view(0)),
    "detail": ("details/detail.html", samples.detail_view()),
    "feed": ("feed/feed.html", samples.feed_view()),
    "overview": ("overview/overview.html", samples.overview_view()),
}


@pytest.mark.long
@pytest.mark.parametrize("name", VIEWS)
def test_nothing_is_wider_than_any_screen_whatever_the_names(show: Show, name: str) -> None:
    page = show(VIEWS[name][0], VIEWS[name][1])
    for width in (320, 390, 641, 768, 901, 1024, 1280, 1440, 1920, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{over} px at {width}"
        wait_until(page, f"!{CUT_OFF}")  # the mark that a card scrolls follows the width


CUT_OFF = """[...document.querySelectorAll('.table-card:not([data-ui-scroll])')]
  .some((card) => card.querySelector('table').offsetWidth > card.clientWidth + 1)"""


@pytest.mark.parametrize("swap", ["innerHTML", "outerHTML", "outerMorph"])
def test_a_swap_makes_no_attribute_of_what_scripts_have_set_as_style(pods: Page, swap: str) -> None:
    """With a delay to settle in, htmx gives new elements the style attribute of those they replace, by their id; the
    policy refuses that, and `new_context` finds its report. base.html's htmx-config has no such delay.
    """
    pods.evaluate(
        """async (swap) => {
          const text = await (await fetch(location.href)).text();
          for (const each of document.querySelectorAll("#main [id]")) each.style.maxHeight = "5000px";
          await htmx.swap({ text, select: "#list", target: document.getElementById("list"), swap });
        }""",
        swap,
    )
    assert pods.locator("#list [id]").count() > 9
    assert not pods.locator("#list [id][style]").count()


BREAKS = "window.ResizeObserver = class { constructor() { throw new Error('broken'); } };"
"""For two of a list's six scripts."""


@pytest.mark.parametrize("debug", [False, True], ids=["bundles", "sources"])
def test_a_script_that_fails_while_it_starts_leaves_those_that_come_with_it_alone(
    chromium: Browser, asked: list[str], debug: bool
) -> None:
    with override_settings(WHITENOISE_AUTOREFRESH=debug):
        shown = {
            "view": samples.list_view(9),
            "page": samples.page_info("pods"),
            "command": samples.KUBECTL_COMMAND,
            "follow": samples.FOLLOW,
        }
        html = render_to_string("lists/list.html", shown)
        context = chromium.new_context(base_url=HOST)
        serve(context, {"/resources/pods/": html}, asked)
        context.add_init_script(BREAKS)
        page = context.new_page()
        told: list[str] = []
        page.on("pageerror", lambda error: told.append(error.message))
        page.goto("/resources/pods/")
        page.locator(".c-select input").nth(1).check()
        expect(page.locator("#selection")).to_contain_text("1 selected")  # the last of them
        assert told == ["broken", "broken"]
        assert any("/list/filter.js" in path for path in asked) == debug
        context.close()


def test_the_bundled_styles_are_the_rules_of_their_sources_in_their_order(chromium: Browser) -> None:
    """But for the space after a comma, which a browser gives back as it stands where a value has variables."""
    rules = "[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join()"
    for name in ("page_bundle.css", "writes_bundle.css"):
        found: list[str] = []
        parts = re.findall(r'@import "./([^"]+)"', (ROOT / "static/css" / name).read_text())
        for files in ([f"bundles/{name}"], [f"css/{part}" for part in parts]):
            page = chromium.new_page()
            for file in files:
                page.add_style_tag(content=(ROOT / "static" / file).read_text())
            found.append(page.evaluate(rules).replace(", ", ","))
            page.close()
        assert len(found[0]) > 10_000
        assert found[0] == found[1]


def test_the_status_line_has_times_and_no_ages_because_it_is_read_later(show: Show) -> None:
    view = samples.detail_view(exists=True, created_at=rfc3339(samples.NOW - 7200))
    page = show("details/detail.html", view, path="/resources/pods/shop/web/")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: (text) => { window.copied = text; }}})"
    )
    page.locator("[data-copy-status]").click()
    text = page.wait_for_function("window.copied").json_value()
    began = utc_text(samples.NOW - 3600)
    assert f"CrashLoopBackOff on node-031 since {began}, restarted 1,206 times, last exit 137 OOMKilled, " in text
    assert f" · created {utc_text(samples.NOW - 7200)} · " in text
    assert not re.search(r"\bago\b|\bage\b", text)
