"""Tests of the live list: its frames always turn a page into the current list."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from collections.abc import Collection
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.live.index.kind_index import KindIndex
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.path_suggestions import sample_objects
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import LiveList
from dashboard.pages.lists.paging import PAGE_SIZE
from dashboard.pages.lists.row_window import MORPH_FROM
from dashboard.runtime.due_times import RESCAN_LEAD
from dashboard.runtime.time_slicing import TimeSlicer
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live.hx_partial_interpreter import Page, ops_of
from tests.support.live.replica_feeder import Feeder, pod

PODS = KINDS["pods"]


class Shown:
    """A list page under test: the view, fed by a replica, and the page that its frames made."""

    def __init__(self, params: str = "", rows: list[Row] | None = None, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.feed = Feeder("pods", self.clock, rows or [])
        query = Query.parse(QueryDict(params), "pods")
        self.results = KindIndex(self.feed.replica, self.clock, TimeSlicer())
        self.view = LiveList(PODS, query, self.results.open_result(query), self.feed.replica, self.clock)
        self.view.open()
        self.feed.replica.on_change(self._changed)
        self.render = Renderer(render_to_string)
        self.page = Page()
        self.page.apply(self.view.render_window(self.render))

    def _changed(self, change: Change) -> None:
        self.results.apply(change)
        self.view.apply("pods", change)

    def update(self) -> list[str]:
        """Send what changed; the ops on rows as `swap target rows`, for reading."""
        done = self.page.apply(self.view.update(self.render))
        assert not self.page.lost
        assert self.page.standing == [line.row.uid for line in self.view.lines]
        return [f"{op.swap.partition(' ')[0]} {' '.join(op.rows) or op.target.partition('>#row-')[2]}" for op in done]


def names(shown: Shown) -> list[str]:
    return [line.row.name for line in shown.view.lines]


def many(number: int, **more: object) -> list[Row]:
    return [pod(f"pod-{index:05d}", **more) for index in range(number)]  # type: ignore[arg-type]


def test_rows_stand_in_the_order_of_namespace_and_name() -> None:
    shown = Shown(rows=[pod("b"), pod("a"), pod("a", namespace="alpha")])
    assert [line.row.key for line in shown.view.lines] == ["alpha/a", "default/a", "default/b"]
    assert (shown.view.total, shown.view.kind_total, shown.view.paging.first, shown.view.paging.last) == (3, 3, 1, 3)


def test_a_changed_row_is_placed_where_it_stands() -> None:
    shown = Shown(rows=many(3))
    shown.feed.put(pod("pod-00001", version=2, restarts=7))
    assert shown.update() == ["place uid-default-pod-00001"]
    assert 'data-version="2"' in shown.page.html["uid-default-pod-00001"]


def test_an_added_row_is_placed_before_the_one_that_follows() -> None:
    shown = Shown(rows=[pod("a"), pod("c")])
    shown.feed.put(pod("b"), op="added")
    assert shown.update() == ["place uid-default-b"]
    assert names(shown) == ["a", "b", "c"]


def test_rows_added_together_may_refer_to_each_other() -> None:
    shown = Shown(rows=[pod("a"), pod("z")])
    shown.feed.put(pod("m"), pod("n"), pod("o"), op="added")
    shown.update()
    assert names(shown) == ["a", "m", "n", "o", "z"]


def test_a_deleted_row_is_marked_gone_and_one_beside_it_added_in_the_same_frame_stays() -> None:
    shown = Shown(rows=many(3))
    shown.feed.put_and_drop([pod("pod-00000a")], ["uid-default-pod-00001"])
    assert shown.update() == ["gone uid-default-pod-00001", "place uid-default-pod-00000a"]
    assert shown.page.gone == {"uid-default-pod-00001"}


def test_a_row_that_no_longer_matches_leaves_at_once() -> None:
    shown = Shown("q=status=Running", rows=many(2))
    shown.feed.put(pod("pod-00001", status="Failed", tone="bad"))
    assert shown.update() == ["leave uid-default-pod-00001"]


def test_a_changed_sort_value_moves_only_that_row() -> None:
    shown = Shown("sort=-restarts", rows=[pod(f"p{n}", restarts=n) for n in range(5)])
    assert names(shown) == ["p4", "p3", "p2", "p1", "p0"]
    shown.feed.put(pod("p0", restarts=3, version=2))
    assert shown.update() == ["place uid-default-p0"]
    assert names(shown) == ["p4", "p0", "p3", "p2", "p1"]


def test_the_window_holds_100_rows_and_what_leaves_it_is_taken_out() -> None:
    shown = Shown(rows=many(PAGE_SIZE + 5))
    shown.feed.put(pod("aaa"), op="added")
    assert shown.update() == [f"leave uid-default-pod-{PAGE_SIZE - 1:05d}", "place uid-default-aaa"]
    assert len(shown.page.order) == PAGE_SIZE


def test_a_change_outside_the_window_sends_no_row() -> None:
    shown = Shown(rows=many(PAGE_SIZE + 50))
    shown.feed.put(pod(f"pod-{PAGE_SIZE + 10:05d}", version=9, restarts=1))
    before = shown.view.seq
    assert shown.view.update(shown.render) == ""
    assert shown.view.seq == before


def test_counts_change_though_the_row_is_outside_the_window() -> None:
    shown = Shown(rows=many(PAGE_SIZE + 50))
    shown.feed.put(pod(f"pod-{PAGE_SIZE + 10:05d}", status="Failed", tone="bad"))
    html = shown.view.update(shown.render)
    assert {op.target for op in ops_of(html)} == {
        f"#{part}-{shown.view.id}" for part in ("total", "facets", "pager", "empty")
    }
    assert "Failed" in html


def test_beyond_60_changed_rows_the_window_is_sent() -> None:
    shown = Shown(rows=many(PAGE_SIZE))
    shown.feed.put(*(pod(f"pod-{n:05d}", version=2, restarts=1) for n in range(MORPH_FROM)))
    assert len(shown.update()) == MORPH_FROM
    shown.feed.put(*(pod(f"pod-{n:05d}", version=3, restarts=2) for n in range(MORPH_FROM + 1)))
    assert [op.split()[0] for op in shown.update()] == ["window"]


def test_facets_count_all_statuses_whichever_is_chosen() -> None:
    rows = [*many(3), pod("x", status="Failed", tone="bad")]
    view = Shown("q=status=Failed", rows=rows).view
    assert view.total == 1
    assert {facet.status: (facet.count, facet.is_active) for facet in view.facets} == {
        "Running": (3, False), "Failed": (1, True),
    }  # fmt: skip
    assert sum(share.count for share in view.status_bar) == 4


def test_a_status_has_one_facet_that_tells_which_of_its_rows_are_worse_off() -> None:
    unready = [pod("x", tone="warn"), pod("y", tone="warn"), pod("z", tone="busy")]
    shown = Shown(rows=[*many(3), *unready, pod("w", status="Failed", tone="bad")])
    running, failed = shown.view.facets
    assert (running.status, running.tone, running.count) == ("Running", "ok", 6)
    assert [(part.tone, part.count) for part in running.worse_shares] == [("busy", 1), ("warn", 2)]
    assert (failed.tone, failed.count, failed.worse_shares) == ("bad", 1, ())
    html = render_to_string("lists/_facets.html", shown.view.context())
    assert html.count('class="facet"') == 2
    assert 'title="2 of them need a look"' in html
    shown.feed.put(pod("x", version=2), pod("y", version=2))
    assert [part.tone for part in shown.view.facets[0].worse_shares] == ["busy"]


def test_facets_follow_status_changes_and_deletes() -> None:
    shown = Shown(rows=many(3))
    shown.feed.put(pod("pod-00000", status="Failed", tone="bad"))
    shown.feed.drop("uid-default-pod-00001")
    assert {facet.status: facet.count for facet in shown.view.facets} == {"Running": 1, "Failed": 1}


@pytest.mark.parametrize("query", ["q=status=Failed", "q=nobody", "q=pod-00000", "namespace=other"])
def test_what_a_list_leaves_out_is_counted_each_second(query: str) -> None:
    shown = Shown(query, rows=many(3))
    shown.feed.put(pod("new", status="Pending", tone="busy"))
    assert not shown.view.dirty
    due = shown.view.next_due()
    assert due is not None
    shown.view.pass_time(due)
    assert shown.view.dirty
    assert "of 4" in shown.view.update(shown.render)
    assert shown.view.next_due() is None


def test_a_row_grows_too_old_for_the_filter_without_any_change() -> None:
    clock = FakeClock()
    now = clock.time()
    shown = Shown("q=age<1h", rows=[pod("old", created=now - 3590), pod("young", created=now)], clock=clock)
    assert names(shown) == ["old", "young"]
    assert shown.results.next_due() == now + 10
    shown.results.pass_time(now + 9)
    assert not shown.view.dirty
    clock.skip(11)
    shown.results.pass_time(clock.time())
    assert shown.view.dirty
    assert shown.update() == ["leave uid-default-old"]
    assert shown.results.next_due() == now + 3600 - RESCAN_LEAD  # when all are looked at again, as the hour is far away


def test_pages_follow_one_another_and_the_last_one_is_shown_for_any_beyond() -> None:
    rows = many(PAGE_SIZE * 2 + 50)
    second = Shown("page=2", rows=rows).view
    assert (second.paging.first, second.paging.last, second.total) == (101, 200, 250)
    assert "page=3" in second.paging.next_href
    assert second.paging.previous_href == "/resources/pods/"
    beyond = Shown("page=9", rows=rows).view
    assert (beyond.paging.first, beyond.paging.last, beyond.paging.next_href) == (201, 250, "")


def test_the_last_page_vanishes_with_its_rows() -> None:
    shown = Shown("page=2", rows=many(PAGE_SIZE + 1))
    shown.feed.drop(f"uid-default-pod-{PAGE_SIZE:05d}")
    shown.update()
    assert (shown.view.paging.first, shown.view.paging.last) == (1, PAGE_SIZE)


def test_the_id_is_the_same_in_every_process_and_the_seq_of_no_two() -> None:
    one, other = Shown("q=web status=Running&sort=name").view, Shown("sort=name&q=status=Running+web").view
    assert one.id == other.id
    assert one.seq != other.seq


def test_a_page_sees_its_own_mistakes_and_nobody_elses() -> None:
    shown = Shown()
    mistaken = shown.view.with_query(Query.parse(QueryDict("q=restarts>"), "pods"))
    assert mistaken.query.problems
    assert mistaken.id == shown.view.id
    assert not shown.view.query.problems


def test_an_empty_list_says_why_as_soon_as_that_changes() -> None:
    shown = Shown()
    shown.feed.beat(Health(state="absent", since=shown.clock.time()))
    assert "no Pods yet" in shown.view.update(shown.render)


def test_a_list_that_is_being_read_says_of_how_many_as_soon_as_that_is_known() -> None:
    shown = Shown()
    shown.feed.beat(Health(state="syncing", since=0, listed=1240))
    assert "1,240 so far" in shown.view.update(shown.render)
    shown.feed.beat(Health(state="syncing", since=0, listed=1240, remaining=760))
    assert "1,240 of about 2,000 so far" in shown.view.update(shown.render)


def test_nothing_of_one_person_and_no_age_is_in_a_frame() -> None:
    shown = Shown(rows=many(2))
    html = shown.view.render_window(shown.render)
    assert "csrf" not in html.lower()
    assert 'datetime="2027-01-15T08:00:00Z"' in html


def test_object_text_is_escaped() -> None:
    shown = Shown(rows=[pod("<script>alert(1)</script>", uid='x"><img src=x>', node='"><b>')])
    html = shown.view.render_window(shown.render)
    assert "<script>" not in html
    assert "<img" not in html
    assert '<b>"' not in html


@pytest.mark.slow
@pytest.mark.parametrize("params", ["", "sort=-restarts", "q=status=Running", "sort=-restarts&page=2&q=-name-3"])
def test_the_page_equals_the_list_after_any_sequence_of_changes(params: str) -> None:
    chance = random.Random(params)
    shown = Shown(params, rows=[pod(f"name-{n}", restarts=n % 7) for n in range(130)])
    for version in range(2, 80):
        here = list(shown.feed.replica.rows)
        gone = chance.sample(here, min(len(here), chance.choice([0, 0, 1, 3, 70])))
        status = chance.choice(["Running", "Failed", "Pending"])
        rows = [
            pod(f"name-{chance.randrange(200)}", version=version, restarts=chance.randrange(9), status=status)
            for _ in range(chance.choice([0, 1, 2, 5, 40]))
        ]
        shown.feed.put_and_drop([row for row in rows if row.uid not in gone], gone)
        if chance.random() < 0.7:
            shown.update()
    shown.update()
    expected = sorted(
        (row for row in shown.feed.replica.rows.values() if shown.view.query.matches(row, 0)),
        key=shown.view.query.sort_key,
    )
    assert shown.view.total == len(expected)
    assert shown.page.standing == [row.uid for row in expected[shown.view.paging.first - 1 : shown.view.paging.last]]


def test_a_path_that_no_object_has_is_named_with_the_one_that_may_be_meant_until_one_has_it() -> None:
    rows = [pod(f"pod-{each}", obj={"spec": {"nodeName": "node-1"}}) for each in range(3)]
    shown = Shown("columns=name,.spec.nodename", rows=rows)
    (absent,) = shown.view.unknown_paths
    assert (absent.path, absent.suggested_path) == (".spec.nodename", ".spec.nodeName")
    assert absent.href == "/resources/pods/?columns=name,.spec.nodeName"
    assert "No object has <code>.spec.nodename</code>" in shown.view.render_window(shown.render)
    shown.feed.put(pod("pod-1", version=2, obj={"spec": {"nodename": "odd"}}))
    html = shown.view.update(shown.render)
    assert shown.view.unknown_paths == ()
    assert f'hx-target="#notes-{shown.view.id}"' in html


def test_objects_that_cannot_be_read_are_named_until_they_can() -> None:
    shown = Shown("", rows=[pod("web")])
    named = tuple((f"default/deep-{number}", "it is nested too deeply") for number in range(2))
    shown.feed.beat(Health("live", 0.0, unreadable=3, unreadable_objects=named))
    html = shown.view.update(shown.render)
    assert "3 of the Pods exist but cannot be read, and are not in this list:" in html
    assert "<code>default/deep-1</code> (it is nested too deeply) and 1 more." in html
    shown.feed.beat(Health("live", 0.0, unreadable=1, unreadable_objects=named[:1]))
    assert "1 of the Pods exists but cannot be read, and is not in this list:" in shown.view.update(shown.render)
    shown.feed.beat(Health("live", 0.0))
    assert f'hx-target="#notes-{shown.view.id}"' in (html := shown.view.update(shown.render))
    assert "cannot be read" not in html
    shown.feed.put(pod("another"))
    assert "#notes-" not in shown.view.update(shown.render)


def test_what_was_meant_by_a_path_is_looked_for_once_while_the_same_paths_are_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []

    def counted(rows: Collection[Row]) -> list[dict[str, Any]]:
        looked.append(len(rows))
        return sample_objects(rows)

    monkeypatch.setattr("dashboard.pages.lists.no_match_suggestions.sample_objects", counted)
    rows = [pod(f"pod-{each}", obj={"spec": {"nodeName": "node-1", "hostname": "h"}}) for each in range(3)]
    shown = Shown("columns=.spec.nodename,.spec.hostnam", rows=rows)
    for number in range(3, 8):
        shown.feed.put(pod(f"pod-{number}", obj={"spec": {"nodeName": "node-1"}}))
        assert "Did you mean" in shown.view.update(shown.render)
    assert len(looked) == 1
    shown.feed.put(pod("pod-1", version=2, obj={"spec": {"nodename": "odd"}}))
    assert "No object has <code>.spec.hostnam</code>" in shown.view.update(shown.render)
    assert [absent.path for absent in shown.view.unknown_paths] == [".spec.hostnam"]
    assert len(looked) == 2


@pytest.mark.slow
async def test_a_list_that_looks_at_a_new_path_shows_how_far_it_is() -> None:
    rows = [pod(f"pod-{each:05d}", obj={"spec": {"priority": -each}}) for each in range(2000)]
    shown = Shown("sort=.spec.priority", rows=rows)
    assert shown.view.searched_path == ".spec.priority"
    said = set()
    while shown.view.search_progress is not None:
        said.add(shown.view.search_progress[0])
        assert shown.view.lines == ()
        html = shown.view.render_window(shown.render)
        assert "Looking at <code>.spec.priority</code>" in html or shown.view.searched_path == ""
        await asyncio.sleep(0)
    assert len(said) > 2
    assert names(shown)[0] == "pod-01999"


def test_a_list_that_nobody_views_is_freed_without_a_collection_of_all_objects() -> None:
    """Ten thousand entries of a list in a cycle take a collection 100 ms, in which no page is served."""
    feed, query = Feeder("pods", clock := FakeClock(), [pod("web")]), Query.parse(QueryDict(""), "pods")
    results = KindIndex(feed.replica, clock, TimeSlicer())
    view = LiveList(PODS, query, results.open_result(query), feed.replica, clock)
    view.open()
    view.render_window(Renderer(render_to_string))
    left = weakref.ref(view)
    view.close()
    gc.disable()
    try:
        del view
        assert left() is None
    finally:
        gc.enable()
