"""How fresh an informer is: the difference between "connected" and "up to date"."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["starting", "syncing", "live", "stale", "absent", "forbidden", "unreachable"]
"""starting: not tried yet · syncing: the first list is under way · live: listed and watching · stale: was listed, but the
watch is lost or silent, so the store is as of `since` · absent: the API server has no such resource (its objects are
gone from the store) · forbidden, unreachable: never listed yet, and why."""


class Health(msgspec.Struct, frozen=True, array_like=True):
    """An informer's condition at one moment. Times are Unix seconds."""

    state: State
    since: float
    """Since when `state` holds."""
    heard: float | None = None
    """The last word from the API server: event, bookmark, list answer or good probe, whichever is newest."""
    problem: str = ""
    """What failed, as a sentence; empty when live."""
    retry_at: float | None = None
    """When the next try is made."""
    last_event: float | None = None
    last_bookmark: float | None = None
    reconnects: int = 0
    """Watches begun after the first."""
    relists: int = 0
    """Lists begun after the first."""
    listed: int = 0
    """While syncing: objects received so far."""
    remaining: int | None = None
    """While syncing: how many the API server says are still to come, where it says so."""
