"""Test of the token bucket."""

from __future__ import annotations

from dashboard.server.token_bucket import TokenBucket
from tests.support.clock import FakeClock


def test_a_burst_is_let_through_and_then_so_many_a_second() -> None:
    clock = FakeClock()
    bucket = TokenBucket(3, 2.0, clock)
    assert [bucket.try_take() for _ in range(4)] == [True, True, True, False]
    clock.skip(0.5)
    assert [bucket.try_take() for _ in range(2)] == [True, False]
    clock.skip(3600)
    assert [bucket.try_take() for _ in range(4)] == [True, True, True, False]
