"""The part of usage that somebody's rights include."""

from __future__ import annotations

from collections.abc import Callable, Collection

from dashboard.access.rights import Rights
from dashboard.live.index.usage_lookup import PollTimes, UsageLookup
from dashboard.live.usage.metrics_api import NODE_METRICS, POD_METRICS
from dashboard.live.usage.missing_rights import SOME, nodes_sentence, pods_sentence
from dashboard.live.usage.usage_totals import NAMESPACES, NODES, PODS
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage


class ScopedUsage:
    """The part of `base` that `rights` include: they are those to the metrics API, as for ``kubectl top``.

    A sum needs the right to all pods of its namespace.
    """

    def __init__(self, base: UsageLookup, rights: Rights) -> None:
        self._base = base
        self._rights = rights
        self._pods = rights.scope_of(POD_METRICS.key)
        self._nodes = rights.scope_of(NODE_METRICS.key)

    @property
    def problem(self) -> str:
        return self._base.problem

    def problem_of(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        if key == NODES:
            return self._base.problem_of(NODES)
        seen = self._seen_namespaces(key, namespaces, name)
        if seen is None:
            return self._base.problem_of(key)
        return self._base.problem_of(key, seen) if seen else self._base.problem

    @property
    def answered_at(self) -> float | None:
        return self._base.answered_at

    @property
    def poll_times(self) -> PollTimes | None:
        return self._base.poll_times

    @property
    def is_served(self) -> bool:
        return self._base.is_served

    def missing_right(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        if not self.is_served or (key == NODES and self._rights.scope_of(NODES).is_empty):
            return ""
        if key == NODES:
            may_read = self._includes(NODES, "", name) if name else not self._nodes.is_empty
            return self._base.missing_right(NODES) or ("" if may_read else nodes_sentence("You"))
        seen = self._seen_namespaces(key, namespaces, name)
        if seen is not None and not seen:
            return ""
        # somebody's own right first: the account's names namespaces in which there are pods
        return self._missing_right_to_pods(key, seen, name) or self._base.missing_right(key, seen or ())

    def _missing_right_to_pods(self, key: str, seen: frozenset[str] | None, name: str) -> str:
        if self._pods.is_empty:
            return pods_sentence("You")
        if self._pods.is_everything or (name and self._includes(key, next(iter(seen or ("",))), name)):
            return ""
        unread = frozenset(SOME) if seen is None else seen - self._pods.namespaces
        return pods_sentence("You", unread) if unread else ""

    def _seen_namespaces(self, key: str, namespaces: Collection[str], name: str) -> frozenset[str] | None:
        """Those of `namespaces`, or all, in which objects of the kind may be seen; None: they may be anywhere. No
        sentence names another one.
        """
        scope = self._rights.scope_of(key)
        if key == NAMESPACES:
            if name:
                return frozenset({name} if scope.includes("", name) else ())
            return None if scope.is_everything or scope.names_anywhere else frozenset(each for _, each in scope.names)
        if namespaces and scope.names_anywhere:
            return frozenset(namespaces)
        return frozenset(filter(scope.includes_some_of, namespaces)) if namespaces else scope.possible_namespaces

    def get(self, key: str, row: Row) -> Usage | None:
        return self._base.get(key, row) if self._includes(key, row.namespace, row.name) else None

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        return self._base.on_change(listener)

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:
        return self._base.known_past(key, row, on_found) if self._includes(key, row.namespace, row.name) else None

    def _includes(self, key: str, namespace: str, name: str) -> bool:
        if key == NODES:
            return self._nodes.includes("", name)
        if key == PODS:
            return self._pods.includes(namespace, name)
        summed = name if key == NAMESPACES else namespace
        return self._pods.is_everything or summed in self._pods.namespaces
