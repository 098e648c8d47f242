"""Tests of timers of rows: each fires when it is due, and distant ones are not stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dashboard.runtime.due_times import HORIZON, RESCAN_LEAD, DueTimes


def begun(now: float = 1000.0) -> DueTimes:
    times = DueTimes()
    times.begin(now)
    return times


def test_a_row_is_handed_out_once_when_it_is_due() -> None:
    times = begun()
    times.note("a", 1010.0)
    assert times.next_due() == 1010.0
    assert times.pop_due(1009.0) == []
    assert times.pop_due(1010.0) == ["a"]
    assert times.next_due() is None


def test_a_row_noted_anew_is_due_at_its_new_time_only() -> None:
    times = begun()
    times.note("a", 1010.0)
    times.note("a", 1020.0)
    assert times.pop_due(1015.0) == []
    times.note("a", None)
    assert times.pop_due(1030.0) == []
    assert times.next_due() is None


def test_what_is_far_away_takes_no_place_and_is_asked_about_in_time() -> None:
    times = begun()
    far = 1000.0 + HORIZON + 5_000
    for number in range(100):
        times.note(f"uid-{number}", far + number)
    assert len(times) == 0
    assert times.next_due() == far - RESCAN_LEAD
    assert not times.needs_rescan(far - RESCAN_LEAD - 1)
    assert times.needs_rescan(far - RESCAN_LEAD)
    times.begin(far - RESCAN_LEAD)
    for number in range(100):
        times.note(f"uid-{number}", far + number)
    assert len(times) == 100
    assert times.pop_due(far) == ["uid-0"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(1000, 1500)), max_size=30))
def test_whatever_is_noted_the_last_word_on_each_row_counts(notes: list[tuple[str, int | None]]) -> None:
    times, last = begun(), dict[str, int]()
    for uid, due in notes:
        times.note(uid, due)
        last.pop(uid, None)
        if due is not None:
            last[uid] = due
    for now in range(1000, 1501, 50):
        assert set(times.pop_due(now)) == {uid for uid, due in last.items() if due <= now}
        last = {uid: due for uid, due in last.items() if due > now}
