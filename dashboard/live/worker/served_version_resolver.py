"""Resolution of a kind that is known by name only: its version, its Kind, and whether it is in namespaces.

Discovery reports a change some time after it happens. A kind's definition, where it may be read, reports it first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dashboard.live.worker.crd_client import CrdClient, CustomResourceDefinition
from informerd.clock import Clock, sleep_or
from informerd.errors import InformerdError, NotWatchable, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

RETRY_RESOLVE = 5.0
"""Seconds between two discovery requests for a kind that discovery does not know, or names although it is not found."""
RARE_INTERVAL = 60.0
"""Maximum of these seconds for a kind that has never been found where it was first looked for."""
FIRST_RETRY = 0.25
"""Seconds between the first two requests after a kind changed; each wait is twice as long as the last."""
DISCOVERY_LAG = 5.0
"""Seconds for which discovery may not yet know of a kind that was served in another way before."""


class ServedVersionResolver:
    """Finds the version, Kind and scope in which the kind `key` is served, and notices when they change."""

    def __init__(self, key: str, discovery: Discovery, definitions: CrdClient, clock: Clock) -> None:
        self._key = key
        self._discovery = discovery
        self._definitions = definitions
        self._clock = clock
        self._invalidated = asyncio.Event()
        self._defined: CustomResourceDefinition | None = None
        """The definition as `find` or `receive_definition` last had it."""

    def invalidate(self) -> None:
        """Note that the kind may be served in another way: it, or its definition, is missing."""
        self._invalidated.set()

    def receive_definition(self, definition: CustomResourceDefinition) -> None:
        """Take in the present definition."""
        self._defined = definition
        self._invalidated.set()

    async def find(
        self, on_unresolved: Callable[[InformerdError], None], *, was_followed: bool
    ) -> tuple[Resource, CustomResourceDefinition | None]:
        """The resource that serves it; asks until it exists and can be watched or listed. `on_unresolved` gets the
        reason.

        `was_followed`: whether it was followed until now, so that discovery may be late.
        """
        begun, wait = self._clock.now(), FIRST_RETRY if was_followed else RETRY_RESOLVE
        while True:
            try:
                resource = await self._resolve()
                definition = await self._definitions.find(resource)
            except InformerdError as error:
                late = was_followed and isinstance(error, UnknownResource) and self._clock.now() - begun < DISCOVERY_LAG
                if not late:
                    on_unresolved(error)
            else:
                if definition is None or definition.serves(resource):
                    self._defined = definition
                    return resource, definition
            await self._clock.sleep(wait)
            wait = min(2 * wait, RETRY_RESOLVE)
            self._discovery.invalidate()

    async def wait_until_changed(
        self,
        resource: Resource,
        is_absent: Callable[[], bool],
        has_objects: Callable[[], bool],
        *,
        max_wait: float = RETRY_RESOLVE,
    ) -> None:
        """Return when it is served in another way, by its definition, or by discovery while `is_absent()`.

        That includes a kind that discovery no longer names. `max_wait`: seconds between two requests.
        """
        while True:
            await self._invalidated.wait()
            self._invalidated.clear()
            wait = FIRST_RETRY
            while not self._is_undefined(resource) and is_absent():
                if await self._is_named_otherwise(resource, has_objects):
                    return
                if await sleep_or(self._invalidated, wait, self._clock):
                    self._invalidated.clear()
                wait = min(2 * wait, max_wait)
            if self._is_undefined(resource):
                return

    def _is_undefined(self, resource: Resource) -> bool:
        return self._defined is not None and not self._defined.serves(resource)

    async def _is_named_otherwise(self, resource: Resource, known: Callable[[], bool]) -> bool:
        self._discovery.invalidate()
        try:
            return _served_as(await self._resolve()) != _served_as(resource)
        except UnknownResource:
            return known()
        except InformerdError:  # no answer says nothing about the kind: the next one will
            return False

    async def _resolve(self) -> Resource:
        resource = await self._discovery.resolve(self._key)
        if resource.key != self._key:  # its informer would be that of another kind that is followed
            raise UnknownResource(self._key, (resource.key,))
        if resource.verbs and "list" not in resource.verbs:
            raise NotWatchable(resource.key, resource.verbs)
        return resource


def _served_as(resource: Resource) -> tuple[object, ...]:
    watched = not resource.verbs or "watch" in resource.verbs  # assumed where discovery has not answered
    return (resource.version, resource.kind, resource.namespaced, watched)
