"""Discovery of the version, Kind and scope of kinds that a web process knows by name only."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.live.hub.hub import Hub
from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import KindInfo, is_builtin, kind_of
from dashboard.objects.kinds.row import TableDefinition
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.rest.discovery import Discovery

LOOK_INTERVAL = 0.5
"""Seconds between two checks of what workers report about the kinds."""
RETRY_RESOLVE = 10.0
"""Seconds between two discovery requests for a kind of which only the name is known."""
RETRY_CHANGED = 2.0
"""The same for a kind that the worker follows in another version or scope than this process knows."""


class KindDiscovery:
    """Resolves kinds that are known by name only, and those that a worker follows in another version or scope.

    Pages read and write objects in the version whose rows they show.
    """

    def __init__(
        self,
        replicas: Replicas,
        hub: Hub,
        discovery: Callable[[], Discovery | None],
        clock: Clock,
        *,
        shared_names: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        """`shared_names` returns the keys of the kinds that pages tell from others of the same name."""
        self._replicas = replicas
        self._shared_names = shared_names
        self._hub = hub
        self._discovery = discovery
        self._clock = clock
        self._requested_at: dict[str, float] = {}
        """Time of each kind's last request, monotonic seconds."""

    async def run(self) -> None:
        """Check until cancelled."""
        while True:
            self.tell_apart()
            await self.resolve_due()
            await self._clock.sleep(LOOK_INTERVAL)

    def tell_apart(self) -> None:
        """Name the API group of followed kinds whose name other kinds of the cluster have, too."""
        for kind in self._replicas.kinds:
            if (named := kind.with_shared_names(self._shared_names())) is not kind:
                self._take(named)

    async def resolve_due(self) -> None:
        """Request what is not known or no longer correct."""
        if (discovery := self._discovery()) is None:
            return
        for kind in self._replicas.kinds:
            described = self._replicas.get(kind.key).table if kind.key in self._replicas else None
            name = _name_to_ask(kind, described)
            if not name or not self._is_due(kind, RETRY_CHANGED if described else RETRY_RESOLVE):
                continue
            if kind.resolved:
                discovery.invalidate()
            try:
                resource = await discovery.resolve(name)
            except InformerdError:
                continue
            self._take(
                kind_of(resource) if kind.resolved and not is_builtin(kind.key) else kind.with_resource(resource)
            )

    def _is_due(self, kind: KindInfo, retry: float) -> bool:
        now = self._clock.now()
        if now - self._requested_at.get(kind.key, float("-inf")) < retry:
            return False
        self._requested_at[kind.key] = now
        return True

    def _take(self, named: KindInfo) -> None:
        named = named.with_shared_names(self._shared_names())
        kinds = self._replicas.kinds
        if any(kind.key == named.key for kind in kinds):  # else it was unfollowed meanwhile
            self._replicas.kinds = tuple(named if kind.key == named.key else kind for kind in kinds)
            self._hub.update_kinds(self._replicas.kinds)


def _name_to_ask(kind: KindInfo, described: TableDefinition | None) -> str:
    """The name to request; empty where everything is known."""
    if described is None or not described.version:
        return "" if kind.resolved else kind.key
    resource = kind.resource
    if kind.resolved and (resource.version, resource.namespaced) == (described.version, described.namespaced):
        return ""
    return f"{resource.plural}.{described.version}.{resource.group}"
