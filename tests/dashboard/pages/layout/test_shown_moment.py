"""Tests of the time control: the ways from a page to other moments of it."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest

from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.moments import SWEEP_INTERVAL
from dashboard.pages.layout.shown_moment import SPANS
from tests.support.pages.site_with_history import site_with_history
from tests.support.pages.small_site import words as text_of


async def test_in_the_present_moments_before_now_are_offered_with_filter_and_place() -> None:
    async with site_with_history() as past:
        now = past.site.clock.time()
        html = (await past.get("/resources/pods/?q=web&sort=-name")).content.decode()
        for seconds, title in SPANS:
            href = f"/resources/pods/?q=web&sort=-name&at={format_at(int(now - seconds))}"
            assert f'href="{href}">{title} ago'.replace("&", "&amp;") in html
        assert '<input type="hidden" name="q" value="web">' in html
        assert "past-bar" not in html


async def test_in_the_past_there_is_a_way_back_with_filter_and_place() -> None:
    async with site_with_history() as past:
        at = format_at(past.site.clock.time() - 90)
        html = (await past.get(f"/resources/pods/?q=web&at={at}")).content.decode()
        assert '<a class="button primary" href="/resources/pods/?q=web" data-now>Back to now' in html
        assert f'<time datetime="{at}">' in html
        assert "1 min 30 s</span> before now" in html
        steps = re.findall(r'rel="(prev|next)" href="([^"]*)"', html)
        assert [(rel, unquote(unescape(href))) for rel, href in steps] == [
            (rel, f"/moment/step/?from=/resources/pods/?q=web&at={at}&at={at}&to={to}")
            for rel, to in (("prev", "previous"), ("next", "next"))
        ]


async def test_a_page_of_the_present_only_leads_to_the_overview_of_a_moment() -> None:
    async with site_with_history() as past:
        html = (await past.get("/whoami/?namespace=shop")).content.decode()
        control = html[html.index("data-time-control") - 80 :][:2000]
        assert 'action="/"' in control
        assert 'name="namespace"' not in control


@pytest.mark.parametrize(
    ("age", "offered", "words"),
    [
        (4000.0, ["5 min ago", "15 min ago", "1 h ago"], "History reaches back to 2027-01-15"),
        (100.0, [], "History reaches back to 2027-01-15"),
        (None, [], ""),
    ],
)
async def test_moments_that_history_does_not_reach_back_to_are_not_offered(
    age: float | None, offered: list[str], words: str
) -> None:
    async with site_with_history() as past:
        assert past.moments is not None
        past.history.oldest = None if age is None else past.site.clock.time() - age
        await past.site.clock.advance(SWEEP_INTERVAL)
        html = (await past.get("/resources/pods/")).content.decode()
        control = html[html.index("data-time-control") :]
        control = control[: control.index("</details>")]
        assert re.findall(r">([^<>]* ago)</a>", control) == offered
        assert words in text_of(control)
        assert ("History reaches back" in control) == bool(words)


async def test_all_moments_are_offered_while_it_is_not_known_how_far_history_reaches() -> None:
    async with site_with_history() as past:
        past.history.problem = "disk is on fire"
        await past.site.clock.advance(SWEEP_INTERVAL)
        html = (await past.get("/resources/pods/")).content.decode()
        assert all(f">{title} ago<" in html for _, title in SPANS)
        assert "History reaches back" not in html
