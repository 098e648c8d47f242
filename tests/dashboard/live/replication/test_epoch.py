"""Tests of epochs."""

from __future__ import annotations

from dashboard.live.replication.epoch import new_epoch
from tests.support.clock import FakeClock


def test_epochs_sort_by_the_time_they_began(clock: FakeClock) -> None:
    first = new_epoch(clock)
    clock.skip(0.002)
    assert new_epoch(clock) > first
