"""Kinds that pages show: those of the settings and those that somebody follows always, others while a browser shows
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from dashboard.live.hub.kind_summaries import KindSummaries, KindSummary
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.clock import Clock


class HubKinds:
    """Kinds with their replicas and counts. `on_change` is called for each change of one of them."""

    def __init__(
        self,
        replicas: ReplicaSource,
        clock: Clock,
        on_change: Callable[[str, Change], None],
        *,
        like: HubKinds | None = None,
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        """The kinds are those of `replicas`, or those of `like`, in the state in which it has them. They are counted
        by the work that `schedule` gets.
        """
        self.replicas = replicas
        of_replicas = tuple(kind for replica in replicas if (kind := find_kind(replica.key)) is not None)
        self.all_kinds: tuple[KindInfo, ...] = of_replicas if like is None else like.all_kinds
        """In the order of the settings, then as they were opened."""
        self.configured: tuple[KindInfo, ...] = self.all_kinds if like is None else like.configured
        """Kinds of the settings; the others depend on what browsers show and what somebody follows always."""
        self._always: frozenset[str] = frozenset() if like is None else like.always_followed
        self.kind_summaries = KindSummaries([replicas.get(kind.key) for kind in self.all_kinds], clock, schedule)
        self._changed = on_change
        self._leaving: dict[str, Callable[[], None]] = {}
        for kind in self.all_kinds:
            self._listen(kind.key)

    @property
    def summaries(self) -> Mapping[str, KindSummary]:
        """Health counts of each kind, and its unhealthy objects."""
        return self.kind_summaries.by_key

    def replica(self, key: str) -> ReadableReplica:
        """The replica of a kind. Raises KeyError for a kind that is not followed."""
        return self.replicas.get(key)

    def with_replicas(self) -> list[tuple[KindInfo, ReadableReplica]]:
        return [(kind, self.replica(kind.key)) for kind in self.all_kinds]

    @property
    def always_followed(self) -> frozenset[str]:
        """Keys of the kinds of the settings, and of those that somebody follows always."""
        return self._always | {kind.key for kind in self.configured}

    def set_always_followed(self, keys: Iterable[str]) -> None:
        """Note which kinds are followed always though the settings do not name them."""
        self._always = frozenset(keys)

    def follow(self, kind: KindInfo) -> None:
        """Show one more kind, which has a replica."""
        if kind.key not in self.summaries:
            self.kind_summaries.add(self.replica(kind.key))
            self._listen(kind.key)
            self.all_kinds += (kind,)

    def unfollow(self, key: str) -> bool:
        """Stop showing a kind, before its replica is removed; False where it stays or was not shown."""
        leave = self._leaving.pop(key, None)
        if leave is None or any(kind.key == key for kind in self.configured):
            return False
        leave()
        self.all_kinds = tuple(kind for kind in self.all_kinds if kind.key != key)
        self.kind_summaries.remove(key)
        return True

    def close(self) -> None:
        """Stop listening to the replicas."""
        for leave in self._leaving.values():
            leave()
        self._leaving.clear()

    def update_kinds(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take over what discovery says of kinds that are shown."""
        named = {kind.key: kind for kind in kinds}
        self.all_kinds = tuple(named.get(kind.key, kind) for kind in self.all_kinds)
        self.configured = tuple(named.get(kind.key, kind) for kind in self.configured)

    def _listen(self, key: str) -> None:
        self._leaving[key] = self.replica(key).on_change(partial(self._changed, key))
