"""Tests of pages of logs on the server: their first lines, and what they say where there are too many logs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from dashboard.pages.logs import log_source_reader
from dashboard.pages.logs.chosen_pods import MAX_PODS
from dashboard.pages.logs.filtered_log_reader import ReadProgress
from dashboard.pages.logs.log_source_reader import MAX_SOURCES
from tests.support.pages.fake_log_streams import FakeLogStreams, LogsSite, logging_pod
from tests.support.pages.small_site import namespace, words

ADDRESS = "/resources/pods/shop/web/logs/"


async def test_a_page_has_the_lines_that_have_come_with_their_marks() -> None:
    html = await LogsSite(namespace("shop"), logging_pod("web")).page(ADDRESS)
    (line,) = re.findall(r'<div class="log-line[^>]*>', html)
    assert 'data-time="2026-11-28T07:00:00.000000001Z"' in line
    assert 'data-namespace="shop" data-pod="web" data-container="main"' in line
    assert "hello from web" in words(html)
    assert "Logs of web in shop" in words(html)
    assert re.search(r"<title[^>]*>Logs of web in shop", html)
    assert '<a href="/resources/pods/?namespace=shop">shop</a>' in html
    assert '<a class="button" href="/why/pods/shop/web/" data-key="w"' in html


@pytest.mark.parametrize(("query", "history"), [("q=hello", "all"), ("q=nowhere", "all"), ("", "")])
async def test_a_page_says_whether_older_lines_match(monkeypatch: pytest.MonkeyPatch, query: str, history: str) -> None:
    monkeypatch.setattr(log_source_reader, "read_history", nothing_before)
    monkeypatch.setattr(log_source_reader.LogSourceReader, "log_clients", lambda self: {1: object()})
    html = await LogsSite(namespace("shop"), logging_pod("web")).page(f"{ADDRESS}?{query}")
    assert f'data-history="{history}"' in html


async def nothing_before(*args: object, **options: object) -> AsyncIterator[list[bytes]]:
    """Stands for `read_history`: of 2,000 older lines none matches."""
    progress = next(each for each in args if isinstance(each, ReadProgress))
    progress.bytes_read, progress.lines_read = progress.bytes_read + 300_000, progress.lines_read + 2000
    yield []


async def test_where_nothing_matches_the_page_says_what_was_read_and_leads_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_source_reader, "read_history", nothing_before)
    monkeypatch.setattr(log_source_reader.LogSourceReader, "log_clients", lambda self: {1: object()})
    site = LogsSite(namespace("shop"), logging_pod("web"))
    html = await site.page(f"{ADDRESS}?q=nowhere&previous=0&container=main")
    assert "No line matches. All that the kubelets keep was read: 2,001 lines, 293.0 KB." in words(html)
    assert f'<a class="button" href="{ADDRESS}?container=main">Clear the filter</a>' in html
    html = await site.page(f"{ADDRESS}?q=nowhere&since=5m")
    assert "All that the kubelets keep of this time was read: 2,000 lines" in words(html)
    assert f'<a class="button" href="{ADDRESS}?q=nowhere">All times</a>' in html


async def test_while_a_log_is_read_the_page_offers_those_without_scripts_to_load_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_source_reader, "read_history", unending)
    monkeypatch.setattr(log_source_reader.LogSourceReader, "log_clients", lambda self: {1: object()})
    site = LogsSite(namespace("shop"), logging_pod("web"))
    html = await site.page(f"{ADDRESS}?q=nowhere")
    assert "Reading: 46 bytes so far, 1 log to go" in words(html)
    reload = '<noscript><a class="button" href="{}">Reload</a></noscript>'
    assert reload.format(f"{ADDRESS}?q=nowhere") in html
    assert reload.format(ADDRESS) not in await site.page(ADDRESS)


async def unending(*_: object, **__: object) -> AsyncIterator[list[bytes]]:
    """Stands for `read_history` of a log that takes long."""
    await asyncio.Event().wait()
    yield []


async def test_where_not_all_could_be_read_the_page_does_not_say_so() -> None:
    html = await LogsSite(namespace("shop"), logging_pod("web")).page(f"{ADDRESS}?q=nowhere")
    assert "No line matches. Not all could be read: 1 line, 46 bytes." in words(html)
    assert "all that the kubelets keep" not in words(html).lower()


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


async def test_a_pod_that_is_named_with_its_namespace_is_read_however_many_namespaces_have_its_name() -> None:
    namespaces = [f"tenant-{number}" for number in range(MAX_PODS + 5)]
    pods = [
        logging_pod(
            "db-0", namespace=each, uid=each, creationTimestamp=f"2026-11-28T07:0{number // 60}:{number % 60:02d}Z"
        )
        for number, each in enumerate(namespaces)
    ]
    site = LogsSite(*map(namespace, namespaces), *pods)
    shown = words(await site.page("/logs/?pod=tenant-0/db-0"))
    assert [each.namespace for each in site.streams.followed] == ["tenant-0"]
    assert "not read" not in shown


async def test_where_the_process_has_no_room_for_one_more_log_the_page_says_which_is_not_read() -> None:
    site = LogsSite(namespace("shop"), logging_pod("web", 3), streams=FakeLogStreams(most=2))
    html = await site.page(ADDRESS)
    assert html.count("hello from web") == 2
    assert html.count("not read: there is no room for one more") == 2  # the chip, and the list of all
    assert "1 of 3 containers cannot be read and is not counted" in words(html)


def lines_from(second: int, count: int) -> list[bytes]:
    moments = range(second, second + count)
    return [b"2026-11-28T07:%02d:%02d.000000001Z line" % divmod(moment, 60) for moment in moments]


@pytest.mark.parametrize(
    ("long", "busy", "since", "shown"),
    [
        ("main-0", 100, "2026-11-28T07:16:40.000000001Z", ["line"] * 20 + ["mark"] + ["line"] * 100),
        ("", 100, "", ["line"] * 120),
        ("main-0", 400, "2026-11-28T07:18:19.000000002Z", ["line"] * 300),  # after the newest line that is not there
    ],
)
async def test_a_page_says_from_when_on_it_has_all_lines(long: str, busy: int, since: str, shown: list[str]) -> None:
    lines = {"main-0": lines_from(1000, busy), "main-1": lines_from(0, 20)}
    site = LogsSite(namespace("shop"), logging_pod("web", 2), streams=FakeLogStreams(lines=lines, long=long))
    html = await site.page(ADDRESS)
    assert f'data-since="{since}"' in html
    assert re.findall(r'<div class="log-(line|mark)', html) == shown
    assert ("Lines may be missing above" in html) == ("mark" in shown)


async def test_the_histogram_says_where_lines_of_containers_are_not_counted() -> None:
    lines = {"main-0": lines_from(1000, 400), "main-1": lines_from(0, 20)}
    site = LogsSite(namespace("shop"), logging_pod("web", 2), streams=FakeLogStreams(lines=lines, long="main-0"))
    html = await site.page(ADDRESS)
    assert "420 lines read so far of 2 containers" in words(html)
    assert 'class="unread" width="70.92%"' in html  # 1,000 of the 1,410 s of its bars
    said = "earlier lines of 1 of 2 containers were not read and are not counted. All are from 2026-11-28T07:16:40.0"
    assert said in words(html)
    assert '<a class="link" href="/resources/pods/shop/web/logs/?since=1h">Read the last hour of all</a>' in html
    listed = re.findall(r"<tr.*?</tr>", html)[1:]
    assert [words(row) for row in listed] == [
        "main-0 live read from 2026-11-28T07:16:40.000000001Z on", "main-1 live all read",
    ]  # fmt: skip


async def test_the_histogram_of_logs_that_were_read_whole_has_no_doubt() -> None:
    lines = {"main-0": lines_from(1000, 400), "main-1": lines_from(0, 20)}
    site = LogsSite(namespace("shop"), logging_pod("web", 2), streams=FakeLogStreams(lines=lines))
    html = await site.page(ADDRESS)
    assert "420 lines of 2 containers" in words(html)
    assert 'class="unread"' not in html
    assert "not counted" not in html


async def test_containers_that_a_page_does_not_name_at_first_are_a_click_away() -> None:
    site = LogsSite(namespace("shop"), logging_pod("web", 12))
    html = await site.page(ADDRESS)
    assert html.count('<li class="chip log-chip') == 8
    assert '<summary class="chip"><span class="wide">+4 more</span><span class="narrow">+9 more</span>' in html
    listed = html.partition('<details id="log-reads-')[2].partition("</details>")[0]
    assert [f"container=main-{number}" in listed for number in range(12)] == [True] * 12


async def test_severities_of_the_legend_filter_and_a_chosen_one_leads_back() -> None:
    lines = {"main": [each + text for each, text in zip(lines_from(0, 2), (b" ERROR no", b" INFO yes"), strict=True)]}
    site = LogsSite(namespace("shop"), logging_pod("web"), streams=FakeLogStreams(lines=lines))
    href = '<a href="/resources/pods/shop/web/logs/?'
    assert f'{href}q=severity%3Dinfo+yes" title' in await site.page(f"{ADDRESS}?q=yes")
    assert f'{href}q=severity%3Derror" title="Show only these lines"' in await site.page(ADDRESS)
    chosen = await site.page(f"{ADDRESS}?q=severity=error")
    assert '<a href="/resources/pods/shop/web/logs/" aria-current="true" title="Show lines of all severities"' in chosen


async def test_a_file_of_logs_without_a_connection_is_refused_and_not_empty() -> None:
    site = LogsSite(namespace("shop"), logging_pod("web"))
    response = await site.client.get(f"{ADDRESS}logs.txt")
    assert response.status_code == 503
    assert response.content.startswith(b"There is no connection to the cluster")
