"""Settings of a reflector; the defaults are client-go's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, Self

import msgspec

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
PAGES_FROM_MEMORY = (1, 34)
"""The first version of Kubernetes that serves pages of a consistent list from its watch cache by default (KEP-4988,
ListFromCacheSnapshot), and encodes a list without having all of its JSON in memory (KEP-5116).
"""
LARGE_PAGE = 5_000


class ReflectorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Times are in seconds."""

    page_size: int = 500
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

    @classmethod
    def for_version(cls, version: str, **settings: Any) -> Self:
        """Settings with the lists that cost an API server of that version, such as ``v1.37.1``, the least.

        Streaming lists spare the memory of API servers before PAGES_FROM_MEMORY. From then on, pages of a consistent
        list spare it, too, and take half of the API server's processor time.
        """
        found = _VERSION.match(version)
        if found is not None and (int(found[1]), int(found[2])) >= PAGES_FROM_MEMORY:
            settings = {"streaming_lists": False, "consistent_lists": True, "page_size": LARGE_PAGE} | settings
        return cls(**settings)
