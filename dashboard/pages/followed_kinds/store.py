"""Store of the kinds that are followed always, in Django's database and shared by all web processes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from dashboard.objects.kinds.catalog import KindInfo, kind_of_key
from dashboard.pages.followed_kinds.models import FollowedKind
from dashboard.runtime.app_state import Key
from dashboard.runtime.database_executor import DatabaseExecutor, Unavailable
from informerd.clock import Clock

logger = logging.getLogger(__name__)

READ_INTERVAL = 5.0
"""Seconds between two reads of the table: other web processes write it, too."""


class FollowedKindStore:
    """The kinds that are followed always. `on_change` gets them by key when they are read and when they change."""

    def __init__(
        self, clock: Clock, on_change: Callable[[dict[str, KindInfo]], None], database: DatabaseExecutor | None = None
    ) -> None:
        self.keys: frozenset[str] = frozenset()
        """As last read; empty until then."""
        self.first_read_ended = asyncio.Event()
        """Set when the table was read, or could not be. It takes the time limit of one database call at most."""
        self._clock = clock
        self._changed = on_change
        self._database = database or DatabaseExecutor(clock, content="kinds that are followed always")

    async def add(self, key: str, owner: str, *, most: int) -> bool:
        """Follow a kind from now on. Returns False where `most` are followed already. Raises Unavailable where the
        database cannot be used.
        """
        is_added = await self._database.ask(_add, key, owner, self._clock.time(), most)
        await self._read()
        return bool(is_added)

    async def remove(self, key: str) -> None:
        """Follow a kind only while somebody views it. Raises Unavailable where the database cannot be used."""
        await self._database.ask(_remove, key)
        await self._read()

    async def run(self) -> None:
        """Read the table until cancelled. While the database cannot be used, the kinds stay as they are."""
        while True:
            try:
                await self._read()
            except Unavailable as error:
                logger.debug("the kinds that are followed always were not read: %s", error)
            finally:
                self.first_read_ended.set()
            await self._clock.sleep(READ_INTERVAL)

    async def _read(self) -> None:
        keys = await self._database.ask(_keys)
        kinds = {key: kind for key in keys if (kind := kind_of_key(key)) is not None}
        self.keys = frozenset(kinds)
        self._changed(kinds)


FOLLOWED_KINDS: Key[FollowedKindStore] = Key("followed kinds")


def _add(alias: str, key: str, owner: str, now: float, most: int) -> bool:
    chosen = FollowedKind.objects.using(alias)
    if not chosen.filter(key=key).exists() and chosen.count() >= most:
        return False
    chosen.get_or_create(key=key, defaults={"owner": owner, "made": now})
    return True


def _remove(alias: str, key: str) -> None:
    FollowedKind.objects.using(alias).filter(key=key).delete()


def _keys(alias: str) -> tuple[str, ...]:
    return tuple(FollowedKind.objects.using(alias).order_by("pk").values_list("key", flat=True))
