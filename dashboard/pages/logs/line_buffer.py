"""The newest lines of a view, numbered in the order in which pages get them."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.live.logs.log_ring import OBJECT_BYTES
from informerd.logs.log_lines import split_time

TIME_LENGTH = len("2026-11-28T07:09:06.123456789Z")
ENTRY_BYTES = OBJECT_BYTES + 56
"""Bytes of memory that an entry takes beside its line's: the line's object and a pair of it and its source."""


@dataclass(frozen=True, slots=True)
class LogPageMark:
    """What stands between lines: a restart, a gap, an Event of the cluster."""

    time: bytes
    """As a line's: where it stands among them."""
    kind: str
    words: str


Entry = tuple[int, bytes | LogPageMark]
"""Number of the source, and the line with its time or the mark."""


class LineBuffer:
    """Entries with consecutive numbers. The oldest go when `max_bytes` of memory are used."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.size = 0
        self.next_number = 0
        self.dropped = 0
        """Number of entries that went for newer ones."""
        self.lost_until = b""
        """Time of the newest line that is not kept any more; empty where all are."""
        self._blocks: deque[tuple[int, Sequence[Entry], int, bytes]] = deque()
        """First number, entries, bytes, and time of the newest line of each block."""

    @property
    def first_number(self) -> int:
        """The number of the oldest entry that is kept; `next_number` where there is none."""
        return self._blocks[0][0] if self._blocks else self.next_number

    @property
    def count(self) -> int:
        """Number of entries that are kept."""
        return self.next_number - self.first_number

    def append(self, entries: Sequence[Entry]) -> None:
        """Add entries, oldest first."""
        if not entries:
            return
        size = sum(len(item) if isinstance(item, bytes) else len(item.words) for _, item in entries)
        size += ENTRY_BYTES * len(entries)
        self._blocks.append((self.next_number, entries, size, newest_time(entries)))
        self.next_number += len(entries)
        self.size += size
        while self.size > self._max_bytes and len(self._blocks) > 1:
            _, oldest, size, newest = self._blocks.popleft()
            self.size -= size
            self.dropped += len(oldest)
            self.lost_until = max(self.lost_until, newest)

    def clear(self) -> None:
        """Forget all entries. Numbers go on."""
        self._blocks.clear()
        self.size = 0

    def between(self, first: int, end: int) -> list[tuple[int, Entry]]:
        """Those of these numbers that are kept, with their numbers; `end` is excluded."""
        starts = [block[0] for block in self._blocks]
        found: list[tuple[int, Entry]] = []
        for start, entries, *_ in list(self._blocks)[max(0, bisect_right(starts, first) - 1) :]:
            if start >= end:
                break
            low, high = max(0, first - start), min(len(entries), end - start)
            found += [(start + place, entries[place]) for place in range(low, high)]
        return found

    def newest_before(self, first: int) -> bytes:
        """Time of the newest line with a lower number, kept or not; empty where there was none."""
        found = self.lost_until
        for start, entries, _, newest in self._blocks:
            if start >= first:
                break
            is_whole = start + len(entries) <= first
            found = max(found, newest if is_whole else newest_time(entries[: first - start]))
        return found

    def newest(self, count: int) -> list[tuple[int, Entry]]:
        """The last ones."""
        return self.between(max(self.first_number, self.next_number - count), self.next_number)


def sort_key(item: bytes | LogPageMark) -> bytes:
    """The time of a line or mark, comparable with others': in UTC, with nine decimals."""
    time = item[:TIME_LENGTH] if isinstance(item, bytes) else item.time
    if time[TIME_LENGTH - 1 : TIME_LENGTH] == b"Z":
        return time
    nanoseconds, _ = split_time(item if isinstance(item, bytes) else item.time)
    return time_bytes(nanoseconds) if nanoseconds is not None else time


def in_time_order(entries: Iterable[Entry]) -> list[Entry]:
    """The entries by time; those of one time in the order in which they came."""
    return sorted(entries, key=_key_of)


def _key_of(entry: Entry) -> bytes:
    return sort_key(entry[1])


def newest_time(entries: Iterable[Entry]) -> bytes:
    """Time of the newest line; empty where there is none. Of one log, whose times are of one zone, or in order."""
    newest = max((item for _, item in entries if isinstance(item, bytes)), default=b"")
    return sort_key(newest) if newest else b""


def just_after(time: bytes) -> bytes:
    """The time of a line, and a nanosecond."""
    nanoseconds, _ = split_time(time)
    return time_bytes(nanoseconds + 1) if nanoseconds is not None else time


def time_bytes(nanoseconds: int) -> bytes:
    """Nanoseconds since 1970 as a line's time."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z".encode()
