"""Settings of a reflector; the defaults are client-go's."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec


class ReflectorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Times are in seconds."""

    page_size: int = 500
    watch_timeout: float = 300.0
    """The API server is asked to end each watch after between one and two times this."""
    streaming_lists: bool = True
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
