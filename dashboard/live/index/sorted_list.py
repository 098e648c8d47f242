"""Entries in ascending order: what a list's rows are ordered by, see dashboard/live/packed_key.py.

They stand in blocks of about a thousand: taking one in or out moves few others, and a window is found by adding
up the lengths of blocks. Many entries are sorted in small steps: spread over blocks by a sample of them, then each
block for itself; there is no moment at which all of them are sorted or merged at one go.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator
from itertools import pairwise

from dashboard.live.slices import Work

Entry = bytes
"""A sort key that ends in the row's uid, which makes it differ from all others."""

STEP = 256
"""Rows that are looked at in one step of a work in slices."""
BLOCK = 1024
"""Entries in a block; one of twice as many is cut in two."""
SAMPLES = 8
"""Entries that are looked at for each block, to spread the others evenly."""

Blocks = list[list[Entry]]


class SortedEntries:
    """Empty when made. Filled in slices between `begin` and the end of `finish`, or by `move` alone."""

    def __init__(self) -> None:
        self.ready = True
        """Whether it is what it is to be; while it is filled, it is what it was before."""
        self._blocks: Blocks = []
        self._last: list[Entry] = []
        self._size = 0
        self._late: list[tuple[Entry | None, Entry | None]] = []

    def __len__(self) -> int:
        return self._size

    def move(self, old: Entry | None, new: Entry | None) -> None:
        """Take `old` out and `new` in, if they are not out or in already; None for nothing."""
        if not self.ready:
            self._late.append((old, new))
            return
        if old is not None:
            self._remove(old)
        if new is not None:
            self._add(new)

    def window(self, start: int, size: int) -> list[Entry]:
        """`size` entries from index `start`."""
        found: list[Entry] = []
        for block in self._blocks:
            if start < len(block):
                found += block[start : start + size - len(found)]
                if len(found) == size:
                    break
            start = max(0, start - len(block))
        return found

    def blocks(self) -> list[list[Entry]]:
        """All entries in order as they are now, a copy, in pieces."""
        return [block[:] for block in self._blocks]

    def begin(self) -> None:
        """From now on what moves is noted, because somebody collects what is to be here."""
        self.ready = False
        self._late.clear()

    def finish(self, entries: list[Entry], *, in_order: bool = False) -> Work:
        """Have these and what moved since `begin`, whether they show it or not; they may be `in_order` already."""
        if in_order:
            blocks = [entries[start : start + BLOCK] for start in range(0, len(entries), BLOCK)]
        else:
            blocks = yield from _sorted(entries)
        filled = SortedEntries()
        filled._fill(blocks)
        yield None
        while self._late:
            noted, self._late = self._late[:STEP], self._late[STEP:]
            for old, new in noted:
                filled.move(old, new)
            yield None
        self._fill(filled._blocks)
        self.ready = True

    def _fill(self, blocks: Blocks) -> None:
        self._blocks = [block for block in blocks if block]
        self._last = [block[-1] for block in self._blocks]
        self._size = sum(map(len, self._blocks))

    def _add(self, entry: Entry) -> None:
        if not self._blocks:
            self._fill([[entry]])
            return
        at = min(bisect_left(self._last, entry), len(self._last) - 1)
        block = self._blocks[at]
        place = bisect_left(block, entry)
        if place < len(block) and block[place] == entry:
            return
        block.insert(place, entry)
        self._size += 1
        self._last[at] = block[-1]
        if len(block) > 2 * BLOCK:
            self._blocks[at : at + 1] = [block[:BLOCK], block[BLOCK:]]
            self._last[at : at + 1] = [block[BLOCK - 1], block[-1]]

    def _remove(self, entry: Entry) -> None:
        at = bisect_left(self._last, entry)
        if at == len(self._last):
            return
        block = self._blocks[at]
        place = bisect_left(block, entry)
        if place == len(block) or block[place] != entry:
            return
        del block[place]
        self._size -= 1
        if block:
            self._last[at] = block[-1]
        else:
            del self._blocks[at], self._last[at]


def _sorted(entries: list[Entry]) -> Generator[None, None, Blocks]:
    """Blocks whose entries are in order, each before those of the next.

    A block's worth at a time is sorted, and cut where blocks begin; what lands in a block is some sorted runs, which
    Python's sort merges. So no step compares more than two blocks, and none goes entry by entry in Python.
    """
    samples = sorted(entries[:: max(1, len(entries) // ((len(entries) // BLOCK + 1) * SAMPLES))])
    borders = samples[SAMPLES::SAMPLES]
    yield None
    blocks: Blocks = [[] for _ in range(len(borders) + 1)]
    for start in range(0, len(entries), BLOCK):
        run = sorted(entries[start : start + BLOCK])
        cuts = [0, *[bisect_left(run, border) for border in borders], len(run)]
        for block, (first, end) in zip(blocks, pairwise(cuts), strict=True):
            block += run[first:end]
        yield None
    for block in blocks:
        block.sort()
        yield None
    return blocks
