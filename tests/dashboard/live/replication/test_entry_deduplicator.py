"""Tests of a replica's announcements when two workers send the same changes: each once, with a count of missed ones."""

from __future__ import annotations

import msgspec

from dashboard.live.replication.entry_deduplicator import MAX_EPOCHS, OVERLAP, EntryDeduplicator
from dashboard.objects.kinds.feed_entry import Entry
from tests.support.live.feed_entries import BEGAN, entry

ELDER, YOUNGER = "1799999999000-aaa", "1800000000000-bbb"


def said(epoch: str, *numbers: int, ahead: int = 0, step: float = 0.1) -> list[Entry]:
    """Changes `numbers` of the cluster, one each `step` seconds; the worker's own numbers are `ahead` higher."""
    return [
        msgspec.structs.replace(entry(number + ahead, at=number * step), epoch=epoch, uid=f"uid-{number}", version="1")
        for number in numbers
    ]


def following(epoch: str, *numbers: int, step: float = 0.1) -> EntryDeduplicator:
    """A deduplicator that has announced these changes and all before them, without gaps."""
    telling = EntryDeduplicator()
    telling.follow(epoch, BEGAN - 60)
    telling.deduplicate(said(epoch, *numbers, step=step))
    telling.mark_current(BEGAN + numbers[-1] * step)
    return telling


def uids(told: tuple[list[Entry], int]) -> list[str]:
    return [each.uid for each in told[0]]


def test_what_another_worker_told_is_not_told_again_and_nothing_is_missed() -> None:
    telling = following(YOUNGER, 1, 2, 3)
    assert telling.follow(ELDER, BEGAN - 600) is None
    told = telling.deduplicate(said(ELDER, 2, 3, 4, 5, ahead=5000))
    assert (uids(told), told[1]) == (["uid-4", "uid-5"], 0)


def test_a_worker_that_is_behind_does_not_tell_again_with_later_frames() -> None:
    telling = following(YOUNGER, 1, 2, 3)
    telling.follow(ELDER, BEGAN - 600)
    assert uids(telling.deduplicate(said(ELDER, 1))) == []
    assert uids(telling.deduplicate(said(ELDER, 2, 3))) == []
    assert uids(telling.deduplicate(said(ELDER, 4))) == ["uid-4"]


def test_a_delete_is_one_change_whatever_version_a_worker_saw_last() -> None:
    telling = following(YOUNGER, 1)
    (gone,) = said(YOUNGER, 2)
    telling.deduplicate([msgspec.structs.replace(gone, op="deleted", version="7")])
    telling.follow(ELDER, BEGAN - 600)
    assert telling.deduplicate([msgspec.structs.replace(gone, op="deleted", version="6", epoch=ELDER)]) == ([], 0)


def test_lines_from_long_before_a_switch_were_told_by_the_worker_before() -> None:
    telling = following(YOUNGER, *range(1, 1000), step=1.0)
    telling.follow(ELDER, BEGAN - 600)
    told = telling.deduplicate(said(ELDER, *range(500, 1001), ahead=300, step=1.0))
    assert (uids(told), told[1]) == (["uid-1000"], 0)


def test_of_a_hole_between_two_workers_what_others_told_is_not_missed() -> None:
    """The younger told 100 and died; the elder comes with 501 to 1000, and counted by second what it said."""
    telling = following(YOUNGER, *range(1, 101), step=0.01)
    telling.follow(ELDER, BEGAN - 600)
    rates = [(BEGAN + second, 0, 100 if second else 99, 0) for second in range(10)] + [(BEGAN + 10, 0, 1, 0)]
    told = telling.deduplicate(said(ELDER, *range(501, 1001), ahead=7000, step=0.01), rates)
    assert (len(told[0]), told[1]) == (500, 400)


def test_the_numbers_of_a_worker_that_has_just_begun_say_nothing_of_those_before() -> None:
    telling = following(ELDER, 1, 2, 3)
    untold = telling.follow(YOUNGER, BEGAN + 5)
    assert untold == (BEGAN + 0.3, BEGAN + 5)
    assert telling.deduplicate(said(YOUNGER, 60, ahead=-59)) == (said(YOUNGER, 60, ahead=-59), 0)


def test_a_time_without_a_worker_is_told_when_the_next_one_has_listed() -> None:
    telling = following(ELDER, 1, 2, 3)
    assert telling.follow(YOUNGER, None) is None
    assert telling.mark_current(BEGAN + 9) == (BEGAN + 0.3, BEGAN + 9)
    assert telling.mark_current(BEGAN + 10) is None


def test_the_first_changes_of_a_worker_end_the_time_without_one_though_it_says_a_moment_later_that_it_has_listed() -> (
    None
):
    telling = following(ELDER, 1, 2, 3)
    assert telling.follow(YOUNGER, None) is None
    first = said(YOUNGER, 60, 61, ahead=-59)
    telling.deduplicate(first)
    assert telling.mark_current(BEGAN + 9) == (BEGAN + 0.3, first[0].time)
    assert telling.mark_current(BEGAN + 10) is None


def test_the_first_worker_is_no_gap_to_its_own_changes() -> None:
    telling = EntryDeduplicator()
    telling.follow(ELDER, None)
    first = said(ELDER, 1, 2)
    telling.deduplicate(first)
    assert telling.mark_current(BEGAN + 9) == (0.0, first[0].time)


def test_that_a_worker_has_listed_may_be_said_by_its_next_snapshot() -> None:
    telling = following(ELDER, 1, 2, 3)
    assert telling.follow(YOUNGER, None) is None
    assert telling.follow(YOUNGER, BEGAN + 9) == (BEGAN + 0.3, BEGAN + 9)
    assert telling.follow(YOUNGER, BEGAN + 9) is None
    assert telling.mark_current(BEGAN + 10) is None


def test_a_hole_within_one_epoch_is_what_its_numbers_say() -> None:
    telling = following(ELDER, 1, 2, 3)
    assert telling.deduplicate(said(ELDER, 9))[1] == 5


def test_what_is_older_than_the_overlap_is_forgotten() -> None:
    telling = following(ELDER, 1, 2, 3)
    telling.mark_current(BEGAN + 3 * OVERLAP)
    assert len(telling._recent) == 0


def test_of_very_many_workers_the_numbers_of_the_last_are_remembered() -> None:
    telling = EntryDeduplicator()
    for number in range(MAX_EPOCHS + 5):
        telling.follow(f"{number}", BEGAN)
        telling.deduplicate(said(f"{number}", number + 1))
        telling.deduplicate(said("0", 100 + number))
    assert len(telling._last) == MAX_EPOCHS
    assert {"0", f"{MAX_EPOCHS + 4}"} <= set(telling._last)
