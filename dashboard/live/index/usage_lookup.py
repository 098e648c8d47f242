"""Interface by which lists and pages read what objects use."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage


class PollTimes(NamedTuple):
    """When the metrics API was asked for the last time, and when it is asked again: RFC 3339."""

    last: str
    next: str


class UsageLookup(Protocol):
    """What objects use, as far as it is known and may be seen."""

    @property
    def problem(self) -> str:
        """Why nothing newer is known, as a sentence; empty where the last poll was answered."""

    def problem_of(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        """`problem`; where there is none, that no worker tells what objects of the kind `key` use, as a sentence.

        It is about the objects in `namespaces`, or all; with `name` about this object.
        """

    @property
    def answered_at(self) -> float | None:
        """Unix seconds of the last poll that was answered; None where none was."""

    @property
    def poll_times(self) -> PollTimes | None:
        """The last try and the next one, while the metrics API does not answer; else None."""

    @property
    def is_served(self) -> bool:
        """Whether something in the cluster serves the metrics API; False where that is not known yet."""

    def missing_right(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        """Why it may not be read what objects of the kind `key` use, as a sentence that names the missing right; empty
        where it may, and where nothing serves the metrics API.

        It is about the objects in `namespaces`, or all; with `name` about this object. Where some of them may be read,
        it is about the others.
        """

    def get(self, key: str, row: Row) -> Usage | None:
        """What an object of the kind `key` uses; None where that is not known."""

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:
        """What an object of the kind `key` used in the last day; None where that is not known, or not yet.

        Where it is not known as of the newest poll, it is asked for, and `on_found` is called once it has come.
        """

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever all of it is known anew. Returns a function that ends that."""


class NoUsage:
    """Nothing is known, for the reason that `problem` says as a sentence."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem

    def problem_of(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:  # noqa: ARG002
        return self.problem

    answered_at = None
    poll_times = None
    is_served = False

    def missing_right(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:  # noqa: ARG002
        return ""

    def get(self, key: str, row: Row) -> Usage | None:  # noqa: ARG002
        return None

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:  # noqa: ARG002
        return None

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:  # noqa: ARG002
        return lambda: None


NO_USAGE: UsageLookup = NoUsage()
"""Nothing is known."""
