"""Warnings of the API server about the version of a kind: that it is deprecated, and what to use instead.

The API server sends them with each answer. Neither discovery nor the published schema has them, and the definition may
be hidden from the account, so a list of one object's metadata is requested.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dashboard.runtime.app_state import Key
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

TTL = 60.0
"""Seconds that an answer is kept."""
MAX_KINDS = 200
"""Kinds whose answers are kept at once; the oldest goes first."""
TIME_LIMIT = 1.0
"""Seconds to wait for an answer; then the page comes without it. The review has the warnings in any case."""
_METADATA = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}

_Key = tuple[str, str, str]


class VersionWarnings:
    """Each kind's warnings, requested once in TTL seconds.

    They are the same for everybody: the client that `reader` returns asks, and without one that of the caller.
    """

    def __init__(self, clock: Clock, reader: Callable[[], Client | None] = lambda: None) -> None:
        self._clock = clock
        self._reader = reader
        self._known: dict[_Key, tuple[float, tuple[str, ...]]] = {}

    async def of(self, client: Client, resource: Resource, namespace: str = "") -> tuple[str, ...]:
        """The warnings, as the API server words them; none where they are unknown.

        `namespace` is one in which the account may list the kind, if that is known.
        """
        key = (client.config.server, resource.key, resource.version)
        asked, warnings = self._known.get(key, (0.0, ()))
        if key in self._known and self._clock.now() - asked < TTL:
            return warnings
        warnings = await _ask(self._reader() or client, resource, namespace)
        self._known.pop(key, None)
        if len(self._known) >= MAX_KINDS:
            del self._known[next(iter(self._known))]
        self._known[key] = (self._clock.now(), warnings)
        return warnings


VERSION_WARNINGS: Key[VersionWarnings] = Key("version_warnings")


async def _ask(client: Client, resource: Resource, namespace: str) -> tuple[str, ...]:
    if resource.verbs and "list" not in resource.verbs:
        return ()
    try:
        async with asyncio.timeout(TIME_LIMIT):
            answer = await client.list(resource, namespace, {"limit": "1"}, headers=_METADATA)
    except (InformerdError, TimeoutError):
        return ()
    return answer.warnings
