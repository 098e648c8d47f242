"""The part of usage that somebody's rights include."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.access.rights import Rights
from dashboard.live.index.usage_lookup import UsageLookup
from dashboard.live.usage.metrics_api import NODE_METRICS, POD_METRICS
from dashboard.live.usage.usage_totals import NODES, PODS
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage

NOT_ALLOWED = "You may not read what pods use: that needs the right to list pods of metrics.k8s.io."


class ScopedUsage:
    """The part of `base` that `rights` include: they are those to the metrics API, as for ``kubectl top``.

    A sum needs the right to all pods of its namespace.
    """

    def __init__(self, base: UsageLookup, rights: Rights) -> None:
        self._base = base
        self._pods = rights.scope_of(POD_METRICS.key)
        self._nodes = rights.scope_of(NODE_METRICS.key)

    @property
    def problem(self) -> str:
        return NOT_ALLOWED if self._pods.is_empty and self._nodes.is_empty else self._base.problem

    @property
    def answered_at(self) -> float | None:
        return self._base.answered_at

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
        summed = name if key == "namespaces" else namespace
        return self._pods.is_everything or summed in self._pods.namespaces
