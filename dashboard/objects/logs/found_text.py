"""Marks what a filter finds in a log line, among the line's colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.objects.logs.ansi import Segment
from dashboard.objects.logs.line_filter import LineFilter

FOUND = "found"
"""Class of the parts of a line that the filter finds."""


def with_found(parts: Sequence[Segment], lines: LineFilter) -> list[Segment]:
    """The parts of a line, cut where what the filter finds begins and ends; that has the class FOUND, too."""
    text = "".join(part for _, part in parts)
    encoded = text.encode()
    spans = lines.spans(encoded)
    if not spans:
        return [*parts]
    if len(encoded) != len(text):
        spans = [(len(encoded[:start].decode()), len(encoded[:end].decode())) for start, end in spans]
    return [*_cut(parts, spans)]


def _cut(parts: Sequence[Segment], spans: Sequence[tuple[int, int]]) -> Iterator[Segment]:
    begin = 0
    for classes, part in parts:
        end, at = begin + len(part), begin
        for start, stop in spans:
            if stop <= at or start >= end:
                continue
            if start > at:
                yield classes, part[at - begin : start - begin]
            at = max(at, start)
            yield f"{classes} {FOUND}".strip(), part[at - begin : min(stop, end) - begin]
            at = min(stop, end)
        if at < end:
            yield classes, part[at - begin :]
        begin = end
