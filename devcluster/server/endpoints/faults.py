"""Fault injection for tests: ``POST /faults`` makes the demo cluster misbehave.

The body is JSON with any of: ``{"compact": true}`` forgets the history, ``{"drop": true}`` resets every open watch,
``{"stall": true|false}`` holds watches back without closing them, ``{"status": 429|500, "rate": 0.3}`` fails that share
of API requests with that status, ``{"delay": 0.2}`` delays every API request by that many seconds. ``GET /faults``
returns the present settings.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from devcluster.server.api_errors import Failure, bad_request, internal_error, too_many_requests
from devcluster.server.storage.store import Store

_STATUSES = (0, 429, 500)
_WORDS = frozenset(("compact", "drop", "stall", "status", "rate", "delay"))


class Faults:
    """The faults in force. Open watches are reset and stalled by the caller."""

    def __init__(self, store: Store, rng: random.Random) -> None:
        self._store = store
        self._rng = rng
        self.stalled = False
        self.status = 0
        self.rate = 0.0
        self.delay = 0.0

    def state(self) -> dict[str, Any]:
        """The present faults, for GET."""
        return {"stall": self.stalled, "status": self.status, "rate": self.rate, "delay": self.delay}

    def apply(self, settings: dict[str, Any]) -> None:
        """Set what `settings` names. Raises Failure (400) for an unknown fault or an invalid value."""
        unknown = sorted(set(settings) - _WORDS)
        if unknown:
            raise bad_request(f"unknown fault {unknown[0]!r}")
        status, rate, delay = (settings.get(word, getattr(self, word)) for word in ("status", "rate", "delay"))
        if status not in _STATUSES:
            raise bad_request("status must be 429, 500 or 0")
        if not (isinstance(rate, int | float) and 0 <= rate <= 1):
            raise bad_request("rate must be between 0 and 1")
        if not (isinstance(delay, int | float) and 0 <= delay <= 60):
            raise bad_request("delay must be between 0 and 60 seconds")
        self.status, self.rate, self.delay = status, float(rate), float(delay)
        self.stalled = bool(settings.get("stall", self.stalled))
        if settings.get("compact"):
            self._store.compact()

    async def inject(self) -> None:
        """Wait or raise a Failure, as the faults in force have it; called once a request."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.status and self._rng.random() < self.rate:
            raise self._failure()

    def _failure(self) -> Failure:
        return too_many_requests() if self.status == 429 else internal_error("a fault that was asked for")
