"""Tests of pages of logs on the server: their first lines, and what they say where there are too many logs."""

from __future__ import annotations

import re

from dashboard.pages.logs.chosen_pods import MAX_PODS
from dashboard.pages.logs.log_source_reader import MAX_SOURCES
from tests.support.pages.fake_log_streams import FakeLogStreams, LogsSite, logging_pod
from tests.support.pages.small_site import namespace, words

ADDRESS = "/resources/pods/shop/web/logs/"


async def test_a_page_has_the_lines_that_have_come_with_their_marks() -> None:
    html = await LogsSite(namespace("shop"), logging_pod("web")).page(ADDRESS)
    (line,) = re.findall(r'<div class="log-line[^>]*>', html)
    assert 'data-time="2026-11-28T07:00:00.000000001Z"' in line
    assert 'data-pod="web" data-container="main"' in line
    assert "hello from web" in words(html)


async def test_of_more_containers_than_a_page_reads_the_rest_is_counted() -> None:
    site = LogsSite(namespace("shop"), logging_pod("web", MAX_SOURCES + 10))
    shown = words(await site.page(ADDRESS))
    assert len(site.streams.followed) == MAX_SOURCES
    assert f"of {MAX_SOURCES} containers; 10 more are not read" in shown


async def test_a_pod_that_is_named_is_read_however_many_newer_ones_there_are() -> None:
    pods = [
        logging_pod(f"web-{number}", creationTimestamp=f"2026-11-28T07:{number // 60:02d}:{number % 60:02d}Z")
        for number in range(MAX_PODS + 20)
    ]
    site = LogsSite(namespace("shop"), *pods)
    shown = words(await site.page("/logs/?namespace=shop&pod=web-0,web-3,web*"))
    assert sorted(each.pod for each in site.streams.followed) == ["web-0", "web-3"]
    assert "of 2 containers" in shown
    assert "not read" not in shown


async def test_where_the_process_has_no_room_for_one_more_log_the_page_says_which_is_not_read() -> None:
    site = LogsSite(namespace("shop"), logging_pod("web", 3), streams=FakeLogStreams(most=2))
    html = await site.page(ADDRESS)
    assert html.count("hello from web") == 2
    assert html.count("not read: there is no room for one more") == 1
