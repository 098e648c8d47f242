"""Tests of the live overview: counts, present problems, latest changes and the chart's data."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from django.template.loader import render_to_string

from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.moments.recorded_feed import RecordedGap
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.change_rates import RATES_SECONDS
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.publisher import MAX_ENTRIES
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.catalog import KINDS, parse_kinds
from dashboard.pages.causes.last_change import LastChange
from dashboard.pages.causes.live_causes import LiveCauses
from dashboard.pages.causes.rules import CauseKey
from dashboard.pages.causes.shown_causes import MAX_CAUSES as MAX_SHOWN
from dashboard.pages.causes.shown_causes import Cause, Causes
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import LONG_REASON, MAX_REASON, UnhealthyObject
from dashboard.pages.feed.lines import FeedLine
from dashboard.pages.feed.timestamp import moment_of
from dashboard.pages.overview import live_overview
from dashboard.pages.overview.change_gaps import ChangeGaps, ChartGap
from dashboard.pages.overview.live_overview import MAX_LATEST, LiveOverview
from dashboard.pages.overview.namespace_rates import NamespaceRates
from dashboard.runtime.read_only import past_is_shown
from dashboard.runtime.time_slicing import TimeSlicer
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live.hx_partial_interpreter import ops_of
from tests.support.live.replica_feeder import Feeder, Feeders, pod
from tests.support.pages.small_site import words

FIVE_MINUTES = 300.0
EPOCH_BEGIN = 1_800_000_000.0


class Shown:
    def __init__(self, *rows: Any, namespaces: tuple[str, ...] = ()) -> None:
        self.clock = FakeClock()
        self.pods, self.nodes = Feeder("pods", self.clock, rows), Feeder("nodes", self.clock)
        self.feeders = Feeders(self.pods, self.nodes)
        self.kinds = HubKinds(self.feeders, self.clock, self._changed)
        self.history = history = FeedHistory([self.pods.replica, self.nodes.replica], self.clock)

        def find_causes() -> Causes:
            return LiveCauses(self.kinds, history, self.clock, namespaces=namespaces).found

        self.view = LiveOverview(self.kinds, history, self.clock, find_causes, namespaces=namespaces)
        self.render = Renderer(render_to_string)

    @property
    def latest(self) -> list[FeedLine]:
        return [line for line in self.view.latest if isinstance(line, FeedLine)]

    def _changed(self, key: str, change: Change) -> None:
        self.kinds.kind_summaries.apply(key, change)
        self.view.apply(key, change)

    def pass_time(self, seconds: float) -> None:
        self.clock.skip(seconds)
        self.kinds.kind_summaries.pass_time(self.clock.time())
        self.view.pass_time(self.clock.time())

    def follow(self, *, always: bool = False) -> Feeder:
        """Follow one more kind, Secrets, as somebody opens or always follows it."""
        (secrets,) = parse_kinds(["secrets"])
        self.feeders.follow(secrets)
        self.kinds.follow(secrets)
        self.kinds.set_always_followed(["secrets"] if always else [])
        self.view.take_kinds(self.kinds.all_kinds)
        return self.feeders.feeders["secrets"]

    def targets(self) -> set[str]:
        return {op.target.partition("-")[0] for op in ops_of(self.view.update(self.render))}


def crashing(name: str, since: float, **more: Any) -> Any:
    row = pod(name, status="CrashLoopBackOff", tone="bad", **more)
    return msgspec.structs.replace(row, reason=f"{name}: exit 1", since=since)


def test_tiles_count_and_spread_by_tone() -> None:
    shown = Shown(pod("a"), pod("b"), pod("c", status="Pending", tone="warn"))
    tile = shown.view.tiles[0]
    assert (tile.kind.key, tile.count, tile.state, tile.facts) == ("pods", 3, "live", "")
    assert [(share.tone, share.count) for share in tile.status_bar] == [("ok", 2), ("warn", 1)]
    shown.pods.drop("uid-default-c")
    assert [(share.tone, share.count) for share in shown.view.tiles[0].status_bar] == [("ok", 2)]


def test_problems_are_the_longest_first_and_all_are_counted() -> None:
    shown = Shown()
    now = shown.clock.time()
    shown.pods.put(*(crashing(f"p{index}", now - index) for index in range(MAX_SHOWN + 5)))
    wrong = shown.view.causes.lines
    assert [each.row.name for each in wrong] == [f"p{index}" for index in range(MAX_SHOWN + 4, 4, -1)]
    assert shown.view.causes.total == MAX_SHOWN + 5
    assert wrong[0].words == f"p{MAX_SHOWN + 4}: exit 1"
    assert wrong[0].href == f"/resources/pods/default/p{MAX_SHOWN + 4}/"
    assert shown.view.tiles[0].facts == f"{MAX_SHOWN + 5} wrong"
    assert shown.view.tiles[0].tone == "bad"


def test_the_worst_problems_come_first_and_those_without_a_moment_last_among_them() -> None:
    shown = Shown()
    now = shown.clock.time()
    tones: list[tuple[str, Any, float | None]] = [
        ("busy", "busy", now - 900), ("warn", "warn", now - 500), ("unknown", "bad", None), ("young", "bad", now),
    ]  # fmt: skip
    rows = [msgspec.structs.replace(pod(name, status="x", tone=tone), since=since) for name, tone, since in tones]
    shown.pods.put(*rows)
    assert (shown.view.tiles[0].facts, shown.view.tiles[0].tone) == ("4 wrong", "bad")
    problems = shown.view.causes.lines
    assert [each.row.name for each in problems] == ["young", "unknown", "warn", "busy"]
    assert [bool(each.since) for each in problems] == [True, False, True, True]


def test_a_tile_without_anything_red_is_amber() -> None:
    shown = Shown()
    shown.pods.put(msgspec.structs.replace(pod("a", status="x", tone="warn"), since=shown.clock.time() - 900))
    assert (shown.view.tiles[0].facts, shown.view.tiles[0].tone) == ("1 wrong", "warn")


def test_a_reason_as_long_as_an_object_is_shown_by_its_beginning() -> None:
    shown = Shown()
    shown.pods.put(msgspec.structs.replace(crashing("a", shown.clock.time()), reason="x" * 32_000))
    assert shown.view.causes.lines[0].words == "x" * (MAX_REASON - 1) + "…"


def test_what_recovers_or_goes_is_not_wrong_any_more() -> None:
    shown = Shown()
    now = shown.clock.time()
    shown.pods.put(crashing("a", now), crashing("b", now))
    shown.pods.put(pod("a", version=2))
    shown.pods.drop("uid-default-b")
    assert shown.view.causes.shown == ()


def test_pending_becomes_wrong_after_five_minutes_without_any_change() -> None:
    shown = Shown()
    waiting = pod("slow", status="Pending", tone="warn")
    shown.pods.put(msgspec.structs.replace(waiting, reason="no node fits", since=shown.clock.time()))
    shown.pass_time(FIVE_MINUTES - 1)
    assert shown.view.causes.total == 0
    shown.pass_time(1)
    assert [each.words for each in shown.view.causes.lines] == ["no node fits"]


def test_latest_changes_are_the_newest_of_all_kinds() -> None:
    shown = Shown()
    for _ in range(MAX_LATEST):
        shown.pods.say(1)
        shown.clock.skip(1)
        shown.nodes.say(1)
        shown.clock.skip(1)
    latest = shown.latest
    assert len(latest) == MAX_LATEST
    assert [line.resource for line in latest[:4]] == ["nodes", "pods", "nodes", "pods"]
    assert [line.entry.time for line in latest] == sorted((line.entry.time for line in latest), reverse=True)


def test_rates_cover_15_minutes_in_steps_and_sum_all_kinds() -> None:
    shown = Shown()
    shown.pods.say(3)
    shown.nodes.say(4)
    rates = shown.view.rates
    assert rates["step"] == 5
    assert [len(rates[name]) for name in ("added", "modified", "deleted")] == [180, 180, 180]  # type: ignore[arg-type]
    assert rates["modified"][-1] == 7  # type: ignore[index]
    shown.clock.skip(10)
    later: Any = shown.view.rates
    assert later["modified"][-3] == 7
    assert later["start"] == rates["start"] + 10  # type: ignore[operator]


def test_a_time_without_reports_is_a_gap_in_the_charts_and_between_the_latest_changes() -> None:
    shown = Shown()
    shown.pods.say(1)
    shown.clock.skip(RATES_SECONDS)
    now = shown.clock.time()
    shown.history.add("pods", Change(unannounced=(now - 40, now - 10)))
    shown.pods.say(1)
    assert shown.view.rates["gaps"] == [(now - 40, now - 10)]
    html = shown.view.render_window(shown.render)
    assert "Changes of Pods may be missing from" in words(html)
    assert "(no worker reported changes)" in words(html)
    newest, gap, oldest = shown.view.latest
    assert [line.is_gap for line in (newest, gap, oldest)] == [False, True, False]
    assert 'class="gap-line"' in html
    pods, nodes = shown.view.tiles
    assert (len(pods.gaps), len(nodes.gaps)) == (1, 0)
    assert f'<rect class="f-unknown" x="{pods.gaps[0].x}" width="10.00" height="28"/>' in html


def test_a_gap_that_began_before_the_chart_is_told_with_its_own_beginning() -> None:
    shown = Shown()
    shown.clock.skip(2 * RATES_SECONDS)
    now = shown.clock.time()
    shown.history.add("pods", Change(unannounced=(now - 1200, now - 60)))
    (gap,) = shown.view.gaps.named()
    assert (gap.begin, gap.end) == (moment_of(now - 1200), moment_of(now - 60))
    assert shown.view.rates["gaps"] == [(shown.view.rates["start"], now - 60)]


def test_a_gap_until_the_worker_began_is_all_that_is_told_of_the_time_before() -> None:
    shown = Shown()
    shown.clock.skip(60)
    now, keys = shown.clock.time(), frozenset({"pods", "nodes"})
    recorded = [RecordedGap(now - 4000, EPOCH_BEGIN + 1, keys, "no worker ran")]
    kinds = [kind for key, kind in KINDS.items() if key in keys]
    (gap,) = ChangeGaps(shown.history, kinds, now, lambda _: EPOCH_BEGIN, recorded).named()
    assert gap == ChartGap(moment_of(now - 4000), moment_of(EPOCH_BEGIN + 1), "", "no worker ran")


def test_what_was_before_the_worker_began_is_a_gap_in_the_charts() -> None:
    shown = Shown()
    assert shown.view.rates["gaps"] == [(shown.view.rates["start"], EPOCH_BEGIN)]
    html = shown.view.render_window(shown.render)
    assert "Changes before 2027-01-15 08:00:00 UTC are not in this chart: its counts begin then." in words(html)
    shown.clock.skip(RATES_SECONDS)
    assert shown.view.rates["gaps"] == []


def test_a_frame_brings_only_the_parts_that_differ() -> None:
    shown = Shown(pod("a"))
    shown.view.update(shown.render)
    assert shown.targets() == set()
    shown.pods.put(pod("a", version=2, restarts=1))
    assert shown.targets() == {"#tiles", "#latest"}
    shown.pods.put(crashing("b", shown.clock.time()))
    assert shown.targets() == {"#tiles", "#wrong", "#latest"}


@pytest.mark.parametrize(
    ("state", "facts"),
    [
        ("absent", "not in this cluster"),
        ("forbidden", "may not be listed"),
        ("stale", "out of date"),
        ("unreachable", "cannot be reached"),
    ],
)
def test_a_tile_says_what_keeps_its_kind_from_being_live(state: Any, facts: str) -> None:
    shown = Shown()
    shown.pods.beat(Health(state=state, since=shown.clock.time()))
    tile = shown.view.tiles[0]
    assert (tile.state, tile.facts) == (state, facts)


def test_a_tile_of_the_past_says_that_its_kind_is_not_known() -> None:
    shown = Shown()
    shown.pods.beat(Health(state="unreachable", since=shown.clock.time()))
    with past_is_shown():
        assert shown.view.tiles[0].facts == "not known"


@pytest.mark.parametrize("state", ["forbidden", "unreachable"])
def test_what_cannot_be_listed_is_neither_counted_nor_said_to_be_well(state: Any) -> None:
    shown = Shown()
    shown.pods.beat(Health(state=state, since=shown.clock.time()))
    assert shown.view.tiles[0].count is None
    html = shown.view.render_window(shown.render)
    assert "<h2>Cannot be known</h2><p>Pods cannot be read.</p>" in html
    assert "Nothing is wrong" not in html
    assert "Nodes are covered." in html
    shown.nodes.beat(Health(state=state, since=shown.clock.time()))
    assert shown.view.unknown_kinds_text == "No kind can be read."
    assert "covered" not in shown.view.render_window(shown.render)


def test_the_kinds_that_are_covered_are_named_and_more_of_them_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()
    assert shown.view.covered_kinds_text == "Pods and Nodes are covered."
    shown.follow()
    assert shown.view.covered_kinds_text == "Pods, Nodes and Secrets are covered."
    monkeypatch.setattr(live_overview, "MAX_COVERED", 1)
    assert shown.view.covered_kinds_text == "Pods and 2 other kinds are covered."


def test_an_empty_cluster_names_the_kinds_that_it_has_no_objects_of() -> None:
    shown = Shown()
    assert "<h2>No Pods yet</h2>" in shown.view.render_window(shown.render)
    shown.follow(always=True)
    assert shown.view.empty_text == "No Pods or Secrets yet"


def test_first_lists_are_waited_for_unless_the_cluster_is_out_of_reach() -> None:
    shown = Shown()
    shown.pods.beat(Health(state="syncing", since=shown.clock.time(), listed=5))
    assert (shown.view.unknown_kinds_text, shown.view.is_unreadable) == ("Pods are being read.", False)
    shown.view.cluster_problem = lambda: "the kubeconfig is broken."
    assert (shown.view.unknown_kinds_text, shown.view.is_unreadable) == ("Pods cannot be read.", True)


@pytest.mark.parametrize("state", ["unreachable", "stale"])
def test_that_nothing_changed_is_not_said_while_nobody_knows(state: Any) -> None:
    shown = Shown()
    assert "No changes yet. They appear here as they happen." in shown.view.render_window(shown.render)
    shown.pods.beat(Health(state=state, since=shown.clock.time()))
    (latest,) = [op for op in ops_of(shown.view.update(shown.render)) if op.target.startswith("#latest")]
    assert "No changes yet" not in latest.html
    assert "not known" in latest.html


def test_an_empty_cluster_is_one_without_workloads() -> None:
    assert Shown().view.is_empty
    assert not Shown(pod("a")).view.is_empty


def test_what_is_wrong_with_a_kind_that_somebody_views_is_a_problem_of_the_cluster() -> None:
    shown = Shown()
    secrets = shown.follow()
    secrets.put(crashing("key", shown.clock.time()))
    assert [(each.kind.key, each.row.name) for each in shown.view.causes.lines] == [("secrets", "key")]
    assert [line.entry.name for line in shown.latest] == ["key"]
    assert not shown.view.is_empty
    assert [tile.kind.key for tile in shown.view.tiles] == ["pods", "nodes"]
    rates: Any = shown.view.rates
    assert not any(rates["modified"])
    assert shown.view.listens_to("secrets")
    assert shown.targets() == {"#limit", "#tiles", "#wrong", "#gaps", "#latest"}
    shown.kinds.unfollow("secrets")
    shown.view.take_kinds(shown.kinds.all_kinds)
    assert shown.view.causes.total == 0


@pytest.mark.parametrize("state", ["forbidden", "syncing", "absent", "unreachable"])
def test_nothing_is_said_of_a_kind_on_demand_that_cannot_be_read(state: Any) -> None:
    shown = Shown(pod("a"))
    shown.follow().beat(Health(state=state, since=shown.clock.time()))
    assert "Nothing is wrong" in shown.view.render_window(shown.render)
    assert (shown.view.unknown_kinds_text, shown.view.outdated_kinds_text) == ("", "")


@pytest.mark.parametrize("state", ["stale", "syncing", "unreachable", "forbidden"])
@pytest.mark.parametrize("always", [True, False])
def test_problems_of_a_kind_that_is_out_of_date_stay_and_may_have_changed(state: Any, always: bool) -> None:
    shown = Shown(pod("a"))
    secrets = shown.follow(always=always)
    secrets.put(crashing("key", shown.clock.time()))
    secrets.beat(Health(state=state, since=shown.clock.time()))
    assert [each.row.name for each in shown.view.causes.lines] == ["key"]
    assert "Secrets may have changed since." in shown.view.render_window(shown.render)
    secrets.put(pod("key", version=2))
    html = shown.view.render_window(shown.render)
    assert "<h2>Nothing was wrong</h2><p>Secrets may have changed since.</p>" in html
    assert "Nothing is wrong" not in html


def test_problems_of_a_kind_that_was_listed_once_are_shown_with_that() -> None:
    shown = Shown()
    secrets = shown.follow()
    secrets.replica.is_requested = False
    listed = KindList(shown.clock.time(), (crashing("key", shown.clock.time()),), None)
    secrets.replica.show_list(listed, "the limit is reached")
    assert [each.row.name for each in shown.view.causes.lines] == ["key"]
    html = shown.view.render_window(shown.render)
    assert "Secrets may have changed since." in html
    assert "This cluster is empty" not in html


def test_a_kind_that_is_followed_always_has_a_tile_and_is_missed_while_it_cannot_be_read() -> None:
    shown = Shown(pod("a"))
    secrets = shown.follow(always=True)
    assert [tile.kind.key for tile in shown.view.tiles] == ["pods", "nodes", "secrets"]
    assert shown.view.keys == ("pods", "nodes", "secrets")
    secrets.say(3)
    assert shown.view.rates["modified"][-1] == 3  # type: ignore[index]
    secrets.beat(Health(state="forbidden", since=shown.clock.time()))
    assert shown.view.unknown_kinds_text == "Secrets cannot be read."


def test_the_page_and_the_frames_are_made_of_the_same() -> None:
    shown = Shown(pod("a"))
    window = shown.view.render_window(shown.render)
    parts = ("limit", "tiles", "wrong", "gaps", "latest")
    assert [op.target for op in ops_of(window)] == [f"#{name}-{shown.view.id}" for name in parts]
    assert shown.view.extras() == {"rates": shown.view.rates}


# --- of some namespaces ---


def test_limited_to_namespaces_counts_what_is_wrong_and_the_latest_are_of_these_alone() -> None:
    rows = [pod(name, namespace=space) for space in ("shop", "search", "other") for name in ("a", "b")]
    shown = Shown(*rows, namespaces=("search", "shop"))
    now = shown.clock.time()
    shown.pods.put(crashing("bad", now, namespace="shop"), crashing("worse", now, namespace="other"))
    pods, nodes = shown.view.tiles
    assert (pods.count, pods.facts, pods.href) == (5, "1 wrong", "/resources/pods/?namespace=search,shop")
    assert pods.status_bar_text == "4 well, 1 bad"
    assert (nodes.href, nodes.count) == ("/resources/nodes/", 0)
    assert [each.row.key for each in shown.view.causes.lines] == ["shop/bad"]
    assert {line.entry.namespace for line in shown.latest} == {"shop"}
    shown.pods.drop("uid-shop-bad")
    assert shown.view.tiles[0].count == 4
    assert "Nothing is wrong in search, shop" in shown.view.render_window(shown.render)


async def test_how_much_changes_in_namespaces_is_counted_from_what_is_remembered_and_then_on() -> None:
    clock = FakeClock()
    pods, nodes = Feeder("pods", clock), Feeder("nodes", clock)
    pods.say(3, namespace="shop")
    pods.say(4, namespace="other")
    nodes.say(5)
    log = FeedHistory([pods.replica, nodes.replica], clock)

    def own_rates() -> NamespaceRates:
        return NamespaceRates(("shop",), log, log.keys, TimeSlicer(), clock.time())

    kinds = HubKinds(Feeders(pods, nodes), clock, lambda key, change: None)
    view = LiveOverview(
        kinds, log, clock, lambda: LiveCauses(kinds, log, clock).found, namespaces=("shop",), make_own_rates=own_rates
    )
    pods.replica.on_change(lambda change: log.add("pods", change))
    pods.replica.on_change(lambda change: view.apply("pods", change))
    pods.say(2, namespace="shop")
    for _ in range(2):
        rates: Any = view.rates
        assert rates["modified"][-1] == 5
        view.open()  # counts anew
    clock.skip(1)
    assert view.tiles[0].spark
    assert [tile.rate for tile in view.tiles] == [0.5, nodes.replica.rates.recent(clock.time())[-1][2] / 10]


async def test_how_much_changes_in_namespaces_says_from_when_on_that_is_known() -> None:
    clock = FakeClock()
    pods = Feeder("pods", clock)
    pods.say(MAX_ENTRIES + 1, namespace="shop")
    log = FeedHistory([pods.replica], clock)
    rates = NamespaceRates(("shop",), log, log.keys, TimeSlicer(), clock.time())
    assert rates.known_from(clock.time()) == log.known_from(["pods"])
    assert rates.known_from(clock.time() + RATES_SECONDS) is None


def test_kinds_that_nothing_was_heard_of_do_not_hide_from_when_on_changes_are_counted() -> None:
    clock = FakeClock()
    pods, silent = Feeder("pods", clock), Replica("nodes", clock)
    log = FeedHistory([pods.replica, silent], clock)
    pods.say(1)
    rates = NamespaceRates(("shop",), log, log.keys, TimeSlicer(), clock.time())
    assert rates.known_from(clock.time()) == log.known_from(["pods"])


async def test_changes_in_namespaces_are_counted_anew_when_a_kind_is_followed_always() -> None:
    counted: list[NamespaceRates] = []

    def own_rates() -> NamespaceRates:
        log = FeedHistory([], FakeClock())
        counted.append(NamespaceRates(("shop",), log, log.keys, TimeSlicer(), 0.0))
        return counted[-1]

    shown = Shown(namespaces=("shop",))
    view = LiveOverview(
        shown.kinds,
        shown.history,
        shown.clock,
        lambda: shown.view.causes,
        namespaces=("shop",),
        make_own_rates=own_rates,
    )
    shown.follow()
    view.take_kinds(shown.kinds.all_kinds)
    assert len(counted) == 1
    shown.kinds.set_always_followed(["secrets"])
    view.take_kinds(shown.kinds.all_kinds)
    assert len(counted) == 2


def test_views_of_the_same_namespaces_are_one_whatever_their_order() -> None:
    assert Shown(namespaces=("b", "a")).view.id == Shown(namespaces=("a", "b", "a")).view.id
    assert Shown(namespaces=("a",)).view.id != Shown().view.id


def test_what_is_not_shown_is_counted_by_status_and_leads_to_its_list() -> None:
    shown = Shown(namespaces=("default",))
    now = shown.clock.time()
    shown.pods.put(*(crashing(f"p{index}", now - index) for index in range(MAX_SHOWN + 5)))
    failed = [pod(f"f{index}", status="Init:Error", tone="bad") for index in range(2)]
    shown.pods.put(*(msgspec.structs.replace(row, since=now) for row in failed))
    found = shown.view.causes
    assert [(rest.status, rest.count) for rest in found.groups] == [("CrashLoopBackOff", 5), ("Init:Error", 2)]
    assert found.groups[1].href == "/resources/pods/?namespace=default&q=status%3DInit:Error"
    assert found.total == MAX_SHOWN + 7
    assert found.more_count == 0


def test_a_long_reason_is_folded() -> None:
    shown = Shown()
    row = crashing("a", shown.clock.time())
    shown.pods.put(msgspec.structs.replace(row, reason="x " * LONG_REASON))
    assert '<details class="long"><summary>' in shown.view.render_window(shown.render)
    shown.pods.put(msgspec.structs.replace(row, version="2"))
    assert "<details" not in shown.view.render_window(shown.render)


def test_an_empty_cluster_is_told_three_things_to_do_next() -> None:
    html = Shown().view.render_window(Renderer(render_to_string))
    assert html.count('data-copy-from="#next-') == 3
    assert "<span data-kubectl-call>kubectl</span> create deployment web" in html


def card(change: LastChange | None, doubt: str = "", *, is_cut: bool = False) -> str:
    """The card of two pods of a Deployment."""
    shown = Shown()
    rows = [crashing(name, shown.clock.time()) for name in ("a", "b")]
    lines = tuple(UnhealthyObject(KINDS["pods"], row, 0, shown.clock.time()) for row in rows)
    subject = Subject(KINDS["deployments.apps"], "default", "web")
    cause = Cause(CauseKey("owner", subject.place), subject, lines[0], lines, 2, "2 pods crash", 1.8e9, change, doubt)
    found = Causes((cause,), total=2, cause_count=1, is_cut=is_cut, groups=(), more_count=0)
    view = LiveOverview(shown.kinds, shown.history, shown.clock, lambda: found)
    return view.render_window(shown.render)


def test_a_change_before_a_problem_is_an_order_in_time_and_where_that_is_not_known_not_even_that() -> None:
    before, beside = "whether it is the cause is not known", "came first is not known"
    html = card(LastChange("images a → b", "2027-01-15T08:00:00Z", "2m30s after", is_before=True))
    assert "2m30s after: images a → b" in html
    assert (before in html, beside in html) == (True, False)
    html = card(LastChange("images a → b", "2027-01-15T08:00:00Z", "about the same time as", is_before=False))
    assert "about the same time as: images a → b" in html
    assert (before in html, beside in html) == (False, True)
    html = card(None, "Changes of Deployments before then are not in the feed.")
    assert "Changes of Deployments before then are not in the feed." in html
    assert (before in html, beside in html) == (False, False)


def test_of_more_than_are_sorted_by_cause_the_numbers_are_said_to_be_too_small() -> None:
    assert "a cause may have more objects than its number says" in card(None, is_cut=True)
    assert "a cause may have more objects than its number says" not in card(None)


def test_problems_of_pods_lead_to_their_logs_and_one_of_its_own_to_its_time_line() -> None:
    html = card(None)
    assert html.count('href="/resources/pods/default/a/logs/"') == 2, "on the card, and in its line"
    assert 'href="/resources/pods/default/b/logs/"' in html
    assert '>2</span><span class="dim">problems</span>' in html
    shown = Shown()
    shown.pods.put(crashing("a", shown.clock.time()))
    html = shown.view.render_window(shown.render)
    assert html.count('href="/resources/pods/default/a/logs/"') == html.count('href="/why/pods/default/a/"') == 1
