"""Tests of the time control: the ways from a page to other moments of it."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

from dashboard.live.moments.at_parameter import format_at
from dashboard.pages.layout.shown_moment import SPANS
from tests.support.pages.site_with_history import site_with_history


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
