"""A log line as pages and downloads have it: time, severity, and its text in parts that have colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.logs.ansi import Segment, segments
from dashboard.objects.logs.found_text import FOUND, with_found
from dashboard.objects.logs.line_filter import ANY_LINE, LineFilter
from dashboard.objects.logs.severity import NONE, SEVERITIES, severities_of
from dashboard.pages.logs.line_buffer import Entry, LogPageMark, sort_key

MAX_SHOWN_BYTES = 8 * 1024
"""Bytes of a line that a page gets; the whole of it is a link away."""

JsonEntry = list[Any]
"""``[number, time, source, severity, text or parts, bytes left out]``; of a mark ``[number, time, source, "!", kind,
words]``."""

SourceName = tuple[str, str, str, str, int]
"""Namespace, pod, container, what a page calls it, and the number of its colour."""


class SeverityJudge:
    """Severities of lines as they come: each source's, whose lines may continue the one before."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def judge(self, entries: Iterable[Entry]) -> list[int]:
        """The severity of each entry, in their order; NONE for marks."""
        found = []
        for source, item in entries:
            severity = NONE
            if isinstance(item, bytes):
                (severity,) = severities_of((text_of(item),), self._last.get(source, NONE))
                self._last[source] = severity
            found.append(severity)
        return found


def text_of(line: bytes) -> bytes:
    """A line without its time."""
    return line[line.find(b" ") + 1 :]


def time_of(line: bytes) -> str:
    """The time of a line in UTC, with nine decimals."""
    return sort_key(line).decode("ascii", "replace")


def as_json(number: int | None, entry: Entry, severity: int, lines: LineFilter) -> JsonEntry:
    """An entry for the page's script; without `number` it is not among those that the view keeps. What `lines` finds
    is a part of its own.
    """
    source, item = entry
    if isinstance(item, LogPageMark):
        return [number, item.time.decode(), source, "!", item.kind, item.words]
    text = text_of(item)
    parts = _parts(text, lines)
    content: object = parts[0][1] if len(parts) == 1 and not parts[0][0] else parts
    entry_json: JsonEntry = [number, time_of(item), source, severity, content]
    return [*entry_json, len(text) - MAX_SHOWN_BYTES] if len(text) > MAX_SHOWN_BYTES else entry_json


def as_html(
    number: int, entry: Entry, severity: int, names: Sequence[SourceName], lines: LineFilter = ANY_LINE
) -> SafeString:
    """An entry for the first page. `names` are those of the sources; what `lines` finds is marked."""
    source, item = entry
    namespace, pod, container, label, colour = names[source] if source >= 0 else ("", "", "", "", 0)
    about = (
        f'data-namespace="{escape(namespace)}" data-pod="{escape(pod)}" data-container="{escape(container)}" '
        f'data-source="{source}" data-n="{number}"'
    )
    if isinstance(item, LogPageMark):
        time, words = escape(item.time.decode()), escape(item.words)
        return _safe(f'<div class="log-mark" data-mark="{escape(item.kind)}" data-time="{time}" {about}>{words}</div>')
    text = text_of(item)
    parts = "".join(_part_html(classes, escape(part)) for classes, part in _parts(text, lines))
    time, left_out = escape(time_of(item)), max(0, len(text) - MAX_SHOWN_BYTES)
    cut = f' data-cut="{left_out}"' if left_out else ""
    name = f'<span class="log-source c{colour}">{escape(label)}</span>' if len(names) > 1 else ""
    return _safe(
        f'<div class="log-line s-{SEVERITIES[severity]}" data-time="{time}" data-severity="{severity}" {about}{cut}>'
        f'<time>{time}</time>{name}<span class="log-text">{parts}</span></div>'
    )


def _parts(text: bytes, lines: LineFilter) -> list[Segment]:
    """What is shown of a line's text."""
    return with_found(segments(text[:MAX_SHOWN_BYTES].decode("utf-8", "replace")), lines)


def _part_html(classes: str, part: str) -> str:
    if not classes:
        return part
    name = "mark" if FOUND in classes.split() else "span"
    return f'<{name} class="{classes}">{part}</{name}>'


def as_record(container: ContainerId, line: bytes) -> dict[str, str]:
    """A line as a record of NDJSON."""
    text = text_of(line)
    (severity,) = severities_of((text,))
    about = {"namespace": container.namespace, "pod": container.pod, "container": container.container}
    record = {"time": time_of(line), **about}
    if severity != NONE:
        record["severity"] = SEVERITIES[severity]
    return {**record, "text": text.decode("utf-8", "replace")}


def _safe(html: str) -> SafeString:
    return mark_safe(html)  # noqa: S308 -- each part is escaped, or a class of ansi.py
