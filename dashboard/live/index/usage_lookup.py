"""Interface by which lists and pages read what objects use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage


class UsageLookup(Protocol):
    """What objects use, as far as it is known and may be seen."""

    @property
    def problem(self) -> str:
        """Why nothing newer is known, as a sentence; empty where the last poll was answered."""

    @property
    def answered_at(self) -> float | None:
        """Unix seconds of the last poll that was answered; None where none was."""

    def get(self, key: str, row: Row) -> Usage | None:
        """What an object of the kind `key` uses; None where that is not known."""

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:
        """What an object of the kind `key` used in the last day; None where that is not known, or not yet.

        Where it is not known as of the newest poll, it is asked for, and `on_found` is called once it has come.
        """

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever all of it is known anew. Returns a function that ends that."""


class _NoUsage:
    problem = ""
    answered_at = None

    def get(self, key: str, row: Row) -> Usage | None:  # noqa: ARG002
        return None

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:  # noqa: ARG002
        return None

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:  # noqa: ARG002
        return lambda: None


NO_USAGE: UsageLookup = _NoUsage()
"""Nothing is known."""
