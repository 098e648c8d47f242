"""Tests of the verdict on recordings: which states are wrong and which are not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.e2e.cluster_history import History, Json, Step
from tests.support.e2e.page_recording import Shot
from tests.support.e2e.page_recording_check import Subject, judge, judge_struck

NAMES = Subject("names", "pods", lambda parts: parts["names"], lambda objects: sorted(objects))


class FakeRecording:
    """A recording made by hand: moment, state and what was shown; it ends at 100."""

    def __init__(
        self, *shots: tuple[float, str, Any], part: str = "names", stall: tuple[float, float] = (0, 0)
    ) -> None:
        ends = [at for at, _, _ in shots[1:]] + [100.0]
        self._shots = [Shot(at, end, state, {part: said}) for (at, state, said), end in zip(shots, ends, strict=True)]
        self._stall = stall

    def shots(self) -> list[Shot]:
        return self._shots

    def stalled(self, since: float, until: float) -> float:
        return max(0.0, min(until, self._stall[1]) - max(since, self._stall[0]))


def history(*steps: tuple[float, str, Json | None]) -> History:
    """Changes that took a tenth of a second each."""
    written = History()
    for at, name, obj in steps:
        written.wrote("pods", Step(at, at + 0.1, name, obj))
    return written


THERE: Json = {}
ONE_GOES = history((1, "a", THERE), (2, "b", THERE), (50, "a", None))


def lies(recording: FakeRecording, written: History = ONE_GOES) -> list[str]:
    return [lie.sentence for lie in judge(NAMES, recording, written, late=3).lies]


def test_a_page_that_follows_in_time_is_right() -> None:
    assert lies(FakeRecording((3, "live", ["a", "b"]), (52, "live", ["b"]))) == []


def test_what_it_shows_while_it_does_not_say_live_is_no_lie() -> None:
    assert lies(FakeRecording((3, "live", ["a", "b"]), (52, "stale", ["a", "b"]), (99, "offline", ["x"]))) == []


def test_a_ghost_is_a_lie_when_it_has_been_one_for_too_long() -> None:
    (sentence,) = lies(FakeRecording((3, "live", ["a", "b"]), (55, "live", ["b"])))
    assert "it has not been so for 4.90 s" in sentence


def test_saying_live_again_with_what_was_there_before_is_a_lie_at_once() -> None:
    recording = FakeRecording(
        (3, "live", ["a", "b"]), (51, "stale", ["a", "b"]), (60, "live", ["a", "b"]), (60.01, "live", ["b"])
    )
    assert len(lies(recording)) == 1


def test_a_state_that_never_was_is_a_lie_however_short() -> None:
    recording = FakeRecording(
        (3, "live", ["a", "b"]), (3.1, "live", []), (3.2, "live", ["a", "b"]), (50.2, "live", ["b"])
    )
    assert lies(recording, history((1, "b", THERE), (2, "a", THERE), (50, "a", None))) == [
        "names: it was so before. It said [], and it is ['a', 'b']."
    ]
    assert "it was never so" in lies(FakeRecording((3, "live", ["x"])))[0]


def test_a_page_that_goes_back_lies_however_soon() -> None:
    recording = FakeRecording(
        (2.2, "live", ["a", "b"]), (2.3, "live", ["a"]), (2.4, "live", ["a", "b"]), (50.2, "live", ["b"])
    )
    assert len(lies(recording)) == 1


def test_what_was_so_once_is_right_again_only_when_it_is_so_again() -> None:
    written = history((1, "a", THERE), (20, "b", THERE), (40, "b", None))
    assert len(lies(FakeRecording((3, "live", ["a"])), written)) == 1
    assert lies(FakeRecording((3, "live", ["a"]), (21, "live", ["a", "b"]), (41, "live", ["a"])), written) == []


def test_a_page_cannot_know_what_has_not_happened() -> None:
    assert "never so" in lies(FakeRecording((3, "live", ["b"]), (50, "live", ["b"])))[0]


def test_what_the_browser_was_held_up_does_not_count() -> None:
    recording = FakeRecording((3, "live", ["a", "b"]), (55, "live", ["b"]), stall=(51, 54))
    assert lies(recording) == []


def test_it_says_how_late_the_page_was_and_how_long_it_was_live() -> None:
    recording = FakeRecording((3, "live", ["a", "b"]), (52, "live", ["b"]), (80, "stale", []))
    verdict = judge(NAMES, recording, ONE_GOES, late=3)
    assert verdict.worst == pytest.approx(1.9)
    assert (verdict.states, verdict.live) == (2, 77)


def test_a_struck_row_that_is_not_taken_away_is_a_lie() -> None:
    assert judge_struck(FakeRecording((3, "live", ["x"]), (7, "live", []), part="struck"), late=3).lies == []
    assert judge_struck(FakeRecording((3, "live", ["x"]), (10, "live", []), part="struck"), late=3).lies
