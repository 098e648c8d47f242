"""Leaves out the lines that come again where a log is read again after a break, and says where some may be missing.

The API server takes a time to the second (``sinceTime``), lines have nanoseconds. So the last second is read again, and
each of its lines that was had is left out once. Where one that was had does not come again before a new one, the file
was rotated, or the log is another one: then lines between the two may be missing. Lines of before the first that was
had may come, too: a log that is followed begins with its newest lines.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from informerd.logs.log_lines import PREFIX, second_before, split_time

DISORDER = 0.25
"""Seconds by which a line may be older than the one before it: the runtime reads stdout and stderr one by one."""
MAX_KEPT_BYTES = 64 * 2**20
"""Bytes of lines that are kept; with more in a second, some of them come twice after a break, which is said."""


@dataclass(frozen=True, slots=True)
class NewLines:
    """What of a batch was not had."""

    lines: Sequence[bytes]
    is_gap: bool = False
    """Whether lines may be missing before these."""
    is_repeated: bool = False
    """Whether some of these may have been had."""


class LineDeduplicator:
    """Pass each batch through `new_of`; after a break call `begin_again`, and read from `since` on. All lines have a
    time.
    """

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._batches: deque[tuple[bytes, Sequence[bytes], int]] = deque()
        """The second of the newest line, the lines, and their size."""
        self._size = 0
        self._newest = b""
        self._first_time = b""
        """Time of the first line that was had."""
        self._dropped = b""
        """The newest second of which lines were dropped, because there were too many."""
        self._expected: Counter[bytes] | None = None
        """Lines that should come again; None once a new one has come."""
        self._again: list[bytes] = []
        """Those that have come again."""

    @property
    def since(self) -> str:
        """``sinceTime`` with which reading goes on; empty where nothing was read."""
        return second_before(self._newest, DISORDER)[0] if self._newest else ""

    def begin_again(self) -> None:
        """From now on come the lines since `since`."""
        self._again = []
        if self._newest:
            begin = self._begin
            self._expected = Counter(line for _, lines, _ in self._batches for line in lines if line[:PREFIX] >= begin)

    @property
    def newest_time(self) -> int | None:
        """Time of the newest line that was had, in nanoseconds since 1970; None where none was."""
        return split_time(self._newest)[0]

    @property
    def is_continued(self) -> bool:
        """Whether all lines that should come again have come, since `begin_again`."""
        return not self._expected or not +self._expected

    def new_of(self, lines: Sequence[bytes], *, stops_at_gap: bool = False) -> NewLines:
        """The lines of a batch that were not had. They are had from now on.

        With `stops_at_gap` no line after a gap is taken: read again from `since`, after `begin_again`.
        """
        if self._expected is None:
            self._note(lines)
            return NewLines(lines)
        for number, line in enumerate(lines):
            if self._expected[line] > 0:
                self._expected[line] -= 1
                self._again.append(line)
                continue
            if not self._again and _time_of(line) < self._first_time:
                continue
            is_gap, is_repeated = +self._expected != Counter(), self._dropped >= self._begin
            if is_gap and stops_at_gap:
                return NewLines((), is_gap)
            self._expected = None
            if is_gap:  # the file has none of the others, nor will it have
                self._batches.clear()
                self._size = 0
                self._note(self._again)
            fresh = lines[number:]
            self._note(fresh)
            return NewLines(fresh, is_gap, is_repeated)
        return NewLines(())

    def forget(self) -> None:
        """Another log begins."""
        self._batches.clear()
        self._size, self._newest, self._first_time, self._dropped = 0, b"", b"", b""
        self._expected, self._again = None, []

    @property
    def _begin(self) -> bytes:
        """Beginning of the oldest lines that come again."""
        return second_before(self._newest, DISORDER)[1]

    def _note(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        newest, size = max(lines), sum(map(len, lines))
        self._newest = max(self._newest, newest)
        self._first_time = self._first_time or _time_of(lines[0])
        self._batches.append((newest[:PREFIX], lines, size))
        self._size += size
        begin = self._begin
        while self._batches[0][0] < begin:
            self._size -= self._batches.popleft()[2]
        while self._size > self._max_bytes and len(self._batches) > 1:
            self._dropped, _, size = self._batches.popleft()
            self._size -= size


def _time_of(line: bytes) -> bytes:
    return line[: line.find(b" ")]
