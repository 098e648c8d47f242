"""Result of a successful reconcile: a requeue, if one is wanted (controller-runtime's Result)."""

from __future__ import annotations

from math import isfinite

import msgspec

from informerd.errors import InvalidCall


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing more by default; None says the same. Raises InvalidCall for seconds or priorities that are none."""

    requeue_after: float | None = None
    """Seconds until the same request is to be reconciled again, at once for 0 or less. It starts the count of its
    failures anew. (For controller-runtime 0 is never, so that a moment that has just passed is lost.)"""
    requeue: bool = False
    """Again, after as long as the rate limiter says. `requeue_after` wins."""
    priority: int | None = None
    """Of the requeue; by default the one that the request had."""

    def __post_init__(self) -> None:
        after: object = self.requeue_after
        priority: object = self.priority
        if after is not None and not (isinstance(after, int | float) and isfinite(after)):
            raise InvalidCall(f"Result(requeue_after={after!r}): give seconds as a number, or None for not at all")
        if priority is not None and not isinstance(priority, int):
            raise InvalidCall(f"Result(priority={priority!r}): give a whole number, or None for the one that it had")
