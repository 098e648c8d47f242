"""The feed's view: newest first, sampled on screen past reading speed, counted exactly."""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_view import AT_ONCE, SHOWN, FeedView
from dashboard.live.renderer import Renderer
from dashboard.resources.kinds import kinds_named
from tests.clock import FakeClock
from tests.live.feeder import Feeder, pod
from tests.live.frames import ops_of

KINDS = kinds_named(["pods", "events"])


class Shown:
    def __init__(self, params: str = "", before: int = 0) -> None:
        self.clock = FakeClock()
        self.pods, self.events = Feeder("pods", self.clock), Feeder("events", self.clock)
        for _ in range(before):
            self.pods.say(1)
            self.clock._now += 0.01
        self.query = FeedQuery.parse(QueryDict(params))
        self.view = FeedView(self.query, KINDS, [self.pods.replica, self.events.replica], self.clock)
        self.render = Renderer(render_to_string)
        for feeder in (self.pods, self.events):
            feeder.replica.on_change(lambda change, key=feeder.key: self.view.apply(key, change))  # type: ignore[misc]

    def update(self) -> list[int]:
        """The seqs of the entries that the next frame brings."""
        html = self.view.update(self.render)
        return [
            int(seq)
            for op in ops_of(html)
            if op.swap.startswith("latest")
            for seq in re.findall(r'data-seq="(\d+)"', op.html)
        ]


def seqs(shown: Shown) -> list[int]:
    return [line.entry.seq for line in shown.view.entries]


def test_a_new_page_shows_what_is_remembered_newest_first() -> None:
    shown = Shown(before=250)
    assert seqs(shown) == list(range(250, 250 - SHOWN, -1))
    assert shown.view.hidden == 0


def test_new_entries_come_newest_first() -> None:
    shown = Shown(before=2)
    shown.pods.say(3)
    assert shown.update() == [5, 4, 3]
    assert seqs(shown) == [5, 4, 3, 2, 1]
    assert shown.update() == []


def test_a_frame_brings_60_at_most_and_the_rest_is_counted() -> None:
    shown = Shown()
    shown.pods.say(AT_ONCE + 1204)
    assert len(shown.update()) == AT_ONCE
    assert (shown.view.hidden, shown.view.seen) == (1204, AT_ONCE + 1204)
    assert "1,204 more" in render_to_string("live/_rate.html", shown.view.context())
    shown.pods.say(1)
    assert len(shown.update()) == 1
    assert shown.view.hidden == 1204


def test_entries_that_nobody_can_tell_any_more_are_counted_on_the_page() -> None:
    shown = Shown()
    shown.pods.say(1)
    shown.update()
    shown.pods.lose_entries(1200)
    shown.pods.say(2)
    html = shown.view.update(shown.render)
    assert "1,200 missed while nothing was heard" in html
    assert (shown.view.missed, shown.view.hidden) == (1200, 0)
    assert "1,200 missed" not in shown.view.update(shown.render)


def test_kinds_are_woven_together_and_can_be_chosen() -> None:
    shown = Shown()
    chosen = Shown("kind=events")
    for each in (shown, chosen):
        each.pods.say(1)
        each.events.say(2)
    assert [line.resource for line in shown.view.entries] == ["events", "events", "pods"]
    assert [line.resource for line in chosen.view.entries] == ["events", "events"]
    assert chosen.view.keys == ("events",)


def test_the_filter_takes_names_namespaces_and_operations() -> None:
    shown = Shown("q=op=deleted ns=shop -cart")
    for name in ("web", "cart"):
        shown.pods.put(pod(name, namespace="shop"), op="added")
        shown.pods.drop(f"uid-shop-{name}")
    shown.pods.put(pod("web"), op="added")
    shown.pods.drop("uid-default-web")
    assert [(line.entry.namespace, line.entry.name, line.entry.op) for line in shown.view.entries] == [
        ("shop", "web", "deleted")
    ]
    assert shown.view.seen == 1


def test_rate_counts_the_last_ten_seconds_and_falls_quiet() -> None:
    shown = Shown()
    shown.pods.say(310)
    assert shown.view.rate_text == "quiet"  # this second is not over
    shown.clock._now += 1
    assert shown.view.rate_text == "31 a second"
    shown.clock._now += 10
    assert shown.view.rate_text == "quiet"


def test_time_alone_brings_a_frame_while_the_rate_changes_and_none_afterwards() -> None:
    shown = Shown()
    shown.pods.say(3)
    shown.update()
    shown.clock._now += 1
    assert shown.view.next_due() is not None
    shown.view.pass_time(shown.clock.time())
    assert shown.view.dirty
    assert "0.3 a second" in shown.view.update(shown.render)
    shown.clock._now += 11
    shown.view.pass_time(shown.clock.time())
    assert "quiet" in shown.view.update(shown.render)
    shown.clock._now += 5
    assert shown.view.next_due() is None


def test_the_histogram_stacks_to_its_full_height() -> None:
    shown = Shown()
    shown.pods.put(pod("a"), op="added")
    shown.pods.say(3)
    shown.clock._now += 5
    shown.pods.say(1)
    highest, last = shown.view.bars
    assert (highest.count, last.count) == (4, 1)
    assert float(highest.deleted_y) == pytest.approx(0)
    assert float(highest.added) + float(highest.modified) == pytest.approx(60, abs=0.1)
    assert float(highest.x) < float(last.x) < 100


def test_what_people_wrote_into_objects_is_escaped() -> None:
    shown = Shown()
    shown.pods.put(pod("x", namespace="<b>"), op="modified", words="<script>alert(1)</script> → ok")
    html = shown.view.update(shown.render)
    assert "<script>" not in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour=red", "expected one of"),
        ("op>added", "takes = or !="),
        ("op=bogus", "expected one of added, modified, deleted"),
        ("tone=red", "expected one of ok"),
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
    assert FeedView.id_of(FeedView.state_of(one)) == FeedView.id_of(FeedView.state_of(other))
