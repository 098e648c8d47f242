"""Tests of durations in readable form."""

from __future__ import annotations

import pytest

from dashboard.pages.controllers.cards import latency_text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0, "0 µs"),
        (0.00034, "340 µs"),
        (0.0009996, "1 ms"),
        (0.00142, "1.4 ms"),
        (0.043, "43 ms"),
        (0.31, "310 ms"),
        (0.9996, "1 s"),
        (3.24, "3.2 s"),
        (12.7, "13 s"),
        (59.4, "59 s"),
        (125, "2 min 5 s"),
        (7300, "2 h 1 min"),
        (-1, "0 µs"),
    ],
)
def test_a_duration_is_said_in_the_unit_that_fits(seconds: float | None, words: str) -> None:
    assert latency_text(seconds) == words
