"""Polling of a kind that cannot be watched: it is listed again and again, and the differences are reported."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from dashboard.live.worker.namespace_pages import NamespacePages
from dashboard.live.worker.row_handler import RowHandler
from informerd.cache.health import Health, State
from informerd.cache.list_watch import ListWatch
from informerd.cache.pager import list_all
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.objects import Object

POLL_INTERVAL = 30.0
"""Seconds between two lists, plus or minus a tenth, so that kinds and workers do not all ask at the same time."""
RETRY_DELAY = 5.0
"""Seconds after a list that failed."""
PAGE_SIZE = 500
STEP = 100
"""Objects that are compared before other tasks run."""


class Poller:
    """Calls `handler` as an informer does. An object without uid gets one made of namespace and name.

    Call it for the health: live while the last list succeeded, with `polled` for the possible age of the rows.
    """

    def __init__(
        self,
        list_watch: ListWatch[Any] | NamespacePages,
        handler: RowHandler,
        clock: Clock,
        on_health_change: Callable[[], None],
        on_lost: Callable[[str], None] = lambda _namespace: None,
    ) -> None:
        """`on_lost` gets a namespace that may no longer be listed: its objects are forgotten, and not deleted."""
        self._list_watch = list_watch
        self._feed = handler
        self._clock = clock
        self._on_lost = on_lost
        self._namespaces: tuple[str, ...] = ()
        self._changed = on_health_change
        """Called when the health has changed."""
        self._objects: dict[str, Object] = {}
        self._listed = False
        self._health = Health(state="syncing", since=clock.time(), polled=POLL_INTERVAL)

    def __call__(self) -> Health:
        return self._health

    async def run(self) -> None:
        """List until cancelled."""
        while True:
            failed = not await self.list_once()
            await self._clock.sleep(RETRY_DELAY if failed else POLL_INTERVAL * random.uniform(0.9, 1.1))  # noqa: S311 -- no secret

    async def list_once(self) -> bool:
        """List once and report the differences. Returns whether that succeeded."""
        try:
            listing = await list_all(
                self._list_watch, "", limit=PAGE_SIZE, progress=lambda _count, _remaining: None, clock=self._clock
            )
        except InformerdError as error:
            self._failed(error)
            return False
        self._forget_lost()
        await self._report_differences(listing.objects, unusable=listing.unusable)
        self._listed = True
        self._set_health("live", heard=self._clock.time())
        return True

    def _forget_lost(self) -> None:
        now = self._list_watch.namespaces if isinstance(self._list_watch, NamespacePages) else ()
        for namespace in set(self._namespaces).difference(now) if now else ():
            self._objects = {key: obj for key, obj in self._objects.items() if obj.metadata.namespace != namespace}
            self._on_lost(namespace)
        self._namespaces = now

    def _failed(self, error: InformerdError) -> None:
        if isinstance(error, NotFound):
            state: State = "absent"
        elif self._listed:
            state = "stale"
        else:
            state = "forbidden" if isinstance(error, Forbidden) else "unreachable"
        self._set_health(state, problem=str(error))

    async def _report_differences(self, objects: dict[str, Object], *, unusable: frozenset[str]) -> None:
        """Report the differences, deletes first; an object is known once it is reported."""
        for number, key in enumerate(tuple(self._objects), 1):
            if key not in unusable and key not in objects:
                self._feed.on_delete(self._objects.pop(key), final_state_unknown=False)
            if number % STEP == 0:
                await asyncio.sleep(0)
        for number, (key, listed) in enumerate(objects.items(), 1):
            old, obj = self._objects.get(key), with_identity(listed)
            self._objects[key] = obj
            if old is None:
                self._feed.on_add(obj, is_in_initial_list=not self._listed)
            elif (old.metadata.uid, old.metadata.resource_version) != (obj.metadata.uid, obj.metadata.resource_version):
                self._feed.on_update(old, obj)
            if number % STEP == 0:
                await asyncio.sleep(0)

    def _set_health(self, state: State, *, problem: str = "", heard: float | None = None) -> None:
        before, now = self._health, self._clock.time()
        self._health = Health(
            state=state,
            since=before.since if before.state == state else now,
            heard=heard or before.heard,
            problem=problem,
            retry_at=now + RETRY_DELAY if problem else None,
            relists=before.relists + (heard is not None and before.heard is not None),
            has_answer=bool(problem),
            polled=POLL_INTERVAL,
            namespaces=self._namespaces,
            forbidden_namespaces=self._list_watch.forbidden if isinstance(self._list_watch, NamespacePages) else (),
        )
        self._changed()


def with_identity(obj: Object) -> Object:
    """`obj` with a uid made of namespace and name where it has none, and a version made of its content where it
    has none.
    """
    meta = obj.metadata
    if meta.uid and meta.resource_version:
        return obj
    content = obj.blob.json() if obj.blob is not None else b""
    known = msgspec.structs.replace(
        meta, uid=meta.uid or _hash(obj.key.encode()), resource_version=meta.resource_version or _hash(content)
    )
    return msgspec.structs.replace(obj, metadata=known)


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
