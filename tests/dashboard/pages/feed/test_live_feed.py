"""Tests of the live feed: newest first, sampled on screen beyond reading speed, counted exactly."""

from __future__ import annotations

import asyncio
import re

import msgspec
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.entry_builder import EntryTimes
from dashboard.live.replication.feed_history import CHUNK_SIZE, FeedHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.pages.feed.line_window import SLICE
from dashboard.pages.feed.lines import FeedLine
from dashboard.pages.feed.live_feed import MAX_LINES, LiveFeed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.refresh_rate import IMMEDIATE_LINES, MAX_STORM_LINES, MAX_SWAP_LINES, SWAP_INTERVAL
from dashboard.pages.feed.time_range import iso
from dashboard.runtime.time_slicing import SlicedWork, TimeSlicer
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live.hx_partial_interpreter import ops_of
from tests.support.live.replica_feeder import Feeder, pod

KINDS = parse_kinds(["pods", "events"])


class Shown:
    def __init__(self, params: str = "", before: int = 0) -> None:
        self.clock = FakeClock()
        times = EntryTimes(self.clock)
        self.pods, self.events = (Feeder(key, self.clock, times=times) for key in ("pods", "events"))
        for _ in range(before):
            self.pods.say(1)
            self.clock.skip(0.01)
        self.query = FeedQuery.parse(QueryDict(params))
        self.log = FeedHistory([self.pods.replica, self.events.replica], self.clock)
        self.view = LiveFeed(self.query, KINDS, self.log, TimeSlicer(), self.clock)
        self.render = Renderer(render_to_string)
        for feeder in (self.pods, self.events):
            feeder.replica.on_change(lambda change, key=feeder.key: self.apply(key, change))  # type: ignore[misc]

    def apply(self, key: str, change: Change) -> None:
        self.log.add(key, change)
        self.view.apply(key, change)

    def update(self) -> list[int]:
        """The seqs of the entries that the next frame brings."""
        html = self.view.update(self.render)
        seqs = {line.id: line.entry.seq for line in self.view.lines}
        return [
            seqs[line]
            for op in ops_of(html)
            if op.swap.startswith("feed")
            for line in re.findall(r'<li id="([^"]+)"', op.html)
        ]

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        """What a page that is rendered now shows."""
        if self.view.dirty:
            self.view.skip_update()
        return self.view.lines


def seqs(shown: Shown) -> list[int]:
    return [line.entry.seq for line in shown.lines]


def test_lines_of_a_long_span_are_built_in_slices() -> None:
    class CountedSteps(TimeSlicer):
        def add(self, work: SlicedWork, *, urgent: bool = False) -> None:
            self.steps = sum(1 for _ in work)

    shown, slices = Shown(before=2 * CHUNK_SIZE), CountedSteps()
    query = FeedQuery.parse(QueryDict(f"to={iso(shown.clock.time())}"))
    view = LiveFeed(query, KINDS, shown.log, slices, shown.clock)
    assert len(view.window.lines) == 2 * CHUNK_SIZE
    assert slices.steps >= 2 * CHUNK_SIZE // SLICE


def test_a_new_page_shows_what_is_remembered_newest_first() -> None:
    shown = Shown(before=250)
    assert seqs(shown) == list(range(250, 250 - MAX_LINES, -1))
    assert shown.view.hidden_count == 0


def test_new_entries_come_newest_first() -> None:
    shown = Shown(before=2)
    shown.pods.say(3)
    assert shown.update() == [5, 4, 3]
    assert seqs(shown) == [5, 4, 3, 2, 1]
    assert shown.update() == []


def test_a_frame_brings_60_at_most_and_the_rest_is_counted() -> None:
    shown = Shown()
    shown.pods.say(MAX_SWAP_LINES + 1204)
    assert len(shown.update()) == MAX_SWAP_LINES
    assert (shown.view.hidden_count, shown.view.seen_count) == (1204, MAX_SWAP_LINES + 1204)
    assert "1,204 more" in render_to_string("feed/_rate.html", shown.view.context())
    shown.pods.say(1)
    assert len(shown.update()) == 1
    assert shown.view.hidden_count == 1204


@pytest.mark.slow
def test_a_storm_is_brought_in_fewer_and_smaller_swaps_and_counted_all_the_same() -> None:
    shown = Shown("folds=off")
    brought = []
    for _ in range(8):
        shown.pods.say(500)
        brought.append(len(shown.update()))
        shown.clock.skip(0.25)
    assert brought == [MAX_SWAP_LINES, 0, MAX_STORM_LINES, 0, MAX_STORM_LINES, 0, MAX_STORM_LINES, 0]
    assert shown.view.seen_count == 4000
    assert dict(shown.view.page.sums)["modified"] == 4000
    shown.update()
    assert shown.view.hidden_count == 4000 - MAX_SWAP_LINES - 4 * MAX_STORM_LINES


