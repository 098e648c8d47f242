"""Limits of a process against users who ask for too much, and the count of refusals."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Literal

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits
from dashboard.runtime.request_turns import RequestTurns
from informerd.clock import Clock

Work = Literal["checks", "forms", "exports", "pages"]
"""Kinds of requests that are limited: checks of a text while somebody types; forms of the pages that write, with their
dry runs; files made of lists; and all other pages.
"""
REFUSALS = Limits(1, 1)
"""Pages of refused requests, with their forms, that are made at the same time."""
FORM_PARSING = Limits(1, 1)
"""Large forms that are parsed at the same time; their users take turns."""
RETRY_AFTER = 5
"""Seconds that a refused request is asked to wait."""


class Quotas:
    """The limits of one process."""

    def __init__(self, limits: Mapping[Work, Limits], clock: Clock) -> None:
        self.by_work = {work: ConcurrencyLimit(each, clock) for work, each in limits.items()}
        self.refusals = ConcurrencyLimit(REFUSALS, clock, queue_seconds=5.0, max_waiting=4)
        self.form_parsing = ConcurrencyLimit(FORM_PARSING, clock, queue_seconds=None, max_waiting=sys.maxsize)
        self.turns = RequestTurns()
        self.refused: Counter[str] = Counter()
        """Refusals since the process started, by what was refused: a kind of work, "bodies", "connections", "sockets",
        "views".
        """


QUOTAS: Key[Quotas] = Key("quotas")
