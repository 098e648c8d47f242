"""Tests of rate limiters, with client-go's constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from informerd.errors import InvalidCall
from informerd.workqueue.rate_limiter import (
    BucketRateLimiter,
    ExponentialRateLimiter,
    FastSlowRateLimiter,
    MaxOfRateLimiter,
)
from tests.support.clock import FakeClock

NAN = float("nan")


class TestExponential:
    def test_each_failure_doubles_the_wait_up_to_the_maximum(self) -> None:
        limiter = ExponentialRateLimiter()
        waits = [limiter.when("a") for _ in range(20)]
        assert waits[:4] == [0.005, 0.01, 0.02, 0.04]
        assert waits[17:] == [0.005 * 2**17, 1000, 1000]

    def test_keys_are_counted_apart(self) -> None:
        limiter = ExponentialRateLimiter(base=0.1, maximum=5)
        assert [limiter.when("a"), limiter.when("a"), limiter.when("b")] == [0.1, 0.2, 0.1]
        assert (limiter.num_requeues("a"), limiter.num_requeues("b"), limiter.num_requeues("c")) == (2, 1, 0)

    def test_forget_starts_the_count_over(self) -> None:
        limiter = ExponentialRateLimiter()
        for _ in range(5):
            limiter.when("a")
        limiter.forget("a")
        limiter.forget("never seen")
        assert limiter.num_requeues("a") == 0
        assert limiter.when("a") == 0.005

    @pytest.mark.parametrize(("base", "maximum"), [(0.005, 1000), (0.1, 5), (1e-9, 1e308), (1e300, 1e308)])
    def test_ten_thousand_failures_overflow_nothing(self, base: float, maximum: float) -> None:
        """client-go's TestItemExponentialFailureRateLimiterOverFlow."""
        limiter = ExponentialRateLimiter(base, maximum)
        waits = [limiter.when("a") for _ in range(10_000)]
        assert waits == sorted(waits)
        assert waits[-1] == maximum
        assert limiter.num_requeues("a") == 10_000

    def test_a_base_of_nothing_never_waits(self) -> None:
        limiter = ExponentialRateLimiter(base=0)
        assert [limiter.when("a") for _ in range(3)] == [0, 0, 0]


class TestBucket:
    def test_a_burst_goes_at_once_and_then_each_waits_its_turn(self) -> None:
        limiter = BucketRateLimiter(clock=FakeClock())
        waits = [limiter.when(number) for number in range(103)]
        assert waits[:100] == [0] * 100
        assert waits[100:] == pytest.approx([0.1, 0.2, 0.3])

    async def test_time_fills_it_again_up_to_the_burst(self) -> None:
        clock = FakeClock()
        limiter = BucketRateLimiter(rate=2, burst=3, clock=clock)
        assert [limiter.when("a") for _ in range(4)] == [0, 0, 0, 0.5]
        await clock.advance(1)
        assert [limiter.when("a") for _ in range(2)] == [0, 0.5]
        await clock.advance(1000)
        assert [limiter.when("a") for _ in range(4)] == [0, 0, 0, 0.5]

    def test_it_counts_no_key(self) -> None:
        limiter = BucketRateLimiter()
        limiter.when("a")
        limiter.forget("a")
        assert limiter.num_requeues("a") == 0


class TestFastSlow:
    def test_the_first_tries_are_fast_and_later_ones_slow(self) -> None:
        limiter = FastSlowRateLimiter(fast=0.005, slow=10, fast_attempts=3)
        assert [limiter.when("a") for _ in range(5)] == [0.005, 0.005, 0.005, 10, 10]
        assert limiter.when("b") == 0.005
        assert limiter.num_requeues("a") == 5
        limiter.forget("a")
        assert limiter.num_requeues("a") == 0
        assert limiter.when("a") == 0.005


class TestMaxOf:
    def test_the_longest_wait_wins_and_all_count(self) -> None:
        limiter = MaxOfRateLimiter(ExponentialRateLimiter(0.005, 3), FastSlowRateLimiter(1, 5, 2))
        assert [limiter.when("a") for _ in range(4)] == [1, 1, 5, 5]
        assert limiter.num_requeues("a") == 4
        limiter.forget("a")
        assert limiter.num_requeues("a") == 0
        assert limiter.when("a") == 1

    def test_client_gos_default_for_controllers_is_both(self) -> None:
        limiter = MaxOfRateLimiter[str](ExponentialRateLimiter(), BucketRateLimiter(clock=FakeClock()))
        waits = [limiter.when(str(number)) for number in range(102)]
        assert waits[:100] == [0.005] * 100
        assert waits[100:] == pytest.approx([0.1, 0.2])


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExponentialRateLimiter(base=NAN),
        lambda: ExponentialRateLimiter(maximum=float("inf")),
        lambda: ExponentialRateLimiter(base=-1),
        lambda: BucketRateLimiter(rate=0),
        lambda: BucketRateLimiter(rate=NAN),
        lambda: BucketRateLimiter(burst=0),
        lambda: FastSlowRateLimiter(-1, 1, 1),
        lambda: FastSlowRateLimiter(1, NAN, 1),
        lambda: ExponentialRateLimiter(base="5"),  # type: ignore[arg-type]
        lambda: BucketRateLimiter(rate="10"),  # type: ignore[arg-type]
        lambda: BucketRateLimiter(burst=1.5),  # type: ignore[arg-type]
        lambda: FastSlowRateLimiter(1, 2, "3"),  # type: ignore[arg-type]
        lambda: MaxOfRateLimiter(ExponentialRateLimiter),  # type: ignore[arg-type]
        lambda: MaxOfRateLimiter(5),  # type: ignore[arg-type]
        MaxOfRateLimiter,
    ],
)
def test_constants_that_make_no_sense_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidCall, match="give"):
        make()
