"""Bounds of history: when a part ends, and which parts are dropped."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from dashboard.live.history.part import Part, Parts

logger = logging.getLogger(__name__)

MICROSECONDS = 1_000_000
DAY = 24 * 3600 * MICROSECONDS
SHARES = 8
"""A part has at most this share of the limit, so that dropping the oldest one frees as little."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept, of all clusters together. 0 is without limit."""

    max_bytes: int = 2 * 2**30
    max_days: int = 0

    def is_full(self, part: Part, size: int, begun_with: int, now: int) -> bool:
        """Whether a part of `size` bytes is to end, which had `begun_with` bytes when it had all that existed.

        A day in UTC has a part of its own at least. A part has as much of changes as of what it began with, or a
        cluster with many objects would have nothing but beginnings.
        """
        if now // DAY > part.begin // DAY:
            return True
        return bool(self.max_bytes) and size >= max(self.max_bytes // SHARES, 2 * begun_with)

    def drop_old(self, parts: Parts, recorded: Part, now: int) -> list[Part]:
        """Drop the oldest parts: while all take too much, and those that ended long ago. Returns them.

        Never the one that is recorded, the one before it, nor what another recorder may write to. Raises
        HistoryUnavailable.
        """
        sizes = parts.sizes()
        dropped = []
        for part in sorted(sizes):
            after = sorted(each for each in sizes if each.cluster == part.cluster and each > part)
            is_large = self.max_bytes and sum(sizes.values()) > self.max_bytes
            is_old = self.max_days and (after[0].begin if after else part.begin) <= now - self.max_days * DAY
            if not (is_large or is_old):
                continue
            if part.cluster == recorded.cluster:
                if len(after) < 2:
                    continue
                parts.drop(part)
            elif not _drop_foreign(parts, part, is_last=len(after) < 2):
                continue
            dropped.append(part)
            del sizes[part]
        return dropped


def _drop_foreign(parts: Parts, part: Part, *, is_last: bool) -> bool:
    """Drop a part of another cluster; its last ones only where no recorder of it is there."""
    session = parts.begin_recording(part.cluster) if is_last else None
    if is_last and session is None:
        return False
    try:
        parts.drop(part)
    finally:
        if session is not None:
            session.close()
    return True


def log_dropped(dropped: list[Part], retention: Retention) -> None:
    """One line for what was dropped."""
    if dropped:
        text = "dropped the oldest %d parts of the history, as DELTABOARD_HISTORY_SIZE (%d MiB) and _AGE (%d days) say"
        logger.info(text, len(dropped), retention.max_bytes // 2**20, retention.max_days)
