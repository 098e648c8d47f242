"""Rate limiters, which set the delay before a key is tried again (client-go's default_rate_limiters.go).

All times are seconds. A limiter belongs to one queue. The default numbers are client-go's.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite, ldexp
from typing import Protocol, TypeVar

from informerd.clock import Clock, SystemClock
from informerd.errors import InvalidCall

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)


class RateLimiter(Protocol[K_contra]):
    """Decides how long a key waits."""

    def when(self, item: K_contra, /) -> float:
        """Count one more failure of `item`; returns the seconds that it is to wait."""
        ...

    def forget(self, item: K_contra, /) -> None:
        """Start the count of `item` over, after a success or when it is given up."""
        ...

    def num_requeues(self, item: K_contra, /) -> int:
        """Number of its failures since it was last forgotten."""
        ...


class ExponentialRateLimiter:
    """Each key by itself: `base`, twice that, four times… and never more than `maximum` (ItemExponentialFailure…)."""

    def __init__(self, base: float = 0.005, maximum: float = 1000.0) -> None:
        self._base = _seconds("base", base)
        self._maximum = _seconds("maximum", maximum)
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        try:
            return min(ldexp(self._base, failures), self._maximum)
        except OverflowError:
            return self._maximum

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        return self._failures.get(item, 0)


class BucketRateLimiter:
    """All keys together: `burst` at once, and from then on `rate` a second, each behind the one before."""

    def __init__(self, rate: float = 10.0, burst: int = 100, clock: Clock | None = None) -> None:
        if not (_is_number(rate) and rate > 0):
            raise InvalidCall(f"rate={rate!r}: give keys a second, more than 0")
        if not _is_number(burst) or burst < 1 or burst != int(burst):
            raise InvalidCall(f"burst={burst!r} lets no key through: give at least 1")
        self._clock = clock or SystemClock()
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        """Below zero: the number of items whose delay waits for future tokens."""
        self._counted_at = self._clock.now()

    def when(self, _item: Hashable) -> float:
        now = self._clock.now()
        self._tokens = min(self._burst, self._tokens + (now - self._counted_at) * self._rate) - 1
        self._counted_at = now
        return max(0.0, -self._tokens / self._rate)

    def forget(self, _item: Hashable) -> None:
        """Changes nothing: no key has a count."""

    def num_requeues(self, _item: Hashable) -> int:
        """Always 0."""
        return 0


class FastSlowRateLimiter:
    """Each key by itself: `fast` seconds for its first `fast_attempts` failures, `slow` for later ones."""

    def __init__(self, fast: float, slow: float, fast_attempts: int) -> None:
        self._fast = _seconds("fast", fast)
        self._slow = _seconds("slow", slow)
        if not _is_number(fast_attempts):
            raise InvalidCall(f"fast_attempts={fast_attempts!r} is not a number of failures: give a whole number")
        self._fast_attempts = fast_attempts
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        failures = self._failures[item] = self._failures.get(item, 0) + 1
        return self._fast if failures <= self._fast_attempts else self._slow

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        return self._failures.get(item, 0)


class MaxOfRateLimiter(RateLimiter[K]):
    """The longest delay of several limiters. All of them count.

    `MaxOfRateLimiter(ExponentialRateLimiter(), BucketRateLimiter())` is client-go's DefaultTypedControllerRateLimiter.
    """

    def __init__(self, *limiters: RateLimiter[K]) -> None:
        if not limiters:
            raise InvalidCall("MaxOfRateLimiter() has nothing to choose from: give at least one limiter")
        for limiter in limiters:
            if isinstance(limiter, type) or not callable(getattr(limiter, "when", None)):
                raise InvalidCall(f"{limiter!r} is not a limiter: give one, such as ExponentialRateLimiter()")
        self._limiters = limiters

    def when(self, item: K) -> float:
        return max([limiter.when(item) for limiter in self._limiters])

    def forget(self, item: K) -> None:
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: K) -> int:
        """The greatest number of all its limiters."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and isfinite(given)


def _seconds(name: str, seconds: float) -> float:
    if not (_is_number(seconds) and seconds >= 0):
        raise InvalidCall(f"{name}={seconds!r}: give seconds, 0 or more")
    return seconds
