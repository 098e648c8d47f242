"""Spans of time in which every change of a kind was recorded. What lies between two of them is a gap."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.live.history.change_queue import Covered
from dashboard.live.history.part import PartConnection
from dashboard.live.history.version import Gap

NO_RECORDER = "no worker ran, or it did not follow the kind"
NOTHING_SINCE = "no worker runs, it does not follow the kind, or it cannot write"
"""Why a gap lasts, as far as whoever reads can know."""
Span = tuple[int, int, str]
"""Since, until (Unix microseconds), and the reason of the gap before it."""


class SpanWriter:
    """Extends the spans of one part. After a failure it must be made anew."""

    def __init__(self, connection: PartConnection) -> None:
        self._connection = connection
        self._last: dict[int, tuple[int, int]] = {}
        """By kind the id of its last span, and until when that is."""
        self._next_id = (connection.query("SELECT MAX(id) FROM {span}")[0][0] or 0) + 1

    def extend(self, kind: int, covered: Covered, until: int) -> bool:
        """Note that all was recorded from `covered.since` to `until`. Whether there was a gap before that."""
        number, last_until = self._last.get(kind) or self._read_last(kind)
        if number and covered.since <= last_until:
            if until > last_until:
                self._connection.execute("UPDATE {span} SET until = ? WHERE id = ?", until, number)
                self._last[kind] = (number, until)
            return False
        row = (self._next_id, kind, covered.since, max(until, covered.since), covered.reason or NO_RECORDER)
        self._connection.insert("span", ("id", "kind", "since", "until", "reason"), [row])
        self._last[kind] = (self._next_id, row[3])
        self._next_id += 1
        return bool(number)

    def _read_last(self, kind: int) -> tuple[int, int]:
        sql = "SELECT id, until FROM {span} WHERE kind = ? ORDER BY until DESC LIMIT 1"
        rows = self._connection.query(sql, kind)
        return (rows[0][0], rows[0][1]) if rows else (0, 0)


def read_spans(connection: PartConnection, kind: str) -> list[Span]:
    """The spans of a kind that a part has."""
    sql = "SELECT s.since, s.until, s.reason FROM {span} s JOIN {kind} k ON k.id = s.kind WHERE k.name = ?"
    return [(since, until, reason) for since, until, reason in connection.query(sql, kind)]


def gaps_between(spans: Iterable[Span], since: int, until: int, open_reason: str) -> list[Gap]:
    """The gaps from `since` to `until`. One that lasts has `open_reason`."""
    gaps: list[Gap] = []
    covered_until = since
    for begin, end, reason in sorted(spans):
        if begin > covered_until and begin > since and covered_until < until:
            gaps.append(Gap(covered_until, min(begin, until), reason))
        covered_until = max(covered_until, end)
    if covered_until < until:
        gaps.append(Gap(covered_until, None, open_reason))
    return gaps
