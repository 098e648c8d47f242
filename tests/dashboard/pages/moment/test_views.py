"""Tests of steps from a moment to the next change of what a page shows, by the rights of whoever asks."""

from __future__ import annotations

from html import escape
from urllib.parse import unquote, urlencode

import pytest

from dashboard.access.rights import RIGHTS, Rights, Rule
from dashboard.live.history.version import ObjectName, Operation, Version
from dashboard.live.moments.at_parameter import format_at
from tests.support.pages.site_with_history import SiteWithHistory, site_with_history

CHANGES = (
    ("pods", "shop", "web", -50), ("pods", "pay", "api", -40), ("deployments.apps", "shop", "web", -30),
    ("pods", "shop", "db", -20), ("events", "shop", "web.1", -10),
)  # fmt: skip
"""Kind, namespace, name, and seconds before now, of all changes."""
NO_CHANGE = "stays"


def fill(past: SiteWithHistory) -> None:
    now = past.site.clock.time()
    past.history.versions = [
        Version(ObjectName(kind, namespace, name, name), round((now + at) * 1e6), Operation.MODIFIED, "1", "")
        for kind, namespace, name, at in CHANGES
    ]


async def step(past: SiteWithHistory, shown: str, at: int, to: str = "next") -> str:
    """Where a step leads: the address and the seconds before now; what the page says where it leads nowhere."""
    now = past.site.clock.time()
    query = urlencode({"from": shown, "at": format_at(now + at), "to": to})
    response = await past.get(f"/moment/step/?{query}")
    if response.status_code == 302:
        address, _, moment = unquote(response["Location"]).rpartition("at=")
        if moment == f"{format_at(now + at)}&step={to}":
            return f"{address[:-1]} {NO_CHANGE}"
        seconds = next(each for *_, each in CHANGES if format_at(now + each) == moment)
        return f"{address[:-1]} {seconds}"
    html = response.content.decode()
    return next(text for text in ("There is no such page", "History cannot be read") if text in html)


@pytest.mark.parametrize(
    ("shown", "at", "to", "found"),
    [
        ("/", -60, "next", "/ -50"),
        ("/", -15, "next", f"/ {NO_CHANGE}"),
        ("/resources/pods/?q=web&step=previous&searched=x", -15, "next", f"/resources/pods/?q=web {NO_CHANGE}"),
        ("/", -55, "previous", f"/ {NO_CHANGE}"),
        ("/", -30, "previous", "/ -40"),
        ("/resources/pods/?q=a%3Db&at=2026-01-01T00:00:00Z", -45, "next", "/resources/pods/?q=a=b -40"),
        ("/resources/pods/?namespace=shop", -45, "next", "/resources/pods/?namespace=shop -20"),
        ("/resources/deployments.apps/shop/web/", -60, "next", "/resources/deployments.apps/shop/web/ -30"),
        ("/why/pods/pay/api/", -60, "next", "/why/pods/pay/api/ -40"),
        ("/resources/events/", -60, "next", "/resources/events/ -10"),
        ("/drafts/", -60, "next", "There is no such page"),
        ("/moment/step/", -60, "next", "There is no such page"),
        ("//evil.example/", -60, "next", "/ -50"),
    ],
)  # fmt: skip
async def test_a_step_leads_to_the_next_change_of_what_is_shown(shown: str, at: int, to: str, found: str) -> None:
    async with site_with_history() as past:
        fill(past)
        assert await step(past, shown, at, to) == found


async def test_without_rights_no_step_tells_of_a_change() -> None:
    async with site_with_history() as past:
        fill(past)
        past.state = past.state.with_objects({RIGHTS: Rights(())})
        for shown in ("/", "/resources/pods/", "/resources/pods/shop/web/", "/resources/events/"):
            assert await step(past, shown, -60) == f"{shown} {NO_CHANGE}"


async def test_changes_of_events_are_told_to_those_who_see_all_that_events_are_about() -> None:
    rule = Rule(frozenset({"list"}), frozenset({""}), frozenset({"events", "pods"}))
    async with site_with_history() as past:
        fill(past)
        past.state = past.state.with_objects({RIGHTS: Rights([rule])})
        assert await step(past, "/resources/pods/", -60) == "/resources/pods/ -50"
        assert await step(past, "/resources/events/", -60) == f"/resources/events/ {NO_CHANGE}"


@pytest.mark.parametrize(
    ("to", "words", "link"),
    [("next", "No later change", 'rel="next" autofocus'), ("previous", "No earlier change", 'rel="prev" autofocus')],
)
async def test_a_step_without_a_change_stays_on_its_page_whose_bar_says_so(to: str, words: str, link: str) -> None:
    async with site_with_history() as past:
        at = format_at(past.site.clock.time() - 5)
        shown = f"/resources/pods/?q=web&at={at}"
        response = await past.get(f"/moment/step/?{urlencode({'from': shown, 'at': at, 'to': to})}")
        assert (response.status_code, response["Location"]) == (302, f"{shown}&step={to}")
        page = await past.get(response["Location"])
        bar = page.content.decode().partition('class="past-bar"')[2].partition("</section>")[0]
        assert page.status_code == 200
        assert f"{words} of what this page shows." in bar
        assert link in bar
        assert bar.count("autofocus") == 1
        assert "step%3D" not in bar


async def test_history_that_cannot_be_read_is_told() -> None:
    async with site_with_history() as past:
        past.history.problem = "disk is on fire"
        assert await step(past, "/", -60) == "History cannot be read"


async def test_a_search_that_did_not_come_to_its_end_says_how_far_it_came_and_goes_on() -> None:
    async with site_with_history() as past:
        now = past.site.clock.time()
        past.history.searched_until = now - 30
        at, until = format_at(now - 60), format_at(now - 30)
        response = await past.get(f"/moment/step/?{urlencode({'from': '/', 'at': at, 'to': 'next'})}")
        assert response["Location"] == f"/?at={at}&step=next&searched={until}"
        html = (await past.get(response["Location"])).content.decode()
        assert "No later change of what this page shows as far as" in html
        assert f'<time datetime="{until}">' in html
        assert escape(urlencode({"from": f"/?at={at}", "at": until, "to": "next"})) in html
        assert escape(urlencode({"from": f"/?at={at}", "at": at, "to": "previous"})) in html


async def test_what_is_no_outcome_of_a_step_is_not_said() -> None:
    async with site_with_history() as past:
        at = format_at(past.site.clock.time() - 60)
        for outcome in ("step=sideways", "step=next&searched=<b>", "searched=2026-01-01T00:00:00Z"):
            html = (await past.get(f"/?at={at}&{outcome}")).content.decode()
            assert "change of what this page shows" not in html
