"""Tests of bursts, which become one line by the times of their entries alone, with exact counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.kinds.catalog import KindInfo, parse_kinds
from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.pages.feed.bursts import BURST_GAP, BURST_MAX_SECONDS, BURST_MIN, BurstFolder, FeedItem
from dashboard.pages.feed.line_window import FeedWindow
from dashboard.pages.feed.refresh_rate import MAX_SWAP_LINES
from dashboard.runtime.time_slicing import run_at_once
from tests.support.live.feed_entries import entry

PODS, EVENTS = parse_kinds(["pods", "events"])


def folded(entries: Iterable[Entry], kind: KindInfo = PODS) -> list[FeedItem]:
    """The lines that these entries become, oldest first."""
    folds = BurstFolder()
    lines: dict[str, FeedItem] = {}
    for one in entries:
        item, merged = folds.add(kind, one)
        for other in merged:
            del lines[other.id]
        lines[item.id] = item
    return [lines[key] for key in sorted(lines)]


def sizes(entries: Iterable[Entry]) -> list[int]:
    return [item.size for item in folded(entries)]


def test_five_changes_of_an_object_that_come_fast_are_one_line_and_four_are_not() -> None:
    assert sizes(entry(seq, at=seq * 0.5) for seq in range(1, BURST_MIN)) == [1, 1, 1, 1]
    assert sizes(entry(seq, at=seq * 0.5) for seq in range(1, 38)) == [21, 16]
    assert sizes(entry(seq, at=seq * 0.05) for seq in range(1, 38)) == [37]


def test_lines_of_one_moment_have_different_ids_that_say_nothing_of_the_workers_numbers() -> None:
    folds = BurstFolder(is_folding=False)
    times = (1.0, 1.0, 1.0000001, 2.0, 1.0, 2.0, 3.0)
    ids = [folds.add(PODS, entry(seq * 1000, at=at))[0].id for seq, at in enumerate(times)]
    assert len(set(ids)) == len(ids)
    assert ids[:3] == sorted(ids[:3])
    again = BurstFolder(is_folding=False)
    assert [again.add(PODS, entry(seq, at=at))[0].id for seq, at in enumerate(times)] == ids


def test_a_clock_that_was_set_back_ends_bursts_and_folds_no_more_than_before() -> None:
    folds = BurstFolder()
    for number in range(8):
        folds.add(PODS, entry(number + 1, f"web-{number}", at=7200.0))
    after = [msgspec.structs.replace(entry(100 + n, "web-0", at=n * 0.5), behind=7_200_000_000 - n) for n in range(99)]
    items = {folds.add(PODS, each)[0].id: each for each in after}
    assert len(folds._bursts) == 1
    assert len(items) >= 99 * 0.5 / BURST_MAX_SECONDS


def test_a_pause_or_too_long_a_burst_begins_another_line() -> None:
    slow = [entry(seq, at=seq * (BURST_GAP + 0.1)) for seq in range(1, 9)]
    assert sizes(slow) == [1] * 8
    long = folded(entry(seq, at=seq * 0.5) for seq in range(1, 100))
    assert all(item.last.time - item.first.time <= BURST_MAX_SECONDS for item in long)
    assert sum(item.size for item in long) == 99


def test_the_objects_of_one_owner_are_one_line_and_those_of_another_are_not() -> None:
    owned = [entry(seq, f"web-{seq}", at=seq * 0.1, owner="ReplicaSet/web") for seq in range(1, 7)]
    others = [entry(seq, f"api-{seq}", at=seq * 0.1, owner="ReplicaSet/api") for seq in range(7, 10)]
    found = folded(sorted([*owned, *others], key=lambda one: one.time))
    assert sorted(item.size for item in found) == [1, 1, 1, 6]
    assert max(found, key=lambda item: item.size).uids == {one.uid for one in owned}


def test_events_are_folded_by_what_they_are_about() -> None:
    about = EventSubject("Pod", "", "shop", "web-1")
    found = folded((entry(seq, f"web-1.{seq}", at=seq * 0.1, op="added", about=about) for seq in range(6)), EVENTS)
    assert [item.size for item in found] == [6]


def test_a_line_shows_what_is_worst_in_it() -> None:
    entries = [entry(seq, at=seq * 0.1, tone="bad" if seq == 3 else "ok") for seq in range(1, 8)]
    (item,) = folded(entries)
    assert (item.worst.seq, item.last.seq, item.is_urgent) == (3, 7, True)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.001, 0.3, 1.9, 2.5, 11.0]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["", "ReplicaSet/x"]),
        st.sampled_from(["added", "modified", "deleted"]),
        st.sampled_from(["ok", "bad"]),
    ),
    max_size=120,
)


def made(changes: list[tuple[float, str, str, str, str]]) -> list[Entry]:
    found, at = [], 0.0
    for seq, (pause, name, owner, op, tone) in enumerate(changes, 1):
        at += pause
        found.append(entry(seq, name, at=at, owner=owner, op=op, tone=tone))  # type: ignore[arg-type] # one of each
    return found


@pytest.mark.slow
@given(CHANGES)
def test_whatever_comes_each_entry_is_counted_in_exactly_one_line(
    changes: list[tuple[float, str, str, str, str]],
) -> None:
    entries = made(changes)
    lines = folded(entries)
    assert sum(item.size for item in lines) == len(entries)
    counted: Counter[str] = Counter()
    for item in lines:
        counted.update(item.counts)
        assert sum(item.counts.values()) == item.size
        assert item.size == 1 or item.size >= BURST_MIN
        assert item.last.time - item.first.time <= BURST_MAX_SECONDS
    assert counted == Counter(one.op for one in entries)


@pytest.mark.slow
@given(CHANGES, st.integers(1, 6), st.integers(1, 8), st.data())
def test_sampling_loses_nothing_from_the_counts(
    changes: list[tuple[float, str, str, str, str]], most: int, room: int, data: st.DataObject
) -> None:
    """Some entries are there before, the others come in lumps, with room for some lines each time."""
    entries = made(changes)
    before = data.draw(st.integers(0, len(entries)))
    shown = FeedWindow(most, fold=True)
    run_at_once(shown.begin((PODS, one) for one in entries[:before]))
    page = {item.id: item.size for item in shown.lines}
    for place, one in enumerate(entries[before:]):
        shown.add(PODS, one)
        if data.draw(st.booleans()) or place == len(entries) - before - 1:
            items, gone = shown.take_update(room)
            assert len(items) <= room
            assert [item.id for item in items] == sorted((item.id for item in items), reverse=True)
            for line in gone:
                page.pop(line, None)
            page |= {item.id: item.size for item in items}
            page = {line: page[line] for line in sorted(page, reverse=True)[:most]}
            assert 0 <= shown.shown_count <= shown.seen_count
            assert list(page) == [item.id for item in shown.lines]
    assert shown.seen_count == len(entries) - before
    while shown.has_stale_bursts:
        page |= {item.id: item.size for item in shown.take_update(room)[0]}
    assert page == {item.id: item.size for item in shown.lines}


def test_past_reading_speed_what_is_wrong_is_shown_before_what_is_not() -> None:
    shown = FeedWindow(200, fold=True)
    for seq in range(1, 1001):
        shown.add(PODS, entry(seq, f"web-{seq}", at=seq * 0.001, tone="bad" if seq in {3, 500} else "ok"))
    items, _ = shown.take_update()
    assert len(items) == MAX_SWAP_LINES
    assert {item.first.seq for item in items if item.is_urgent} == {3, 500}
    assert items[0].first.seq == 1000
    assert (shown.seen_count, shown.shown_count) == (1000, MAX_SWAP_LINES)


def test_a_fold_that_grows_stays_where_it_began_and_is_told_again() -> None:
    shown = FeedWindow(200, fold=True)
    for seq in range(1, 7):
        shown.add(PODS, entry(seq, at=seq * 0.1))
    (fold,), _ = shown.take_update()
    shown.add(PODS, entry(7, "other", at=0.75))
    shown.add(PODS, entry(8, at=0.8))
    items, gone = shown.take_update()
    assert [(item.first.name, item.size) for item in items] == [("other", 1), ("web-1", 7)]
    assert items[1] is fold
    assert not gone
    assert shown.shown_count == shown.seen_count == 8


def test_lines_that_become_one_leave_the_page() -> None:
    shown = FeedWindow(200, fold=True)
    for seq in range(1, BURST_MIN):
        shown.add(PODS, entry(seq, at=seq * 0.1))
    items, _ = shown.take_update()
    assert len(items) == BURST_MIN - 1
    shown.add(PODS, entry(BURST_MIN, at=0.6))
    (fold,), gone = shown.take_update()
    assert (fold.size, fold.id) == (BURST_MIN, items[-1].id)
    assert sorted(gone) == sorted(item.id for item in items[:-1])


def test_up_to_60_folds_that_have_grown_are_brought_together() -> None:
    shown = FeedWindow(MAX_SWAP_LINES, fold=True)
    for seq in range(MAX_SWAP_LINES * (BURST_MIN + 1)):
        if seq == MAX_SWAP_LINES * BURST_MIN:
            shown.take_update()
        shown.add(PODS, entry(seq, f"web-{seq % MAX_SWAP_LINES}", at=seq * 0.001))
    lines, _ = shown.take_update()
    assert (len(lines), shown.has_stale_bursts, shown.shown_count) == (MAX_SWAP_LINES, False, shown.seen_count)