def test_entries_that_nobody_can_tell_any_more_are_counted_on_the_page() -> None:
    shown = Shown()
    shown.pods.say(1)
    shown.update()
    shown.pods.lose_entries(1200)
    shown.pods.say(2)
    html = shown.view.update(shown.render)
    assert "1,200 missed while nothing was heard" in html
    assert (shown.view.missed_count, shown.view.hidden_count) == (1200, 0)
    assert "1,200 missed" not in shown.view.update(shown.render)


def test_kinds_that_may_not_be_listed_are_named_until_they_may() -> None:
    shown = Shown()
    shown.pods.say(1)
    shown.view.update(shown.render)
    shown.events.beat(Health("forbidden", shown.clock.time(), problem="forbidden"))
    assert shown.view.dirty
    html = shown.view.update(shown.render)
    assert "Events may not be listed. Their changes are not shown." in html
    assert "Events may not be listed" not in shown.view.update(shown.render)
    shown.events.beat(Health("live", shown.clock.time()))
    (unread,) = [op for op in ops_of(shown.view.update(shown.render)) if op.target.startswith("#unread")]
    assert "<p" not in unread.html
    assert "may not be listed" not in unread.html


@pytest.mark.parametrize("trouble", ["", "Redis is away"])
def test_what_the_first_page_said_of_kinds_is_taken_back(trouble: str) -> None:
    shown = Shown()
    shown.events.beat(Health("syncing" if trouble else "forbidden", shown.clock.time()))
    view = LiveFeed(shown.query, KINDS, shown.log, TimeSlicer(), shown.clock)
    view.cluster_problem = lambda: trouble
    view.open()
    assert "Events" in render_to_string("feed/_unavailable_kinds.html", view.context())
    trouble = ""
    shown.events.beat(Health("live", shown.clock.time()))
    view.apply("events", Change(has_new_health=True))
    assert view.dirty
    html = view.update(shown.render)
    assert {"#unread", "#quiet"} <= {op.target.partition("-")[0] for op in ops_of(html)}
    assert "Events" not in html


def test_a_wall_clock_that_is_set_back_stops_neither_lines_nor_counts() -> None:
    shown = Shown("folds=off")
    shown.pods.say(IMMEDIATE_LINES + 1)
    shown.update()
    shown.clock.jump(-3600)
    shown.clock.skip(SWAP_INTERVAL)
    shown.pods.say(IMMEDIATE_LINES + 1)
    assert len(shown.update()) == IMMEDIATE_LINES + 1
    shown.clock.skip(2 * SWAP_INTERVAL)
    shown.pods.lose_entries(7)
    shown.pods.say(IMMEDIATE_LINES + 1)
    assert "7 missed" in shown.view.update(shown.render)


@pytest.mark.parametrize("before", [2, 1100])
async def test_after_a_clock_was_set_back_lines_stand_in_the_order_in_which_the_worker_saw_them(before: int) -> None:
    shown = Shown("folds=off", before=before)
    shown.events.say(1)
    shown.clock.jump(-3600)
    newest = []
    for feeder in (shown.pods, shown.pods, shown.events, shown.pods):
        shown.clock.skip(1)
        newest.append((feeder.key, rfc3339(shown.clock.time())))
        feeder.say(1)
    again = LiveFeed(shown.query, KINDS, shown.log, TimeSlicer(), shown.clock)
    await again.search_done.wait()
    for lines in (shown.lines, again.lines):
        assert [(line.resource, line.datetime) for line in lines[:4]] == newest[::-1]
        assert [line.resource for line in lines[4:6]] == ["events", "pods"]


def test_lines_that_wait_for_their_swap_hold_back_nothing_else_and_are_not_said_to_be_left_out() -> None:
    shown = Shown("folds=off")
    shown.pods.say(IMMEDIATE_LINES + 1)
    shown.update()
    shown.pods.lose_entries(1200)
    shown.pods.say(IMMEDIATE_LINES + 1)
    shown.events.beat(Health("forbidden", shown.clock.time()))
    html = shown.view.update(shown.render)
    assert "1,200 missed" in html
    assert "Events may not be listed" in html
    assert "not shown</small>" not in html
    assert not any(op.swap.startswith("feed") for op in ops_of(html))
    assert shown.view.hidden_count == 0
    shown.clock.skip(SWAP_INTERVAL)
    assert len(shown.update()) == IMMEDIATE_LINES + 1


