"""The kinds that pages show: those of the settings always, others while somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Protocol

from dashboard.live.change import Change
from dashboard.live.replica import Replica
from dashboard.live.wrong_rows import Summaries, Summary
from dashboard.resources.kinds import KindInfo, find_kind
from informerd.clock import Clock


class ReplicaSource(Protocol):
    """What is needed of dashboard.live.replicas.Replicas."""

    def __iter__(self) -> Iterator[Replica]: ...

    def __contains__(self, key: str) -> bool: ...

    def get(self, key: str) -> Replica: ...

    @property
    def channel_problem(self) -> str:
        """Why nothing can be heard of the worker; empty while it can."""


class ShownKinds:
    """Kinds with their replicas and counts. `changed` is told of each change of one of them."""

    def __init__(self, replicas: ReplicaSource, clock: Clock, changed: Callable[[str, Change], None]) -> None:
        self.replicas = replicas
        self.all = tuple(kind for replica in replicas if (kind := find_kind(replica.key)) is not None)
        """In the order of the settings, then as they were opened."""
        self.steady = self.all
        """Those of the settings, which overview and feed show: the others come and go with who looks at them."""
        self.counts = Summaries([replicas.get(kind.key) for kind in self.all], clock)
        self._changed = changed
        self._leaving: dict[str, Callable[[], None]] = {}
        for kind in self.all:
            self._listen(kind.key)

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """What of each kind is how, and what is wrong."""
        return self.counts.by_key

    def replica(self, key: str) -> Replica:
        """The replica of a kind. Raises KeyError for one that is not watched."""
        return self.replicas.get(key)

    def with_replicas(self) -> list[tuple[KindInfo, Replica]]:
        return [(kind, self.replica(kind.key)) for kind in self.all]

    def steady_replicas(self) -> list[Replica]:
        return [self.replica(kind.key) for kind in self.steady]

    def follow(self, kind: KindInfo) -> None:
        """Show one more kind, whose replica there is."""
        if kind.key not in self.summaries:
            self.counts.add(self.replica(kind.key))
            self._listen(kind.key)
            self.all += (kind,)

    def unfollow(self, key: str) -> bool:
        """Show a kind no more, before its replica goes; False where it stays or was not shown."""
        leave = self._leaving.pop(key, None)
        if leave is None or any(kind.key == key for kind in self.steady):
            return False
        leave()
        self.all = tuple(kind for kind in self.all if kind.key != key)
        self.counts.remove(key)
        return True

    def name(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take over what discovery has said of kinds that are shown."""
        named = {kind.key: kind for kind in kinds}
        self.all = tuple(named.get(kind.key, kind) for kind in self.all)
        self.steady = tuple(named.get(kind.key, kind) for kind in self.steady)

    def _listen(self, key: str) -> None:
        self._leaving[key] = self.replica(key).on_change(partial(self._changed, key))
