"""Object counts for somebody with these rights: how many objects there are of the kinds that they see all of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec.structs import replace

from dashboard.access.rights import Rights
from dashboard.live.object_counts.messages import KindCount
from dashboard.runtime.app_state import Key

ONLY_A_PART = "You may see a part of them only: how many, is counted when you open the list."


class ReadableCounts(Protocol):
    """Interface by which pages read counts. See ObjectCountsClient for the attributes."""

    @property
    def counts_by_key(self) -> Mapping[str, KindCount]: ...
    @property
    def kinds_digest(self) -> str: ...
    @property
    def shared_names(self) -> frozenset[str]: ...
    @property
    def workers(self) -> Iterator[tuple[str, str]]: ...

    def request_counts(self) -> None: ...


class ScopedObjectCounts:
    """The counts of `base` without those of kinds of which `rights` include a part, or nothing."""

    def __init__(self, base: ReadableCounts, rights: Rights) -> None:
        self._base = base
        self._rights = rights
        self._source: Mapping[str, KindCount] = {}
        self._scoped: Mapping[str, KindCount] = {}

    @property
    def counts_by_key(self) -> Mapping[str, KindCount]:
        if self._source is not self._base.counts_by_key:
            self._source = self._base.counts_by_key
            self._scoped = {key: self._visible(key, counted) for key, counted in self._source.items()}
        return self._scoped

    @property
    def kinds_digest(self) -> str:
        return self._base.kinds_digest

    @property
    def shared_names(self) -> frozenset[str]:
        return self._base.shared_names

    @property
    def workers(self) -> Iterator[tuple[str, str]]:
        return self._base.workers

    def request_counts(self) -> None:
        self._base.request_counts()

    def _visible(self, key: str, counted: KindCount) -> KindCount:
        if self._rights.scope_of(key).is_everything:
            return counted
        return replace(counted, count=None, counted_at=None, problem=ONLY_A_PART)


OBJECT_COUNTS: Key[ReadableCounts] = Key("object counts")
