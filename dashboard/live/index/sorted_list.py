"""Sorted list of row keys, kept in blocks of 1,024; the keys are those of dashboard/live/index/sort_key_encoding.py.

Adding or removing a key moves few others, and a window is found by adding up the lengths of blocks. Many keys are
sorted in small steps: they are spread over blocks by a sample, then each block is sorted by itself; no single step
sorts or merges them all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator
from itertools import pairwise

from dashboard.runtime.time_slicing import SlicedWork

EncodedKey = bytes
"""A sort key that ends in the row's uid, which makes it differ from all others."""

STEP = 256
"""Rows that are handled in one step."""
BLOCK_SIZE = 1024
"""Entries in a block; a block of twice as many is split."""
SAMPLES_PER_BLOCK = 8
"""Sampled entries for each block, to spread the others evenly."""

Blocks = list[list[EncodedKey]]


class SortedList:
    """Empty when made. Filled in slices between `begin` and the end of `finish`, or by `replace` alone."""

    def __init__(self) -> None:
        self.ready = True
        """Whether it is complete; while it is filled, it has the entries of before."""
        self._blocks: Blocks = []
        self._last: list[EncodedKey] = []
        self._size = 0
        self._late: list[tuple[EncodedKey | None, EncodedKey | None]] = []

    def __len__(self) -> int:
        return self._size

    def replace(self, old: EncodedKey | None, new: EncodedKey | None) -> None:
        """Remove `old` and add `new`, unless that is done already; None for nothing."""
        if not self.ready:
            self._late.append((old, new))
            return
        if old is not None:
            self._remove(old)
        if new is not None:
            self._add(new)

    def window(self, start: int, size: int) -> list[EncodedKey]:
        """`size` entries from index `start`."""
        keys: list[EncodedKey] = []
        for block in self._blocks:
            if start < len(block):
                keys += block[start : start + size - len(keys)]
                if len(keys) == size:
                    break
            start = max(0, start - len(block))
        return keys

    def blocks(self) -> list[list[EncodedKey]]:
        """All entries in order as they are now, a copy, in blocks."""
        return [block[:] for block in self._blocks]

    def begin(self) -> None:
        """Note all changes from now on, because the entries are being collected."""
        self.ready = False
        self._late.clear()

    def finish(self, entries: list[EncodedKey], *, in_order: bool = False) -> SlicedWork:
        """Take these entries and the changes since `begin`, whether they include them or not; they may be `in_order`
        already.
        """
        if in_order:
            blocks = [entries[start : start + BLOCK_SIZE] for start in range(0, len(entries), BLOCK_SIZE)]
        else:
            blocks = yield from _sorted(entries)
        filled = SortedList()
        filled._fill(blocks)
        yield None
        while self._late:
            noted, self._late = self._late[:STEP], self._late[STEP:]
            for old, new in noted:
                filled.replace(old, new)
            yield None
        self._fill(filled._blocks)
        self.ready = True

    def _fill(self, blocks: Blocks) -> None:
        self._blocks = [block for block in blocks if block]
        self._last = [block[-1] for block in self._blocks]
        self._size = sum(map(len, self._blocks))

    def _add(self, entry: EncodedKey) -> None:
        if not self._blocks:
            self._fill([[entry]])
            return
        at = min(bisect_left(self._last, entry), len(self._last) - 1)
        block = self._blocks[at]
        index = bisect_left(block, entry)
        if index < len(block) and block[index] == entry:
            return
        block.insert(index, entry)
        self._size += 1
        self._last[at] = block[-1]
        if len(block) > 2 * BLOCK_SIZE:
            self._blocks[at : at + 1] = [block[:BLOCK_SIZE], block[BLOCK_SIZE:]]
            self._last[at : at + 1] = [block[BLOCK_SIZE - 1], block[-1]]

    def _remove(self, entry: EncodedKey) -> None:
        at = bisect_left(self._last, entry)
        if at == len(self._last):
            return
        block = self._blocks[at]
        index = bisect_left(block, entry)
        if index == len(block) or block[index] != entry:
            return
        del block[index]
        self._size -= 1
        if block:
            self._last[at] = block[-1]
        else:
            del self._blocks[at], self._last[at]


def _sorted(entries: list[EncodedKey]) -> Generator[None, None, Blocks]:
    """Blocks whose entries are in order, each before those of the next.

    Entries are sorted one block's worth at a time and cut at block boundaries; each block then gets some sorted runs,
    which Python's sort merges. So no step compares more than two blocks, and no loop over single entries runs in
    Python.
    """
    samples = sorted(entries[:: max(1, len(entries) // ((len(entries) // BLOCK_SIZE + 1) * SAMPLES_PER_BLOCK))])
    borders = samples[SAMPLES_PER_BLOCK::SAMPLES_PER_BLOCK]
    yield None
    blocks: Blocks = [[] for _ in range(len(borders) + 1)]
    for start in range(0, len(entries), BLOCK_SIZE):
        run = sorted(entries[start : start + BLOCK_SIZE])
        cuts = [0, *[bisect_left(run, border) for border in borders], len(run)]
        for block, (first, end) in zip(blocks, pairwise(cuts), strict=True):
            block += run[first:end]
        yield None
    for block in blocks:
        block.sort()
        yield None
    return blocks
