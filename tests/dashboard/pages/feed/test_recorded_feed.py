"""Tests of a feed that reaches back into history: lines, counts and gaps, joined with what is in memory."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import msgspec
import pytest
from django.http import QueryDict

from dashboard.access.rights import Rights, Rule
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Operation, Version
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import find_builtin_kind
from dashboard.pages.feed import recorded_reading
from dashboard.pages.feed.live_feed import open_feed, wait_for_feed
from dashboard.pages.feed.query import FeedQuery
from tests.support.live.history import START, Log, history_database
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.recorded_site import RecordedSite
from tests.support.pages.small_site import page, words

HOUR = 3_600_000_000


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    """A history that begins two days before the process that shows it."""
    with history_database(request.param, tmp_path) as parts:
        log = Log(parts, now=START - 48 * HOUR)
        log.since = log.now  # type: ignore[attr-defined]
        yield log
        log.close()


@pytest.fixture
def site(log: Log) -> RecordedSite:
    return RecordedSite(log)


def pod(name: str, version: int, phase: str = "Running", namespace: str = "shop") -> Json:
    meta = {"resourceVersion": str(version), "uid": f"uid-{name}", "labels": {"version": str(version)}}
    return made(
        "Pod", name, namespace=namespace, metadata=meta,
        spec={"containers": [{"name": "c", "image": "i"}]}, status={"phase": phase},
    )  # fmt: skip


def lines(html: str) -> list[str]:
    """The texts of the feed's lines and gaps, newest first."""
    feed = html[html.index('<ol class="feed"') :]
    found = re.findall(r"<li[ >].*?</li>", feed[: feed.index("</ol>")], re.DOTALL)
    return [words(each) for each in found]


def sums(html: str) -> list[int]:
    found = re.search(r'<p class="sums".*?</p>', html, re.DOTALL)
    assert found is not None
    return [int(number.replace(",", "")) for number in re.findall(r"<b>([\d,]+)</b>", found.group())]


async def test_after_a_restart_the_feed_has_what_was_recorded(site: RecordedSite) -> None:
    site.record(Operation.ADDED, pod("web-1", 1, "Pending"), "pods")
    site.record(Operation.MODIFIED, pod("web-1", 2), "pods")
    site.record(Operation.DELETED, pod("web-1", 3), "pods")
    gap, newest, changed, oldest = lines(await page(site.site, "/feed/?kind=pods"))
    assert "missing" in gap, "nothing was recorded since"
    assert "deleted" in newest
    assert newest.startswith("01-13 08:00:00."), "of another day"
    assert "Pending → Running" in changed
    assert "added" in oldest