def test_a_feed_of_which_nothing_can_be_read_does_not_say_that_it_is_quiet() -> None:
    shown = Shown("kind=events")
    window = shown.view.render_window(shown.render)
    assert "Quiet so far" in window
    shown.events.beat(Health("unreachable", shown.clock.time(), problem="no route"))
    html = shown.view.update(shown.render)
    assert "<h2>Cannot be known</h2>" in html
    assert "Events cannot be read. No changes are shown." in html
    assert "Quiet so far" not in html


def test_a_feed_that_nobody_sees_knows_what_its_next_page_shows() -> None:
    shown = Shown()
    shown.events.beat(Health("forbidden", shown.clock.time()))
    shown.view.skip_update()
    shown.events.beat(Health("live", shown.clock.time()))
    assert "#unread" in shown.view.update(shown.render)


def test_the_picture_marks_a_time_in_which_no_worker_told_changes_and_the_page_says_when() -> None:
    shown = Shown()
    shown.pods.say(1)
    shown.view.update(shown.render)
    shown.clock.skip(60)
    shown.apply("pods", Change(unannounced=(shown.clock.time() - 30, shown.clock.time())))
    (gap,) = shown.view.page.gaps
    assert (gap.begin.datetime, gap.end.datetime) == ("2027-01-15T08:00:30Z", "2027-01-15T08:01:00Z")
    assert 80 < float(gap.x) < 95
    assert 5 < float(gap.width) < 15
    assert "No worker reported changes" in shown.view.update(shown.render)


def test_kinds_are_woven_together_and_can_be_chosen() -> None:
    shown = Shown()
    chosen = Shown("kind=events")
    for each in (shown, chosen):
        each.pods.say(1)
        each.clock.skip(0.01)
        each.events.say(2)
    assert [line.resource for line in shown.lines] == ["events", "events", "pods"]
    assert [line.resource for line in chosen.lines] == ["events", "events"]
    assert chosen.view.keys == ("events",)


def test_the_filter_takes_names_namespaces_and_operations() -> None:
    shown = Shown("q=op=deleted ns=shop -cart")
    for name in ("web", "cart"):
        shown.pods.put(pod(name, namespace="shop"), op="added")
        shown.pods.drop(f"uid-shop-{name}")
    shown.pods.put(pod("web"), op="added")
    shown.pods.drop("uid-default-web")
    assert [(line.entry.namespace, line.entry.name, line.entry.op) for line in shown.lines] == [
        ("shop", "web", "deleted")
    ]
    assert shown.view.seen_count == 1


def test_rate_counts_the_last_ten_seconds_and_falls_quiet() -> None:
    shown = Shown()
    shown.pods.say(100)
    shown.view.skip_update()
    shown.pods.say(150)
    shown.view.skip_update()
    shown.pods.say(60)
    shown.view.skip_update()
    assert shown.view.page.rate_text == "quiet"  # this second is not over
    shown.clock.skip(1)
    assert shown.view.page.rate_text == "31 a second"
    shown.clock.skip(10)
    assert shown.view.page.rate_text == "quiet"


def test_time_alone_brings_a_frame_while_the_rate_changes_and_none_afterwards() -> None:
    shown = Shown()
    shown.pods.say(3)
    shown.update()
    shown.clock.skip(1)
    assert shown.view.next_due() is not None
    shown.view.pass_time(shown.clock.time())
    assert shown.view.dirty
    assert "0.3 a second" in shown.view.update(shown.render)
    shown.clock.skip(11)
    shown.view.pass_time(shown.clock.time())
    assert "quiet" in shown.view.update(shown.render)
    shown.clock.skip(300)
    assert shown.view.next_due() is None


def test_the_histogram_stacks_to_its_full_height() -> None:
    shown = Shown()
    shown.pods.put(pod("a"), op="added")
    shown.pods.say(3)
    shown.clock.skip(5)
    shown.pods.say(1)
    highest, last = shown.view.page.bars
    assert (highest.count, last.count) == (4, 1)
    assert float(highest.deleted_y) == pytest.approx(0)
    assert float(highest.added) + float(highest.modified) == pytest.approx(60, abs=0.1)
    assert float(highest.x) < float(last.x) < 100


