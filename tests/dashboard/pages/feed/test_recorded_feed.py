"""Tests of a feed that reaches back into history: lines, counts and gaps, joined with what is in memory."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.access.rights import Rights, Rule
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.reader import ChangedState, SearchStep
from dashboard.live.history.version import Operation, Version
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.live.moments import recorded_feed
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import find_builtin_kind
from dashboard.pages.feed import live_feed, recorded_changes
from dashboard.pages.feed.live_feed import LiveFeed, open_feed, wait_for_feed
from dashboard.pages.feed.query import FeedQuery
from tests.support.live.history import START, Log, history_database
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.recorded_site import RecordedSite
from tests.support.pages.small_site import page, words
from tests.support.wait import eventually

HOUR = 3_600_000_000


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    """A history that begins two days before the process that shows it."""
    with history_database(request.param, tmp_path) as parts:
        log = Log(parts, now=START - 48 * HOUR)
        log.since = log.now
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
    log.since = log.now
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


async def test_a_gap_that_began_before_the_span_has_its_own_beginning(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now = START - 600_000_000
    log.since = log.now
    site.record(Operation.DIFFERS, pod("web-1", 2), "pods")
    log.now = START
    log.tick("pods")
    for span in ("last=1h", "from=2027-01-15T07:00:00Z&to=2027-01-15T08:00:00Z"):
        html = await page(site.site, f"/feed/?{span}&kind=pods")
        changed, gap = lines(html)
        assert "modified" in changed
        assert "Changes may be missing from 2027-01-13 08:00:00 UTC to 2027-01-15 07:50:00 UTC" in gap
        assert gap in words(html[html.index('class="untold"') :])


async def test_a_gap_that_comes_while_the_feed_is_open_is_drawn_in_the_histogram_and_between_the_lines(
    site: RecordedSite,
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    query, parts, clock = FeedQuery.parse(QueryDict("last=7d&kind=pods")), site.parts, site.site.clock
    await wait_for_feed(parts.hub, query, parts.history)
    view = open_feed(parts.hub, query, parts.history)
    assert view.reading is not None
    assert view.reading.is_used
    before = len(view.page.gaps)
    site.site.feeder("pods").put(row_of("pods", pod("web-2", 2)))
    clock.skip(60)
    unannounced = Change(unannounced=(clock.time() - 30, clock.time() - 10))
    site.site.feeder("pods").replica._listeners.notify(unannounced)
    site.site.feeder("pods").put(row_of("pods", pod("web-3", 3)))
    assert len(view.page.gaps) == before + 1
    html = view.update(Renderer(render_to_string))
    newest, gap, *_ = lines(f'<ol class="feed">{html}</ol>')
    assert "web-3" in newest
    assert gap == "No worker reported changes from 2027-01-15 08:00:35 UTC to 2027-01-15 08:00:55 UTC ."


async def test_each_gap_is_on_one_page(site: RecordedSite, log: Log) -> None:
    for number in range(450):
        site.record(Operation.ADDED, pod(f"web-{number}", number + 1), "pods")
        log.now += 3_000_000
        if number % 100 == 50:
            log.now += 100_000_000
            log.since = log.now
    found: list[str] = []
    for page_number in (1, 2, 3):
        html = await page(site.site, f"/feed/?folds=off&to=2027-01-14T08:00:00Z&page={page_number}")
        found += [line for line in lines(html) if "missing" in line]
    assert len(found) == len({*found}) == 5, "four, and the last one until the end of the span"
    found, address = [], "/feed/?folds=off"
    while address:
        html = await page(site.site, address)
        found += [line for line in lines(html) if "missing" in line]
        link = re.search(r'<a class="button" href="([^"]*)">Earlier changes', html)
        address = link.group(1).replace("&amp;", "&") if link else ""
    assert len(found) == len({*found}) == 5


async def test_gaps_that_nothing_parts_are_one_line_and_no_more_are_drawn_than_can_be_told_apart(
    site: RecordedSite, log: Log
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    for _ in range(300):
        log.now += 60_000_000
        log.since = log.now
        log.tick("pods")
    site.record(Operation.ADDED, pod("web-2", 2), "pods")
    log.now = START
    log.tick("pods")
    html = await page(site.site, "/feed/?last=7d&kind=pods")
    newest, gap, oldest = lines(html)
    assert ("web-2" in newest, "web-1" in oldest) == (True, True)
    assert "from 2027-01-13 08:00:00 UTC to 2027-01-13 13:00:00 UTC (300 gaps, the newest: no worker ran" in gap
    assert html.count("<title>Changes may be missing</title>") < 50


async def test_nothing_is_said_to_have_changed_where_changes_may_be_missing(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now += 20 * HOUR
    log.since = log.now
    log.tick("pods")
    address = "/feed/?kind=pods&from=2027-01-13T{}Z&to=2027-01-13T{}Z"
    html = await page(site.site, address.format("09:00:00", "10:00:00"))
    (gap,) = lines(html)
    assert "Changes may be missing from" in gap
    assert "No change is known Changes may be missing: not all of this span is known." in words(html)
    assert "No object was added" not in words(html)
    site.record(Operation.ADDED, pod("web-2", 2), "pods")
    log.now += HOUR
    log.tick("pods")
    html = await page(site.site, address.replace("13T", "14T").format("04:10:00", "04:20:00"))
    assert "Nothing changed No object was added" in words(html)


async def test_a_search_that_has_not_ended_does_not_say_that_nothing_matches(
    site: RecordedSite, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_changes, "SHORT_SEARCH", 3)
    for number in range(5):
        site.record(Operation.ADDED, pod(f"web-{number}", number + 1), "pods")
    log.now = START - 30_000_000
    for number in range(5):
        site.record(Operation.MODIFIED, pod(f"web-{number}", number + 6), "pods")
    html = await page(site.site, "/feed/?q=db")
    assert "Nothing found so far" in words(html)
    assert "matches none" not in words(html)


async def test_what_happened_long_before_memory_has_it_again_is_another_change(site: RecordedSite, log: Log) -> None:
    """An object that nobody could read for a while is deleted and added in the feed, and is still the same."""
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now += HOUR
    site.record(Operation.MISSING, pod("web-1", 1), "pods")
    log.now += HOUR
    site.record(Operation.FOUND, pod("web-1", 1), "pods")
    site.site.feeder("pods").put(row_of("pods", pod("web-1", 1)), op="added")
    site.site.clock.skip(1)
    site.site.feeder("pods").drop("uid-web-1")
    site.site.clock.skip(1)
    html = await page(site.site, "/feed/?folds=off&last=7d&kind=pods")
    found = [line for line in lines(html) if "missing" not in line]
    assert [next(word for word in ("added", "deleted") if word in line) for line in found] == [
        "deleted", "added", "deleted", "added",
    ]  # fmt: skip


async def test_no_change_is_lost_between_the_newest_of_a_span_and_the_earlier_ones(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch, log: Log
) -> None:
    monkeypatch.setattr(live_feed, "MAX_LISTED_ENTRIES", 100)
    monkeypatch.setattr(recorded_feed, "PAGE_SIZE", 35)
    for number in range(220):
        site.record(Operation.ADDED, pod(f"web-{number}", number + 1), "pods")
        log.now += 3_000_000
    seen: list[str] = []
    address = "/feed/?folds=off&to=2027-01-14T08:00:00Z"
    while address:
        html = await page(site.site, address)
        seen += re.findall(r"pods/shop/(web-\d+)/", html[html.index('<ol class="feed"') :])
        link = re.search(r'<a class="button" href="([^"]*)">Earlier changes', html)
        address = link.group(1).replace("&amp;", "&") if link else ""
    assert [*dict.fromkeys(seen)] == [f"web-{number}" for number in range(219, -1, -1)]


async def test_a_kind_that_is_not_recorded_is_not_said_to_be_known_since_history_began(
    site: RecordedSite, log: Log
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now = START
    log.tick("pods")
    html = words(await page(site.site, "/feed/?last=7d&kind=pods,secrets"))
    assert "Every change is known from 2027-01-13 08:00:00 UTC on, of Secrets only from" in html


async def test_a_gap_of_one_kind_alone_is_not_said_of_others(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, secret("key"), "secrets")
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.tick("pods", "secrets")
    log.now += 20 * HOUR
    log.since = log.now
    site.record(Operation.DIFFERS, pod("web-1", 2), "pods")
    log.now = START
    log.tick("pods")
    html = await page(site.site, "/feed/?last=7d&kind=pods,secrets")
    gaps = [line for line in lines(html) if "missing" in line]
    assert {gap.split(" from")[0] for gap in gaps} == {
        "Changes of Pods may be missing", "Changes of Secrets may be missing",
    }  # fmt: skip
    assert len({*re.findall(r'<li class="gap-line" id="([^"]*)"', html)}) == 2


async def test_a_history_that_fails_while_it_is_read_is_not_said_to_be_known(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise HistoryUnavailable("the disk is gone")

    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    monkeypatch.setattr(site.log.reader, "change_counts", fail)
    html = words(await page(site.site, "/feed/?last=7d"))
    assert "History cannot be read: its database cannot be used now" in html
    assert "Only the end of this span is known." in html
    assert "No change is known" in html


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
    monkeypatch.setattr(recorded_changes, "SHORT_SEARCH", 3)
    site.record(Operation.ADDED, pod("db-1", 1), "pods")
    log.now = START - 30_000_000
    for number in range(5):
        site.record(Operation.ADDED, pod(f"web-{number}", 2 + number), "pods")
    html = await page(site.site, "/feed/?q=db")
    assert not [line for line in lines(html) if "db-1" in line]
    assert "Searched back to 2027-01-15 07:59:00 UTC , 5 changes." in words(html)
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
    assert "History cannot be read: its database cannot be used now" in words(html)


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


async def test_nothing_is_told_of_the_times_of_a_kind_that_somebody_may_not_see(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    log.now += 2 * HOUR
    log.since = log.now
    site.record(Operation.ADDED, secret("key"), "secrets")
    hub, query = people(site, shop=[rule("pods")]), FeedQuery.parse(QueryDict("last=7d"))
    await wait_for_feed(hub, query, site.parts.history)
    view = open_feed(hub, query, site.parts.history)
    site.site.feeder("secrets").lose_entries(3)
    site.site.feeder("secrets").put(row_of("secrets", secret("key")))
    known_from = view.page.known_from
    assert known_from is not None
    assert known_from.datetime == "2027-01-13T08:00:00Z"
    assert {key for gap in view.gaps for key in gap.keys} == {"pods"}


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


async def test_no_more_changes_are_kept_than_a_page_shows_while_history_does_not_answer(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(live_feed, "MAX_LISTED_ENTRIES", 100)
    monkeypatch.setattr(site.parts.history, "begin", never)
    view = open_feed(site.site.parts.hub, FeedQuery.parse(QueryDict("last=7d")), site.parts.history)
    await view.search_done.wait()
    for _ in range(10):
        site.site.feeder("pods").say(50)
    assert view.is_reading
    assert len(view._known) <= 200
    view.close()


async def test_a_feed_that_nobody_looks_at_is_read_no_further(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.record(Operation.ADDED, pod("web-1", 1), "pods")
    held, reached = asyncio.Event(), asyncio.Event()
    steps = site.parts.history.changes

    async def changes(*arguments: object) -> AsyncGenerator[SearchStep]:
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


async def test_a_search_says_how_far_it_has_come_while_it_finds_nothing(
    site: RecordedSite, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.record(Operation.ADDED, event("web-1", 1), "events")
    for minute in range(10, -1, -1):
        log.now = START - minute * 60_000_000
        site.record(Operation.MODIFIED, pod("web-1", 12 - minute), "pods")
    monkeypatch.setattr(recorded_changes, "SHOW_INTERVAL", 0.0)
    released, steps = asyncio.Semaphore(0), site.parts.history.changes

    async def changes(*arguments: object) -> AsyncGenerator[SearchStep]:
        async for step in steps(*arguments):
            await released.acquire()
            yield step

    monkeypatch.setattr(site.parts.history, "changes", changes)
    query, render = FeedQuery.parse(QueryDict("kind=events&last=7d")), Renderer(render_to_string)

    def view() -> LiveFeed:
        return open_feed(site.site.parts.hub, query, site.parts.history)

    async def tells(text: str) -> None:
        await eventually(lambda: text in words(view().render_window(render)), what=text)

    for back_to in ("07:59:05", "07:57:05", "07:53:05"):
        released.release()
        await tells(f"Searching history: back to 2027-01-15 {back_to} UTC so far, 0 changes.")
    for _ in range(20):
        released.release()
    await view().recorded_done.wait()
    assert [line.name for line in view().lines] == ["web-1"]


async def test_a_page_without_any_line_waits_for_the_newest_that_history_has(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in range(1, 4):
        site.record(Operation.MODIFIED, pod("web-1", version), "pods")
    monkeypatch.setattr(recorded_feed, "PAGE_SIZE", 1)
    history, released, asked = site.parts.history, asyncio.Semaphore(0), asyncio.Semaphore(0)
    read = history.with_states

    async def slowly(versions: Sequence[Version]) -> list[ChangedState]:
        asked.release()
        await released.acquire()
        states: list[ChangedState] = await read(versions)
        return states

    monkeypatch.setattr(history, "with_states", slowly)
    request = asyncio.create_task(page(site.site, "/feed/?kind=pods"))
    await asked.acquire()
    await site.site.clock.advance(live_feed.READ_WAIT)
    assert not request.done()
    released.release()
    assert "version 2 → 3" in lines(await request)[-1]
