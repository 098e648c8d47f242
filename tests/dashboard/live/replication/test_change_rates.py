"""Tests of changes per second by namespace."""

from __future__ import annotations

from dashboard.live.replication.change_rates import RATES_SECONDS, RatesByNamespace
from tests.support.live.feed_entries import BEGAN, entry


def test_changes_of_some_namespaces_are_a_sum_and_old_ones_are_forgotten() -> None:
    rates = RatesByNamespace()
    rates.add([
        entry(1, at=1, namespace="shop"), entry(2, at=1.5, namespace="bank"), entry(3, at=2, namespace="search"),
        entry(4, at=2.5, namespace="shop", op="deleted"),
    ])  # fmt: skip
    now = BEGAN + 10
    assert list(rates.recent(["shop", "bank", "nowhere"], now)) == [
        (BEGAN + 1, 0, 1, 0), (BEGAN + 2, 0, 0, 1), (BEGAN + 1, 0, 1, 0)
    ]  # fmt: skip
    rates.add([entry(5, at=RATES_SECONDS, namespace="bank")])
    rates.forget(BEGAN + RATES_SECONDS + 5)
    later = BEGAN + RATES_SECONDS + 6
    assert list(rates.recent(["shop", "search"], later)) == []
    assert list(rates.recent(["bank"], later)) == [(BEGAN + RATES_SECONDS, 0, 1, 0)]