def test_what_people_wrote_into_objects_is_escaped() -> None:
    shown = Shown()
    shown.pods.put(pod("x", namespace="<i>"), op="modified", words="<script>alert(1)</script> → ok")
    html = shown.view.update(shown.render)
    assert "<script>" not in html
    assert "<i>" not in html


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour=red", "A filter may name"),
        ("op>added", "with = or !="),
        ("op=bogus", "Write added, modified or deleted"),
        ("health=red", "Write ok"),
        ("op=add*", ""),
        ('"open', "closing quotation mark"),
        ("kind", ""),
    ],
)
def test_mistakes_are_told_and_left_out(text: str, message: str) -> None:
    query = FeedQuery.parse({"q": [text], "kind": ["pods"]})
    assert query.kinds == ("pods",)
    assert (message in query.problems[0].message) if message else not query.problems


def test_an_unknown_kind_is_told() -> None:
    query = FeedQuery.parse({"kind": ["pods,Nonsense"]})
    assert query.kinds == ("pods",)
    assert "Nonsense" in query.problems[0].message


def test_equal_states_have_one_address_and_one_view() -> None:
    one = FeedQuery.parse({"kind": ["events,po"], "q": ["web  op=added"]})
    other = FeedQuery.parse({"kind": ["pods", "ev"], "q": ["op=added web"]})
    assert one.query_string() == other.query_string() == "kind=events,pods&q=op%3Dadded+web"
    assert LiveFeed.id_of(LiveFeed.state_key(one)) == LiveFeed.id_of(LiveFeed.state_key(other))


def test_a_burst_is_one_line_that_says_how_many_and_leads_to_each_of_them() -> None:
    shown = Shown()
    for number in range(37):
        shown.pods.put(pod(f"web-{number % 3}", restarts=number), words=f"restarts {number} → {number + 1}")
        shown.clock.skip(0.01)
    html = shown.view.update(shown.render)
    assert html.count('class="fold"') == 3
    (line,) = [one for one in shown.lines if one.name == "web-0"]
    assert (line.count, line.summary, shown.view.hidden_count) == (13, "13 changes in 360 ms", 0)
    inside = FeedQuery.parse(QueryDict(line.burst_href.partition("?")[2]))
    assert (inside.span.is_fixed, inside.folds) == (True, False)
    matching = [
        one for one in shown.pods.replica.entries if inside.matches("pods", one) and inside.span.contains(one.time, 0)
    ]
    assert len(matching) == line.count


@pytest.mark.parametrize(("group", "href"), [("", "/resources/services/default/web/"), ("serving.knative.dev", "")])
def test_a_burst_leads_to_its_owner_and_not_to_one_of_another_api_group(group: str, href: str) -> None:
    shown = Shown()
    entries = [shown.pods.entry(pod(f"web-{number}"), "modified", "changed") for number in range(6)]
    shown.pods._send(
        entries=tuple(msgspec.structs.replace(each, owner="Service/web", owner_group=group) for each in entries)
    )
    (line,) = shown.lines
    assert (line.name, line.href) == ("web", href)


def test_an_event_is_shown_as_what_it_is_about() -> None:
    shown = Shown()
    row = pod("web-1.17f2", tone="warn")
    one = shown.events.entry(row, "added", "BackOff: Back-off restarting failed container (×4)")
    about = EventSubject("Deployment", "apps", "default", "web-1")
    shown.events._send(entries=(msgspec.structs.replace(one, about=about, reason="BackOff"),))
    (line,) = shown.lines
    assert (line.op, line.kind_title, line.name, line.href) == (
        "event", "Deployment", "web-1", "/resources/deployments.apps/default/web-1/",
    )  # fmt: skip
    html = render_to_string("feed/_entry.html", {"line": line})
    assert 'data-name="web-1.17f2"' in html
    assert 'data-tone="warn"' in html


def test_a_span_that_has_ended_shows_what_it_had_whatever_comes_later() -> None:
    shown = Shown(before=30)
    end = shown.clock.time()
    span = f"from={iso(end - 0.1)}&to={iso(end - 0.05)}&folds=off"
    past = LiveFeed(FeedQuery.parse(QueryDict(span)), KINDS, shown.log, TimeSlicer(), shown.clock)
    before = [line.entry.seq for line in past.lines]
    assert before == [26, 25, 24, 23, 22, 21]
    assert past.page.total == 6
    assert past.next_due() is None
    shown.pods.say(50)
    past.apply("pods", Change(entries=list(shown.pods.replica.entries)[-50:]))
    assert not past.dirty
    assert [line.entry.seq for line in past.lines] == before


