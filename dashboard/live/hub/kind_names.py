"""What a web process knows of its kinds beside their names: version, Kind and scope, as discovery has them."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.live.hub import Hub
from dashboard.live.messages import Described
from dashboard.live.replicas import Replicas
from dashboard.resources.kinds import KindInfo, is_builtin, kind_of
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.rest.discovery import Discovery

LOOK = 0.5
"""Seconds between two looks at what workers say of the kinds."""
RETRY_RESOLVE = 10.0
"""Seconds between two questions to discovery for a kind of which only the name is known."""
RETRY_OTHERWISE = 2.0
"""The same for one that the worker follows in another version or scope than is known here."""


class Naming:
    """Names kinds that are known by name only, and those anew that a worker follows otherwise than is known here.

    Pages read and write objects in the version whose rows they show.
    """

    def __init__(self, replicas: Replicas, hub: Hub, discovery: Callable[[], Discovery | None], clock: Clock) -> None:
        self._replicas = replicas
        self._hub = hub
        self._discovery = discovery
        self._clock = clock
        self._asked: dict[str, float] = {}
        """When each was last asked for, monotonic seconds."""

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await self._clock.sleep(LOOK)

    async def look(self) -> None:
        """Ask for what is not known, or not so any more."""
        if (discovery := self._discovery()) is None:
            return
        for kind in self._replicas.kinds:
            described = self._replicas.get(kind.key).described if kind.key in self._replicas else None
            name = _name_to_ask(kind, described)
            if not name or not self._is_due(kind, RETRY_OTHERWISE if described else RETRY_RESOLVE):
                continue
            if kind.resolved:
                discovery.invalidate()
            try:
                found = await discovery.resolve(name)
            except InformerdError:
                continue
            self._take(kind_of(found) if kind.resolved and not is_builtin(kind.key) else kind.with_resource(found))

    def _is_due(self, kind: KindInfo, retry: float) -> bool:
        now = self._clock.now()
        if now - self._asked.get(kind.key, float("-inf")) < retry:
            return False
        self._asked[kind.key] = now
        return True

    def _take(self, named: KindInfo) -> None:
        kinds = self._replicas.kinds
        if any(kind.key == named.key for kind in kinds):  # else nobody looks at it any more
            self._replicas.kinds = tuple(named if kind.key == named.key else kind for kind in kinds)
            self._hub.name_kinds(self._replicas.kinds)


def _name_to_ask(kind: KindInfo, described: Described | None) -> str:
    """By which name to ask for it; empty where all is known."""
    if described is None or not described.version:
        return "" if kind.resolved else kind.key
    resource = kind.resource
    if kind.resolved and (resource.version, resource.namespaced) == (described.version, described.namespaced):
        return ""
    return f"{resource.plural}.{described.version}.{resource.group}"
