"""How a kind of which only its name is known is served: in which version, as which Kind, in namespaces or not.

Discovery says it, some time after it became so. A kind's definition, where that may be read, says it first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dashboard.live.definitions import Definition, Definitions
from informerd.clock import Clock, sleep_or
from informerd.errors import InformerdError, NotWatchable, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

RETRY_RESOLVE = 5.0
"""Seconds between two questions to discovery for a kind that it does not know, or that it names and nobody finds."""
SELDOM = 60.0
"""The same at most for a kind that has never been where it was looked for first."""
SOON = 0.25
"""Seconds between the first two questions after a kind was served otherwise; each wait is twice as long as the last."""
LATE = 5.0
"""Seconds for which discovery may not know yet of a kind that was served otherwise before."""


class Served:
    """Asks how `key` is served, and notices when it is served otherwise."""

    def __init__(self, key: str, discovery: Discovery, definitions: Definitions, clock: Clock) -> None:
        self._key = key
        self._discovery = discovery
        self._definitions = definitions
        self._clock = clock
        self._doubt = asyncio.Event()
        self._defined: Definition | None = None
        """As it was last heard of since `find`."""

    def doubt(self) -> None:
        """It may be served otherwise: it is not there, or its definition is not."""
        self._doubt.set()

    def hear(self, definition: Definition) -> None:
        """The definition is now so."""
        self._defined = definition
        self._doubt.set()

    async def find(
        self, unresolved: Callable[[InformerdError], None], *, before: bool
    ) -> tuple[Resource, Definition | None]:
        """How it is served; asked until it exists and can be watched or listed. `unresolved` is told why not yet.

        `before`: whether it was followed until now, so that what discovery says may be late.
        """
        begun, wait = self._clock.now(), SOON if before else RETRY_RESOLVE
        while True:
            try:
                resource = await self._resolved()
                definition = await self._definitions.find(resource)
            except InformerdError as error:
                late = before and isinstance(error, UnknownResource) and self._clock.now() - begun < LATE
                if not late:
                    unresolved(error)
            else:
                if definition is None or definition.serves(resource):
                    self._defined = definition
                    return resource, definition
            await self._clock.sleep(wait)
            wait = min(2 * wait, RETRY_RESOLVE)
            self._discovery.invalidate()

    async def until_otherwise(
        self,
        resource: Resource,
        absent: Callable[[], bool],
        known: Callable[[], bool],
        *,
        at_most: float = RETRY_RESOLVE,
    ) -> None:
        """Return when it is served otherwise: as its definition says, or as discovery says while it is `absent`.

        So it is where discovery does not name it and objects of it are `known`. `at_most`: seconds between questions.
        """
        while True:
            await self._doubt.wait()
            self._doubt.clear()
            wait = SOON
            while not self._is_undefined(resource) and absent():
                if await self._is_named_otherwise(resource, known):
                    return
                if await sleep_or(self._doubt, wait, self._clock):
                    self._doubt.clear()
                wait = min(2 * wait, at_most)
            if self._is_undefined(resource):
                return

    def _is_undefined(self, resource: Resource) -> bool:
        return self._defined is not None and not self._defined.serves(resource)

    async def _is_named_otherwise(self, resource: Resource, known: Callable[[], bool]) -> bool:
        self._discovery.invalidate()
        try:
            return _way(await self._resolved()) != _way(resource)
        except UnknownResource:
            return known()
        except InformerdError:  # nothing is said of it: it is there again, or named, some day
            return False

    async def _resolved(self) -> Resource:
        resource = await self._discovery.resolve(self._key)
        if resource.key != self._key:  # its informer would be that of another kind that is followed
            raise UnknownResource(self._key, (resource.key,))
        if resource.verbs and "list" not in resource.verbs:
            raise NotWatchable(resource.key, resource.verbs)
        return resource


def _way(resource: Resource) -> tuple[object, ...]:
    watched = not resource.verbs or "watch" in resource.verbs  # of what nobody has asked about it is taken for granted
    return (resource.version, resource.kind, resource.namespaced, watched)