def test_a_span_that_is_not_known_says_so() -> None:
    shown = Shown("to=2020-01-01")
    assert shown.view.page.unknown_extent == "all"
    assert "Nothing is known of this span" in render_to_string("feed/_feed.html", shown.view.context())
    part = Shown("from=2020-01-01")
    part.pods.say(1)
    assert part.view.page.unknown_extent == "part"
    bounds = "keeps the newest 200,000, up to 100 MB before compression, for 24 h at most"
    assert bounds in render_to_string("feed/_feed.html", part.view.context())


def test_the_last_minute_loses_what_has_grown_older() -> None:
    shown = Shown("last=1m")
    shown.pods.say(1)
    shown.update()
    shown.clock.skip(30)
    shown.pods.say(1)
    shown.update()
    assert len(shown.lines) == 2
    shown.clock.skip(31)
    shown.view.pass_time(shown.clock.time())
    assert "data-leave" in shown.view.update(shown.render)
    assert len(shown.lines) == 1
    assert dict(shown.view.page.sums)["modified"] == 1


@pytest.mark.slow
def test_sums_by_operation_are_exact_while_lines_are_sampled() -> None:
    shown = Shown()
    for _ in range(20):
        shown.pods.say(100)
        shown.update()
        shown.clock.skip(0.25)
    shown.pods.put(pod("a"), op="added")
    shown.pods.drop("uid-default-a")
    shown.clock.skip(1)
    assert dict(shown.view.page.sums) == {"added": 1, "modified": 2000, "deleted": 1}
    assert shown.view.seen_count == 2002
    shown.view.update(shown.render)
    assert shown.view.hidden_count == 2002 - shown.view.window.shown_count > 0
    assert re.fullmatch(r"showing \d+ of 200 a second", shown.view.page.rate_text)


def test_a_page_that_follows_and_one_that_comes_later_show_the_same_lines() -> None:
    shown = Shown()
    page: dict[str, str] = {}
    for burst in range(30):
        shown.pods.say(burst * 7 % 90)
        shown.pods.put(*(pod(f"web-{number}") for number in range(burst % 4)))
        shown.clock.skip(0.3)
        for op in ops_of(shown.view.update(shown.render)):
            for line, leaves in (
                re.findall(r'<li id="(e[^"]+)"( data-leave)?', op.html) if "entries" in op.target else ()
            ):
                page.pop(line, None) if leaves else page.update({line: line})
        page = {line: page[line] for line in sorted(page, reverse=True)[:MAX_LINES]}
    (window, *_) = ops_of(shown.view.render_window(shown.render))
    assert re.findall(r'<li id="(e[^"]+)"', window.html) == list(page)


def test_sums_are_read_aloud_every_ten_seconds_and_never_lines() -> None:
    shown = Shown()
    said = []
    for _ in range(25):
        shown.pods.say(4)
        html = shown.view.update(shown.render)
        said += re.findall(r'role="status"[^>]*>([^<]*)<', html)
        assert "aria-live" not in html
        shown.clock.skip(1)
    assert said == [
        "4 changes in the last 10 seconds: 4 modified",
        "40 changes in the last 10 seconds: 40 modified",
        "40 changes in the last 10 seconds: 40 modified",
    ]


def test_a_long_span_is_paged() -> None:
    shown = Shown(before=0)
    for _ in range(5):
        shown.pods.say(90)
        shown.clock.skip(3)
    span = f"from={iso(shown.clock.time() - 60)}&to={iso(shown.clock.time())}&page=2"
    view = LiveFeed(FeedQuery.parse(QueryDict(span)), KINDS, shown.log, TimeSlicer(), shown.clock)
    assert [line.entry.seq for line in view.lines] == list(range(250, 50, -1))
    assert view.page.listed_text == "201 to 400 of 450 lines"
    assert [link.words for link in view.page.links.pages] == ["Newer", "Older"]


@pytest.mark.slow
async def test_much_that_is_remembered_is_searched_in_slices() -> None:
    shown = Shown()
    for _ in range(60):
        shown.pods.say(500)
        shown.clock.skip(0.01)
    slices = TimeSlicer()
    view = LiveFeed(FeedQuery.parse({"q": ["busy-7777"]}), KINDS, shown.log, slices, shown.clock)
    assert view.is_searching
    view.apply("pods", Change(entries=[shown.pods.entry(pod("busy-7777-b"), "added", "")]))
    async with asyncio.timeout(20):
        await view.search_done.wait()
    assert [line.name for line in view.lines] == ["busy-7777-b", "busy-7777"]
    assert len(ops_of(view.update(shown.render))) == 9  # the whole window, for a page that was rendered before
    await slices.stop()
