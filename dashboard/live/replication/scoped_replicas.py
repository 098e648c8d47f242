"""The visible part of all shared replicas, by what somebody's rights include of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dashboard.access.rights import KindScope, Rights
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.events import SUBJECT_OF, row_subject
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

FindKind = Callable[[str, str], KindInfo | None]
"""Returns what is known of a Kind (in any case) of an API group; None where nothing is."""


class VisibleKind:
    """The objects of one kind that rights include."""

    def __init__(self, scope: KindScope, *, is_namespaced: bool) -> None:
        self._scope = scope
        self.is_nothing = scope.is_empty if is_namespaced else not scope.includes_cluster_scoped
        self.namespaces = scope.possible_namespaces
        self.is_all_there = scope.is_all_there

    def sees_name(self, namespace: str, name: str) -> bool:
        return self._scope.includes(namespace, name)

    def sees_namespace(self, namespace: str) -> bool:
        return self._scope.includes_some_of(namespace)

    def sees_row(self, row: Row) -> bool:
        return self._scope.includes(row.namespace, row.name)

    def sees_entry(self, entry: Entry) -> bool:
        return self._scope.includes(entry.namespace, entry.name)


class VisibleEvents(VisibleKind):
    """The Events that rights include, and that are about an object that they include, too.

    Where the kind of that object is not known, everything of its group must be included; where the Event names none,
    everything of the core group; where only the Event's own name is known, everything there is.
    """

    def __init__(self, scope: KindScope, rights: Rights, find_kind: FindKind) -> None:
        super().__init__(scope, is_namespaced=True)
        self.is_all_there = False
        self._rights = rights
        self._find_kind = find_kind

    def sees_name(self, namespace: str, name: str) -> bool:  # noqa: ARG002 -- the same for all names
        """Most Events are named after the object that they are about, which may be of any group."""
        return self._rights.sees_all

    def sees_row(self, row: Row) -> bool:
        if not super().sees_row(row):
            return False
        return self._sees_subject(row_subject(row), row.namespace)

    def sees_entry(self, entry: Entry) -> bool:
        return super().sees_entry(entry) and self._sees_subject(entry.about, entry.namespace)

    def _sees_subject(self, subject: EventSubject | None, namespace: str) -> bool:
        """An Event is in the namespace of the object that it is about; in any where that has none, and then a right
        within that namespace shows nothing.
        """
        known = self._find_kind(subject.kind, subject.group) if subject is not None else None
        if subject is None or known is None:
            group = subject.group if subject is not None else ""
            return self._rights.lists_all_of(group)
        return self._rights.scope_of(known.key).includes(namespace if known.namespaced else "", subject.name)


class ScopedReplicas:
    """The replicas of `base` with what `rights` include. A kind of which that is everything has its replica itself.

    A kind that somebody may see nothing of is empty. `close` ends the listening to `base`.
    """

    def __init__(
        self,
        base: ReplicaSource,
        rights: Rights,
        find_kind: FindKind,
        *,
        on_new: Callable[[ScopedReplica], None] = lambda _: None,
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        """`on_new` is called with each scoped replica when it is made, `schedule` with the count of its rows."""
        self._base = base
        self._rights = rights
        self._find_kind = find_kind
        self._on_new = on_new
        self._schedule = schedule
        self._sees_all = rights.sees_all
        self._is_closed = False
        self._scoped: dict[str, ScopedReplica] = {}

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self._base.kinds

    @property
    def channel_problem(self) -> str:
        """Why nothing can be received from the worker; empty while it can."""
        return self._base.channel_problem

    def __iter__(self) -> Iterator[ReadableReplica]:
        return iter([self.get(replica.key) for replica in self._base])

    def __contains__(self, key: str) -> bool:
        return key in self._base

    def get(self, key: str) -> ReadableReplica:
        """The visible part of a kind's replica.

        Raises KeyError for a kind that is not followed, RuntimeError after `close`.
        """
        if self._is_closed:
            raise RuntimeError("these people's rights are no longer in use: find their group again")
        base = self._base.get(key)
        scope = self._rights.scope_of(key)
        if self._sees_all or (scope.is_everything and key not in SUBJECT_OF):
            return base
        scoped = self._scoped.get(key)
        if scoped is None or scoped.base is not base:
            if scoped is not None:
                scoped.close()
            scoped = self._scoped[key] = ScopedReplica(base, self._visible(key, scope), self._schedule)
            self._on_new(scoped)
        return scoped

    def _visible(self, key: str, scope: KindScope) -> VisibleKind:
        if key in SUBJECT_OF:
            return VisibleEvents(scope, self._rights, self._find_kind)
        known = next((kind for kind in self.kinds if kind.key == key), None)
        return VisibleKind(scope, is_namespaced=known is None or known.namespaced)

    def forget(self, key: str) -> None:
        """Drop what is kept of a kind that is no longer followed."""
        if (scoped := self._scoped.pop(key, None)) is not None:
            scoped.close()

    def close(self) -> None:
        self._is_closed = True
        for key in [*self._scoped]:
            self.forget(key)
