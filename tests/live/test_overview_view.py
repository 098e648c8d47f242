"""The overview's view: counts, what is wrong now, latest changes and the chart's data."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string

from dashboard.live.overview_view import LATEST, WRONG, OverviewView
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Change
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import kinds_named
from informerd.cache.health import Health
from tests.clock import FakeClock
from tests.live.feeder import Feeder, pod
from tests.live.frames import ops_of

KINDS = kinds_named(["pods", "nodes"])
FIVE_MINUTES = 300.0


class Shown:
    def __init__(self, *rows: Any) -> None:
        self.clock = FakeClock()
        self.pods, self.nodes = Feeder("pods", self.clock, rows), Feeder("nodes", self.clock)
        self.summaries = {key: Summary(key) for key in ("pods", "nodes")}
        self.summaries["pods"].fill(self.pods.replica.rows.values(), self.clock.time())
        self.view = OverviewView(KINDS, [self.pods.replica, self.nodes.replica], self.summaries, self.clock)
        self.render = Renderer(render_to_string)
        self.pods.replica.on_change(self._changed)

    def _changed(self, change: Change) -> None:
        self.summaries["pods"].apply(change, self.clock.time())
        self.view.apply("pods", change)

    def pass_time(self, seconds: float) -> None:
        self.clock._now += seconds
        for summary in self.summaries.values():
            summary.pass_time(self.clock.time())
        self.view.pass_time(self.clock.time())

    def targets(self) -> set[str]:
        return {op.target.partition("-")[0] for op in ops_of(self.view.update(self.render))}


def crashing(name: str, since: float, **more: Any) -> Any:
    import msgspec

    row = pod(name, status="CrashLoopBackOff", tone="bad", **more)
    return msgspec.structs.replace(row, reason=f"{name}: exit 1", since=since)


def test_tiles_count_and_spread_by_tone() -> None:
    shown = Shown(pod("a"), pod("b"), pod("c", status="Pending", tone="warn"))
    tile = shown.view.tiles[0]
    assert (tile.kind.key, tile.count, tile.state, tile.facts) == ("pods", 3, "live", "")
    assert [(share.tone, share.count) for share in tile.spread] == [("ok", 2), ("warn", 1)]
    shown.pods.drop("uid-default-c")
    assert [(share.tone, share.count) for share in shown.view.tiles[0].spread] == [("ok", 2)]


def test_wrong_now_lists_the_longest_first_and_counts_all() -> None:
    shown = Shown()
    now = shown.clock.time()
    shown.pods.put(*(crashing(f"p{index}", now - index) for index in range(WRONG + 5)))
    wrong = shown.view.wrong
    assert [each.row.name for each in wrong] == [f"p{index}" for index in range(WRONG + 4, 4, -1)]
    assert shown.view.wrong_total == WRONG + 5
    assert wrong[0].words == f"p{WRONG + 4}: exit 1"
    assert wrong[0].href == f"/resources/pods/default/p{WRONG + 4}/"
    assert shown.view.tiles[0].facts == f"{WRONG + 5} wrong"
    assert shown.view.tiles[0].tone == "bad"


def test_what_recovers_or_goes_is_not_wrong_any_more() -> None:
    shown = Shown()
    now = shown.clock.time()
    shown.pods.put(crashing("a", now), crashing("b", now))
    shown.pods.put(pod("a", version=2))
    shown.pods.drop("uid-default-b")
    assert shown.view.wrong == ()


def test_pending_becomes_wrong_after_five_minutes_without_any_change() -> None:
    import msgspec

    shown = Shown()
    waiting = pod("slow", status="Pending", tone="warn")
    shown.pods.put(msgspec.structs.replace(waiting, reason="no node fits", since=shown.clock.time()))
    shown.pass_time(FIVE_MINUTES - 1)
    assert shown.view.wrong_total == 0
    shown.pass_time(1)
    assert [each.words for each in shown.view.wrong] == ["no node fits"]


def test_latest_changes_are_the_newest_of_all_kinds() -> None:
    shown = Shown()
    for _ in range(LATEST):
        shown.pods.say(1)
        shown.clock._now += 1
        shown.nodes.say(1)
        shown.clock._now += 1
    latest = shown.view.latest
    assert len(latest) == LATEST
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
    shown.clock._now += 10
    later: Any = shown.view.rates
    assert later["modified"][-3] == 7
    assert later["start"] == rates["start"] + 10  # type: ignore[operator]


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


@pytest.mark.parametrize("state", ["forbidden", "unreachable"])
def test_what_cannot_be_listed_is_neither_counted_nor_said_to_be_well(state: Any) -> None:
    shown = Shown()
    shown.pods.beat(Health(state=state, since=shown.clock.time()))
    assert shown.view.tiles[0].count is None
    html = shown.view.render_window(shown.render)
    assert "<h2>Cannot be known</h2><p>Pods cannot be read.</p>" in html
    assert "Nothing is wrong" not in html
    shown.nodes.beat(Health(state=state, since=shown.clock.time()))
    assert shown.view.unknown == "No kind can be read."


def test_first_lists_are_waited_for_unless_the_cluster_is_out_of_reach() -> None:
    shown = Shown()
    shown.pods.beat(Health(state="syncing", since=shown.clock.time(), listed=5))
    assert (shown.view.unknown, shown.view.unreadable) == ("Pods are being read.", False)
    shown.view.trouble = lambda: "the kubeconfig is broken."
    assert (shown.view.unknown, shown.view.unreadable) == ("Pods cannot be read.", True)


def test_an_empty_cluster_is_one_without_workloads() -> None:
    assert Shown().view.empty
    assert not Shown(pod("a")).view.empty


def test_the_page_and_the_frames_are_made_of_the_same() -> None:
    shown = Shown(pod("a"))
    window = shown.view.render_window(shown.render)
    assert [op.target for op in ops_of(window)] == [f"#{name}-{shown.view.id}" for name in ("tiles", "wrong", "latest")]
    assert shown.view.extras() == {"rates": shown.view.rates}