async def test_a_gap_is_drawn_between_the_lines_and_in_the_histogram(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now += 20 * HOUR
    log.since = log.now  # type: ignore[attr-defined]
    site.record(Operation.DIFFERS, pod("web-1", 2), "pods")
    log.now = START
    log.tick("pods")
    html = await page(site.site, "/feed/?last=7d&kind=pods")
    changed, gap, added = lines(html)
    assert "modified" in changed
    assert "Changes may be missing from 2027-01-13 08:00:00 UTC to 2027-01-14 04:00:00 UTC" in gap
    assert "no worker ran" in gap
    assert "added" in added
    assert "<title>Changes may be missing</title>" in html
    assert "Changes may be missing from" in words(html[html.index('class="untold"') :])
    assert sums(html) == [1, 1, 0]


async def test_longer_ranges_are_offered_as_far_as_history_reaches(site: RecordedSite) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    html = await page(site.site, "/feed/")
    for last in ("6h", "1d", "7d"):
        assert f'href="/feed/?last={last}"' in html
    assert 'href="/feed/?last=30d"' not in html, "history reaches two days back"
    assert 'href="/feed/?from=2027-01-13T08:00:00Z"' in html
    everything = await page(site.site, "/feed/?from=2027-01-13T08:00:00Z")
    assert sums(everything) == [1, 0, 0]
    assert "Every change is known from 2027-01-13 08:00:00 UTC on" in words(everything)


async def test_a_span_of_the_past_is_counted_and_listed_exactly(site: RecordedSite, log: Log) -> None:
    for number in range(1, 8):
        site.record(Operation.MODIFIED if number > 1 else Operation.ADDED, pod("web-1", number), "pods")
        log.now += 90_000_000
    html = await page(site.site, "/feed/?folds=off&from=2027-01-13T08:01:00Z&to=2027-01-13T08:06:30Z")
    assert sums(html) == [0, 4, 0]
    assert len(lines(html)) == 4
    assert "4 changes" in words(html)


async def test_what_both_memory_and_history_have_is_listed_once(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now = START + 6_000_000
    site.record(Operation.MODIFIED, pod("web-1", 2), "pods")
    site.record(Operation.MODIFIED, pod("web-1", 3), "pods")
    site.record(Operation.DELETED, pod("web-1", 4), "pods")
    site.site.clock.skip(1)
    for version in (2, 3):
        row = row_of("pods", pod("web-1", version))
        site.site.feeder("pods").put(row)
    site.site.feeder("pods").drop("uid-web-1")
    site.site.clock.skip(1)
    found = [line for line in lines(await page(site.site, "/feed/?folds=off&last=7d")) if "missing" not in line]
    assert len(found) == 4
    assert ["deleted" in line for line in found] == [True, False, False, False]


async def test_counts_answer_filters_by_kind_namespace_and_operation_and_say_where_they_cannot(
    site: RecordedSite,
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    site.record(Operation.MODIFIED, pod("web-1", 2), "pods")
    site.record(Operation.ADDED, pod("db-1", 3, namespace="data"), "pods")
    assert sums(await page(site.site, "/feed/?last=7d&namespace=shop")) == [1, 1, 0]
    assert sums(await page(site.site, "/feed/?last=7d&q=op%3Dadded")) == [2, 0, 0]
    assert sums(await page(site.site, "/feed/?last=7d&q=-op%3Dadded+kind%3Dpods")) == [0, 1, 0]
    html = await page(site.site, "/feed/?last=7d&q=db")
    assert sums(html) == [1, 0, 0]
    assert "the histogram has the lines that were read from history" in words(html)
    assert [line for line in lines(html) if "db-1" in line]


async def test_a_long_search_says_how_far_it_came_and_goes_on_from_there(
    site: RecordedSite, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_reading, "SHORT_SEARCH", 3)
    site.record(Operation.ADDED, pod("db-1", 1), "pods")
    log.now = START - 30_000_000
    for number in range(5):
        site.record(Operation.ADDED, pod(f"web-{number}", 2 + number), "pods")
    html = await page(site.site, "/feed/?q=db")
    assert not [line for line in lines(html) if "db-1" in line]
    assert "Searched back to 2027-01-15 07:59:31 UTC , 5 changes." in words(html)
    (earlier,) = re.findall(r'<a class="button" href="([^"]*)">Earlier changes', html)
    assert "db-1" in lines(await page(site.site, earlier.replace("&amp;", "&")))[0]


async def test_the_lines_before_a_full_page_are_one_link_away(site: RecordedSite, log: Log) -> None:
    for number in range(1, 261):
        site.record(Operation.ADDED, pod(f"web-{number}", number), "pods")
        log.now += 3_000_000
    seen: list[str] = []
    address = "/feed/?folds=off&namespace=shop"
    while address:
        html = await page(site.site, address)
        seen += re.findall(r"web-\d+", " ".join(lines(html)))
        link = re.search(r'<a class="button" href="([^"]*)">(?:Earlier changes|Older)', html)
        address = link.group(1).replace("&amp;", "&") if link else ""
    assert [*dict.fromkeys(seen)] == [f"web-{number}" for number in range(260, 0, -1)]


async def test_a_history_that_cannot_be_read_is_said_and_memory_is_shown(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise HistoryUnavailable("the disk is gone")

    site.site.feeder("pods").put(row_of("pods", pod("web-1", 2)))
    monkeypatch.setattr(site.log.reader, "begin", fail)
    html = await page(site.site, "/feed/")
    assert len(lines(html)) == 1
    assert "History cannot be read: the disk is gone." in words(html)


async def test_what_memory_has_only_after_it_was_read_from_history_is_listed_and_counted_once(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is with the changes before a moment of the past, which are read after the objects."""
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    hub, query = site.site.parts.hub, FeedQuery.parse(QueryDict("last=7d"))
    monkeypatch.setattr(hub.history, "complete_from", lambda _key: math.inf)
    await wait_for_feed(hub, query, site.parts.history)
    view = open_feed(hub, query, site.parts.history)
    entry = site.site.feeder("pods").entry(row_of("pods", pod("web-1", 1)), "added", "created")
    view.apply("pods", Change(entries=[msgspec.structs.replace(entry, time=START / 1e6 - 48 * 3600)]))
    assert [line.name for line in view.lines] == ["web-1"]
    assert dict(view.page.sums)["added"] == 1


def people(site: RecordedSite, *rules: Rule, **by_namespace: list[Rule]) -> Hub:
    """A hub of people with these rights."""
    groups = RightsGroups(site.site.feeds, site.site.parts.hub, site.site.clock, find_kind=find_builtin_kind)
    return groups.get(Rights(rules, by_namespace)).hub


def rule(resources: str, *names: str) -> Rule:
    return Rule(frozenset({"list", "get"}), frozenset({""}), frozenset({resources}), frozenset(names))


async def test_lines_and_counts_are_those_that_somebody_may_see_now(site: RecordedSite) -> None:
    for number, (name, namespace) in enumerate([("web-1", "shop"), ("web-2", "shop"), ("db-1", "data")]):
        site.record(Operation.ADDED, pod(name, number + 1, namespace=namespace), "pods")
    site.record(Operation.ADDED, secret("key"), "secrets")

    async def seen(hub: Hub, params: str = "last=7d") -> tuple[set[str], list[int], int, str]:
        query = FeedQuery.parse(QueryDict(params))
        await wait_for_feed(hub, query, site.parts.history)
        view = open_feed(hub, query, site.parts.history)
        assert view.reading is not None
        names = {line.name for line in view.lines}
        counts = [number for _, number in view.page.sums]
        return names, counts, view.reading.searched, view.page.counting_note

    names, counts, searched, note = await seen(people(site, shop=[rule("pods")]))
    assert (names, counts, searched, note) == ({"web-1", "web-2"}, [2, 0, 0], 2, "")
    names, counts, searched, note = await seen(people(site, data=[rule("pods", "db-1")], shop=[rule("secrets")]))
    assert (names, counts, searched) == ({"db-1", "key"}, [1, 0, 0], 2)
    assert note == "The histogram lacks earlier changes of Pods, of which you may see a part."
    names, counts, searched, note = await seen(people(site), "last=1d")
    assert (names, counts, searched) == (set(), [0, 0, 0], 0)


def secret(name: str) -> Json:
    meta = {"resourceVersion": "9", "uid": f"uid-{name}"}
    return made("Secret", name, namespace="shop", metadata=meta, type="Opaque")


async def test_an_event_is_as_visible_as_what_it_is_about_and_is_not_counted(site: RecordedSite) -> None:
    for number in (1, 2):
        site.record(Operation.ADDED, event(f"web-{number}", number), "events")
    hub = people(site, shop=[rule("events"), rule("pods", "web-1")])
    query = FeedQuery.parse(QueryDict("last=7d"))
    await wait_for_feed(hub, query, site.parts.history)
    view = open_feed(hub, query, site.parts.history)
    assert view.reading is not None
    assert [(line.name, line.op) for line in view.lines] == [("web-1", "event")]
    assert (view.page.total, view.reading.searched) == (0, 0)
    assert "Events" in view.page.counting_note


async def test_the_changes_of_an_object_are_those_that_somebody_may_see_now(site: RecordedSite) -> None:
    places = [("shop", "web-1"), ("data", "db-1")]
    for number, (namespace, name) in enumerate(places):
        site.record(Operation.ADDED, pod(name, number + 1, namespace=namespace), "pods")
    recorded = open_recorded_feed(people(site, shop=[rule("pods")]), site.parts.history)
    assert recorded is not None
    found = [await recorded.entries_of("pods", *place, START / 1e6, 9) for place in places]
    assert [len(each) for each in found] == [1, 0]


def event(name: str, version: int) -> Json:
    about = {"kind": "Pod", "namespace": "shop", "name": name, "apiVersion": "v1"}
    return made(
        "Event", f"{name}.17f", namespace="shop", metadata={"resourceVersion": str(version), "uid": f"uid-e-{name}"},
        involvedObject=about, reason="BackOff", message="Back-off", type="Warning",
    )  # fmt: skip


async def test_a_feed_that_nobody_looks_at_is_read_no_further(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    held, reached = asyncio.Event(), asyncio.Event()
    steps = site.parts.history.changes

    async def changes(*arguments: object) -> AsyncGenerator[list[Version]]:
        reached.set()
        await held.wait()
        async for step in steps(*arguments):
            yield step

    monkeypatch.setattr(site.parts.history, "changes", changes)
    view = open_feed(site.site.parts.hub, FeedQuery.parse(QueryDict("last=7d")), site.parts.history)
    await reached.wait()
    assert view.is_reading
    assert view.page.search.is_running
    reader = view._reader
    assert reader is not None
    view.close()
    await asyncio.wait([reader])
    assert reader.cancelled()
    held.set()
    view.open()
    await view.recorded_done.wait()
    assert [line.name for line in view.lines] == ["web-1"]
