"""What stands at a past moment for that which only the present has: kinds on demand, and counts of all kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dashboard.live.moments.past_replicas import PastReplicas
from dashboard.live.object_counts.messages import KindCount
from dashboard.live.object_counts.scoped_counts import ReadableCounts
from dashboard.objects.kinds.catalog import KindInfo


class PastInterest:
    """Takes the place of Interest: a page that shows a kind has it read before others, and nothing is followed."""

    def __init__(self, replicas: PastReplicas) -> None:
        self._replicas = replicas
        self.always: frozenset[str] = frozenset()

    def note_view(self, key: str, owner: str = "") -> None:  # noqa: ARG002
        self._replicas.read_first(key)

    def follow(self, kind: KindInfo, owner: str = "") -> bool:  # noqa: ARG002
        """Have an empty replica of a kind that is not followed: history has nothing of it."""
        return self._replicas.add_unknown(kind)

    def followed_since(self, key: str) -> float:  # noqa: ARG002
        return float("-inf")

    def refusal_of(self, key: str) -> str:  # noqa: ARG002
        return ""

    async def wait_until_readable(self, key: str) -> None:
        pass

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
