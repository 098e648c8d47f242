"""Limits of a process against users who ask for too much, and the count of refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits
from informerd.clock import Clock

Work = Literal["checks", "forms", "exports"]
"""Kinds of requests that are limited: checks of a text while somebody types; forms of the pages that write, with their
dry runs; and files made of lists.
"""
RESCUES = Limits(1, 1)
"""Pages with the text of a refused form that are made at the same time."""
RETRY_AFTER = 5
"""Seconds that a refused request is asked to wait."""


class Quotas:
    """The limits of one process."""

    def __init__(self, limits: Mapping[Work, Limits], clock: Clock) -> None:
        self.by_work = {work: ConcurrencyLimit(each, clock) for work, each in limits.items()}
        self.rescues = ConcurrencyLimit(RESCUES, clock, queue_seconds=5.0, max_waiting=4)
        self.refused: Counter[str] = Counter()
        """Refusals since the process started, by what was refused: a kind of work, "bodies" or "views"."""


QUOTAS: Key[Quotas] = Key("quotas")
