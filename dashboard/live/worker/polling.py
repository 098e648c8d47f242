"""A kind that the API server lists and lets nobody watch: listed again and again, and told as what differs."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from dashboard.live.kind_feed import KindFeed
from informerd.cache.health import Health, State
from informerd.cache.list_watch import ListWatch
from informerd.cache.pager import list_all
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.objects import Object

EVERY = 30.0
"""Seconds between two lists, a tenth more or less, so that kinds and workers do not ask all at once."""
RETRY = 5.0
"""Seconds after a list that failed."""
PAGE = 500
STEP = 100
"""Objects that are compared before others have a turn."""


class Polling:
    """Calls `feed` as an informer does. An object without uid has one made of namespace and name.

    Call it for the health: live while the last list succeeded, with `polled` saying that it may be that old.
    """

    def __init__(self, list_watch: ListWatch[Any], feed: KindFeed, clock: Clock, changed: Callable[[], None]) -> None:
        self._list_watch = list_watch
        self._feed = feed
        self._clock = clock
        self._changed = changed
        """Called when the health is another one."""
        self._objects: dict[str, Object] = {}
        self._listed = False
        self._health = Health(state="syncing", since=clock.time(), polled=EVERY)

    def __call__(self) -> Health:
        return self._health

    async def run(self) -> None:
        """List until cancelled."""
        while True:
            failed = not await self.look()
            await self._clock.sleep(RETRY if failed else EVERY * random.uniform(0.9, 1.1))  # noqa: S311 -- no secret

    async def look(self) -> bool:
        """List once and tell what differs; whether that succeeded."""
        try:
            listing = await list_all(self._list_watch, "", limit=PAGE, progress=lambda _count, _remaining: None)
        except InformerdError as error:
            self._failed(error)
            return False
        await self._take(listing.objects, kept=listing.unusable)
        self._listed = True
        self._say("live", heard=self._clock.time())
        return True

    def _failed(self, error: InformerdError) -> None:
        if isinstance(error, NotFound):
            state: State = "absent"
        elif self._listed:
            state = "stale"
        else:
            state = "forbidden" if isinstance(error, Forbidden) else "unreachable"
        self._say(state, problem=str(error))

    async def _take(self, objects: dict[str, Object], *, kept: frozenset[str]) -> None:
        """Tell the difference, deletes first; an object is known from when it is told."""
        for number, key in enumerate(tuple(self._objects), 1):
            if key not in kept and key not in objects:
                self._feed.on_delete(self._objects.pop(key), final_state_unknown=False)
            if number % STEP == 0:
                await asyncio.sleep(0)
        for number, (key, listed) in enumerate(objects.items(), 1):
            old, obj = self._objects.get(key), identified(listed)
            self._objects[key] = obj
            if old is None:
                self._feed.on_add(obj, is_in_initial_list=not self._listed)
            elif (old.metadata.uid, old.metadata.resource_version) != (obj.metadata.uid, obj.metadata.resource_version):
                self._feed.on_update(old, obj)
            if number % STEP == 0:
                await asyncio.sleep(0)

    def _say(self, state: State, *, problem: str = "", heard: float | None = None) -> None:
        before, now = self._health, self._clock.time()
        self._health = Health(
            state=state,
            since=before.since if before.state == state else now,
            heard=heard or before.heard,
            problem=problem,
            retry_at=now + RETRY if problem else None,
            relists=before.relists + (heard is not None and before.heard is not None),
            answered=bool(problem),
            polled=EVERY,
        )
        self._changed()


def identified(obj: Object) -> Object:
    """`obj` with a uid, where it has none made of namespace and name, and a version, where it has none of all of it."""
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
