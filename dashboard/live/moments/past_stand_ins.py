"""Stand-ins, at a moment of the past, for kinds on demand and for object counts, which only the present has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from dashboard.live.hub.hub import Hub
from dashboard.live.moments.past_replicas import PastReplicas
from dashboard.live.object_counts.messages import KindCount
from dashboard.live.object_counts.scoped_counts import ReadableCounts
from dashboard.objects.kinds.catalog import KindInfo
from informerd.clock import Clock, within

READ_WAIT = 1.0
"""Seconds that a page waits for the rows of its kind, so that small ones are there without scripts, too."""


class PastInterest:
    """Takes the place of Interest: a page that shows a kind has it read before others, and nothing is followed."""

    def __init__(self, replicas: PastReplicas, hub: Hub, clock: Clock) -> None:
        self._replicas = replicas
        self._hub = hub
        self._clock = clock
        self.always: frozenset[str] = frozenset()

    def note_view(self, key: str, owner: str = "") -> None:  # noqa: ARG002
        self._replicas.read_first(key)

    def follow(self, kind: KindInfo, owner: str = "") -> bool:  # noqa: ARG002
        """Show a kind that is not followed now, as far as history has it. Returns False: it is not followed."""
        if kind.key not in self._replicas:
            self._replicas.add(kind)
            self._hub.follow(kind)
        return False

    def followed_since(self, key: str) -> float:  # noqa: ARG002
        return float("-inf")

    def refusal_of(self, key: str) -> str:  # noqa: ARG002
        return ""

    async def wait_until_readable(self, key: str) -> None:
        """Wait until a kind is read, READ_WAIT seconds at most: then its page shows how far that is."""
        with suppress(TimeoutError):
            async with within(READ_WAIT, self._clock):
                await self._replicas.get(key).was_read.wait()

    async def list_once(self, key: str) -> None:
        pass

    async def read_object(self, kind: KindInfo, namespace: str, name: str) -> None:
        pass


class PastCounts:
    """Takes the place of the counts of all kinds, which are not recorded. The names of kinds are those of `base`."""

    def __init__(self, base: ReadableCounts) -> None:
        self._base = base
        self.counts_by_key: Mapping[str, KindCount] = {}

    @property
    def kinds_digest(self) -> str:
        return self._base.kinds_digest

    @property
    def shared_names(self) -> frozenset[str]:
        return self._base.shared_names

    @property
    def workers(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def request_counts(self) -> None:
        pass
