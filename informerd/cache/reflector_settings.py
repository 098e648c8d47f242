"""Settings of a reflector; the defaults are client-go's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import msgspec

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
PAGES_FROM_MEMORY = (1, 34)
"""The first version of Kubernetes that serves pages of a consistent list from its watch cache by default (KEP-4988,
ListFromCacheSnapshot), and encodes a list without having all of its JSON in memory (KEP-5116).
"""


class ReflectorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Times are in seconds."""

    page_size: int = 500
    """Objects of a page of a list."""
    largest_page: int = 0
    """Objects of a page at most, where pages grow: one that came within 2 s is followed by one twice as large. 0: all
    have `page_size`.
    """
    watch_timeout: float = 300.0
    """The API server is asked to end each watch after between one and two times this."""
    streaming_lists: bool = True
    """Whether lists are the beginning of a watch (KEP-3157) where the API server can do that; else they come in
    pages.
    """
    consistent_lists: bool = False
    """Whether a list in pages has the newest state, as a streaming list has. client-go's first one is of any version
    that the API server has in memory, all in one answer, and later ones are not older than what was seen.
    """
    lists_by_version: bool = False
    """Whether API servers from PAGES_FROM_MEMORY on are asked for consistent lists in one answer or growing pages
    instead of streaming lists, as far as `Client.server_version` is known. Streaming lists spare an API server's
    memory; such lists spare that of these API servers, too, and take half of their processor time.
    """
    whole_within: float = 0.0
    """A list in several pages is asked for in one answer after its first page where that seems to take less than so
    many seconds; its pages go on where it does not, or fails. An API server ends a request after 60 s.
    """
    internal_error_retry: float = 0.0
    """Seconds for which a watch that ends with InternalError is resumed without a relist."""
    watch_interval: float = 1.0
    """Watches start this far apart at least."""
    backoff: float = 0.8
    """The wait after the first failure is between one and two times this; it doubles with each more."""
    backoff_cap: float = 30.0
    """Where the doubling ends: waits are between one and two times this at most."""
    silence: float = 150.0
    """A watch that has sent periodic bookmarks and then nothing for so long is dead."""
    absent_retry: float = 5.0
    """The longest wait before a resource that does not exist is asked for again."""
    keep_absent: bool = False
    """Whether the objects of a resource that the API server no longer has stay in the store until the next list.

    client-go keeps them. A 404 does not say whether they are gone: a version that is no longer served has it, too.
    """
    chance: Callable[[], float] = random.random

    def for_list(self, version: str) -> ReflectorSettings:
        """The settings of the next list, from an API server of that version, such as ``v1.37.1``; empty: unknown."""
        found = _VERSION.match(version) if self.lists_by_version else None
        if found is None or (int(found[1]), int(found[2])) < PAGES_FROM_MEMORY:
            return self
        return msgspec.structs.replace(
            self, streaming_lists=False, consistent_lists=True, largest_page=5_000, whole_within=30.0
        )
