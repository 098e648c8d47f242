"""Tests of the figures of /status/."""

from __future__ import annotations

import pytest

from dashboard.server.process_status import MIB, Figure, nearly_all_within, of_limit
from informerd.cache.counters import Distribution


def test_a_figure_names_its_limit_and_its_share_of_it() -> None:
    assert of_limit("Memory", 512 * MIB, 2048 * MIB, "MiB", per=MIB) == Figure("Memory", "512 of 2,048 MiB", 0.25)
    assert of_limit("Memory", 512 * MIB, None, "MiB", per=MIB) == Figure("Memory", "512 MiB")
    assert of_limit("Size", 3000, 2000) == Figure("Size", "3,000 of 2,000", 1.0)
    assert of_limit("Size", 3000, 0) == Figure("Size", "3,000")  # 0 is no limit


@pytest.mark.parametrize(
    ("delays", "words"),
    [
        ([], "none yet"),
        ([0.001] * 100, "99 % within 10 ms"),
        ([0.001] * 99 + [3.0], "99 % within 10 ms"),
        ([0.001] * 98 + [0.2, 3.0], "99 % within 250 ms"),
        ([0.001] * 98 + [3.0] * 2, "more than 1 % over 1 s"),
    ],
)
def test_a_delay_is_that_of_99_of_100(delays: list[float], words: str) -> None:
    distribution = Distribution((0.01, 0.25, 1.0))
    for each in delays:
        distribution.add(each)
    assert nearly_all_within(distribution) == words
