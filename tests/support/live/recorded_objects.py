"""History of a test: objects that are the same at every moment, or whatever a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.reader import ChangedState, ChangesWithStates
from dashboard.live.history.version import Version
from dashboard.live.moments.history_objects import SearchLimit
from dashboard.live.moments.past_objects import KnownAt, PastPage
from tests.support.objects.rows import Json


class RecordedObjects:
    """PastObjects with these objects, by kind. A kind without any is not recorded.

    While `held` is cleared, no page comes after the first of each kind.
    """

    def __init__(self, *objects: tuple[str, Json], page: int = 2) -> None:
        self.objects: dict[str, list[bytes]] = {}
        for key, obj in objects:
            self.objects.setdefault(key, []).append(json.dumps(obj).encode())
        self.known: dict[str, KnownAt] = {}
        """What is known of a kind, where it is not simply recorded."""
        self.oldest: float | None = 0.0
        """The oldest moment, in Unix seconds."""
        self.since: dict[str, float] = {}
        """When recording of a kind began, where that is said."""
        self.changes: dict[str, list[ChangedState]] = {}
        """The changes before each moment, oldest first, by kind."""
        self.versions: list[Version] = []
        """What steps lead to."""
        self.searched_until: float | None = None
        """How far a search for a change comes, where it does not come to its end."""
        self.problem = ""
        self.read: list[str] = []
        """The kinds in the order in which they were read."""
        self.held = asyncio.Event()
        self.held.set()
        self._page = page

    async def begin(self) -> float | None:
        if self.problem:
            raise HistoryUnavailable(self.problem)
        return self.oldest

    async def wait_until_recorded(self, keys: Sequence[str], at: float) -> None:
        pass

    async def known_at(self, key: str, at: float) -> KnownAt:
        if self.problem:
            raise HistoryUnavailable(self.problem)
        self.read.append(key)
        return self.known.get(key, KnownAt(key in self.objects))

    async def recorded_since(self, key: str) -> float | None:
        return self.since.get(key)

    async def changes_before(self, key: str, at: float, seconds: float, most: int) -> ChangesWithStates:
        return ChangesWithStates(int(at * 1e6), tuple(self.changes.get(key, ())))

    async def object_at(self, key: str, namespace: str, name: str, at: float) -> bytes | None:
        if self.problem:
            raise HistoryUnavailable(self.problem)
        for each in self.objects.get(key, ()):
            metadata = json.loads(each)["metadata"]
            if (metadata.get("namespace", ""), metadata["name"]) == (namespace, name):
                return each
        return None

    async def objects_at(self, key: str, at: float) -> AsyncIterator[PastPage]:
        found = self.objects.get(key, [])
        for start in range(0, len(found), self._page):
            if start:
                await self.held.wait()
            yield PastPage(found[start : start + self._page], len(found) - start - self._page)

    async def next_change(
        self,
        at: float,
        kinds: Sequence[str],
        is_shown: Callable[[Version], bool],
        *,
        place: tuple[str, str] | None = None,
        earlier: bool = False,
    ) -> float | None:
        if self.problem:
            raise HistoryUnavailable(self.problem)
        wanted = set(kinds)
        if self.searched_until is not None:
            raise SearchLimit(self.searched_until)
        of_kinds = [each for each in self.versions if each.object.kind in wanted and is_shown(each)]
        times = [each.time / 1e6 for each in of_kinds if place in (None, (each.object.namespace, each.object.name))]
        found = [time for time in times if (time < at if earlier else time > at)]
        return (max if earlier else min)(found, default=None)
