"""Tests of the rate: more background changes where there were too few changes, fewer where too many."""

from __future__ import annotations

import pytest

from devcluster.workload.demo.rate_correction import MAX_FACTOR, MIN_CORRECTED_RATE, MIN_FACTOR, WINDOW, RateCorrection
from tests.support.clock import FakeClock


class Cluster:
    """In which each second brings so many changes for each 1.0 of the pace's factor, and `leases` more."""

    def __init__(self, rate: float, yields: float, leases: float = 0.0) -> None:
        self.clock = FakeClock()
        self.changes = 7.0
        self.yields, self.leases = yields, leases
        self.pace = RateCorrection(self.clock, rate, lambda: int(self.changes), lambda: leases)

    async def live(self, *, late: bool = False) -> float:
        """One window; the changes a second that counted in it."""
        before = self.changes
        self.changes += (self.yields * self.pace.factor + self.leases) * WINDOW
        await self.clock.advance(WINDOW)
        self.pace.update(late=late)
        return (self.changes - before) / WINDOW - self.leases


@pytest.mark.parametrize("yields", [400.0, 481.0, 500.0, 640.0, 900.0])
async def test_what_comes_to_too_much_or_too_little_comes_to_the_rate(yields: float) -> None:
    cluster = Cluster(500.0, yields, leases=26.0)
    for _ in range(8):
        await cluster.live()
    assert await cluster.live() == pytest.approx(500.0, rel=0.02)


async def test_it_never_goes_further_than_its_bounds() -> None:
    for yields, bound in ((10.0, MAX_FACTOR), (90_000.0, MIN_FACTOR)):
        cluster = Cluster(500.0, yields)
        for _ in range(20):
            await cluster.live()
        assert cluster.pace.factor == bound


async def test_what_is_late_is_slowed_down_and_not_sped_up() -> None:
    slow, fast = Cluster(500.0, 300.0), Cluster(500.0, 700.0)
    for _ in range(3):
        await slow.live(late=True)
        await fast.live(late=True)
    assert slow.pace.factor == 1.0
    assert fast.pace.factor < 1.0


async def test_nothing_is_corrected_at_usual_rates_or_before_a_window_has_passed() -> None:
    usual, early = Cluster(MIN_CORRECTED_RATE - 1, 10.0), Cluster(500.0, 10.0)
    await usual.live()
    early.changes += 1
    early.pace.update(late=False)
    assert usual.pace.factor == early.pace.factor == 1.0
