"""Lines of a view: what came since the last frame, what is kept of what came before, and how many there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dashboard.pages.logs.histogram import LogHistogram
from dashboard.pages.logs.line_buffer import Entry, LineBuffer, LogPageMark, in_time_order, newest_time, sort_key
from dashboard.pages.logs.line_formats import SeverityJudge

BUFFER_BYTES = 8 * 2**20
"""Bytes of memory of the lines that a view keeps; pages load what they skipped from these."""
FRAME_LINES = 300
"""Most lines of a frame; of more, the newest are sent, and the page says how many it did not get."""
JUDGED_LINES = 5000
"""Most lines of a frame whose severity is judged, the newest: some 15 ms of work."""
FIRST_LINES = 1_000
"""Lines with which a followed log begins, at most: they may be much older than those of others."""
LATE_LINES = 100
"""First lines of a log in one frame, older than the newest line, from which on they are put in their place: fewer hide
nothing when they stand at the end.
"""
MAX_MERGED_LINES = 20_000
"""Most lines that are kept of what was read before the followed ones, the newest: they are sorted at once."""


class LineStore:
    """Add lines as they come, then `flush` them once a frame. Numbers of lines grow, whatever happens."""

    def __init__(self) -> None:
        self.buffer = LineBuffer(BUFFER_BYTES)
        self.histogram = LogHistogram()
        self.dropped = 0
        """Lines that were read before the followed ones and are not kept, because newer ones are."""
        self.is_whole = False
        """Whether the order of what pages have has changed: they need all lines anew."""
        self._severities = SeverityJudge()
        self._pending: list[Entry] = []
        self._pending_sources: set[int] = set()
        self._begun: Counter[int] = Counter()
        """Lines of each source, up to FIRST_LINES; so many, too, where it has caught up with the others."""

    @property
    def keeps_all(self) -> bool:
        """Whether all lines that were added or counted are kept."""
        return not self.dropped and not self.buffer.dropped

    def add(self, source: int, items: Sequence[bytes | LogPageMark]) -> None:
        """Lines of a source that came now, or a mark among them."""
        self._pending += [(source, item) for item in items]
        self._pending_sources.add(source)

    def count(self, lines: Sequence[bytes]) -> None:
        """Count lines that `merge` is going to put among the others, or that are not kept at all."""
        if len(lines) > JUDGED_LINES:
            self.histogram.add(lines, None)
        else:
            self.histogram.add(lines, SeverityJudge().judge((0, line) for line in lines))

    def merge(self, older: Sequence[Entry]) -> None:
        """Put lines that were read later in their place among those that there are."""
        merged = in_time_order([*older, *(entry for _, entry in self.buffer.newest(self.buffer.count))])
        if lost := merged[:-MAX_MERGED_LINES]:
            self.dropped += len(lost)
            self.buffer.lost_until = max(self.buffer.lost_until, newest_time(lost))
        self.buffer.clear()
        self.buffer.append(merged[-MAX_MERGED_LINES:])
        self.is_whole = True

    def flush(self) -> list[Entry]:
        """Keep and count what came since the last call. Returns it, by time where it is of several sources."""
        entries, self._pending = self._pending, []
        sources, self._pending_sources = self._pending_sources, set()
        if len(sources) > 1:
            entries = in_time_order(entries)
        if all(self._begun[source] >= FIRST_LINES for source in sources):
            self.buffer.append(entries)
        else:
            self._keep(entries)
        judged = entries[-JUDGED_LINES:]
        self.histogram.add(_lines_of(entries[:-JUDGED_LINES]), None)
        severities = self._severities.judge(judged)
        kept = [each for (_, item), each in zip(judged, severities, strict=True) if isinstance(item, bytes)]
        self.histogram.add(_lines_of(judged), kept)
        return entries

    def _keep(self, entries: list[Entry]) -> None:
        """Put entries behind those that there are, or in their place where they are the old beginning of a log, which
        some of them may be.
        """
        newest = self.buffer.newest(1)
        late: list[Entry] = []
        if newest:
            end = sort_key(newest[0][1][1])
            late = [each for each in entries if self._begun[each[0]] < FIRST_LINES and sort_key(each[1]) < end]
            # what such a log has of an outage later on is no beginning: pages keep what they have
            self._begun.update({source: FIRST_LINES for source, item in entries if sort_key(item) >= end})
        self._begun.update(source for source, _ in entries if self._begun[source] < FIRST_LINES)
        if len(late) < LATE_LINES:
            self.buffer.append(entries)
        else:
            self.merge(entries)

    def clear(self) -> None:
        """Forget everything."""
        self._begun.clear()
        self._pending, self._pending_sources = [], set()
        self.buffer.clear()
        self.histogram.clear()
        self.dropped = self.buffer.dropped = 0
        self.buffer.lost_until = b""
        self.is_whole = True


def _lines_of(entries: Sequence[Entry]) -> list[bytes]:
    return [item for _, item in entries if isinstance(item, bytes)]
