"""Interface by which a moment reads history."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dashboard.live.history.reader import ChangesWithStates
from dashboard.live.history.version import Version


@dataclass(frozen=True, slots=True)
class PastPage:
    """Some objects of a kind as they were at a moment."""

    objects: Sequence[bytes]
    """Their JSON, without managedFields."""
    remaining: int | None
    """How many are still to come; None where that is not known."""


@dataclass(frozen=True, slots=True)
class KnownAt:
    """What history has of a kind at a moment."""

    is_recorded: bool
    """Whether there is any state of the kind at that moment or before it."""
    gap_since: float | None = None
    """Unix seconds of the last state that is known, where the moment is in a gap; else None."""
    gap_reason: str = ""
    """Why nothing was recorded, as a clause."""


class PastObjects(Protocol):
    """History of one cluster. Each method raises HistoryUnavailable where the database cannot be used."""

    async def begin(self) -> float | None:
        """Unix seconds of the oldest moment that can be shown; None where there is none."""

    async def wait_until_recorded(self, keys: Sequence[str], at: float) -> None:
        """Wait until all changes of these kinds up to a moment are recorded, a few seconds at most."""

    async def known_at(self, key: str, at: float) -> KnownAt:
        """What there is of a kind at Unix time `at`."""

    async def recorded_since(self, key: str) -> float | None:
        """Unix seconds of the oldest moment at which a kind was recorded; None where it never was."""

    async def changes_before(self, key: str, at: float, seconds: float, most: int) -> ChangesWithStates:
        """The newest changes of a kind in the seconds before a moment, `most` at most, the moment's own included."""

    async def object_at(self, key: str, namespace: str, name: str, at: float) -> bytes | None:
        """The JSON of one object as it was at a moment, of a deleted one its last state; None where there was none."""

    def objects_at(self, key: str, at: float) -> AsyncIterator[PastPage]:
        """The kind's objects as they were then, in pages."""

    async def next_change(
        self,
        at: float,
        kinds: Sequence[str],
        is_shown: Callable[[Version], bool],
        *,
        place: tuple[str, str] | None = None,
        earlier: bool = False,
    ) -> float | None:
        """Unix seconds of the first change after `at` of what is shown, or the last one before; None: there is none."""
