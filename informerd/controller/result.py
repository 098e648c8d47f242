"""What a reconcile asks for when it went well (controller-runtime's Result)."""

from __future__ import annotations

import msgspec


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing more by default; None says the same."""

    requeue_after: float | None = None
    """Seconds until the same request is to be reconciled again. It starts the count of its failures anew."""
    requeue: bool = False
    """Again, after as long as the rate limiter says. `requeue_after` wins."""
    priority: int | None = None
    """Of the requeue; by default the one that the request had."""
