"""An incident as Markdown, for a chat or a report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dashboard.objects.fields.text_limit import limit_text
from dashboard.pages.incident.routine import routine_words
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.runtime.invisible_characters import escape_invisible

MAX_ENTRIES = 60
"""Most entries, the newest."""
MAX_LINE = 200
"""Most characters of a line of a log."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&~@])")
_ADDRESS = re.compile(r"(\w)://")
"""What chats make a link of, with or without brackets."""


def as_markdown(
    title: str, address: str, cluster: str, state: str, sentences: Iterable[str], entries: Iterable[TimelineEntry]
) -> str:
    """The object, its state, sentences about it, and the newest entries that stand out, oldest first. Routine ones are
    counted.
    """
    everything = [*entries]
    listed = [entry for entry in everything if not entry.is_routine]
    parts = [f"**[{_plain(title)}]({address})** on cluster {_plain(cluster)}: {_plain(state)}", ""]
    parts += [f"* {_plain(sentence)}" for sentence in sentences]
    parts += [*([""] if len(parts) > 2 else []), "| time (UTC) | what | where |", "| --- | --- | --- |"]
    parts += [
        f"| {entry.time_text.removesuffix(' UTC')} | {entry.source}: {_plain(entry.words)} | {_plain(entry.subject)} |"
        for entry in reversed(listed[:MAX_ENTRIES])
    ]
    if len(listed) > MAX_ENTRIES:
        parts.append(f"\n{len(listed) - MAX_ENTRIES} older entries are on the page.")
    if routine := len(everything) - len(listed):
        parts.append(f"\n{routine_words(routine)} {'is' if routine == 1 else 'are'} on the page.")
    for entry in reversed(listed[:MAX_ENTRIES]):
        if entry.lines:
            parts += [
                "",
                f"{_plain(entry.subject)}, {_plain(entry.words)}:",
                "```",
                *map(_fenced, map(str, entry.lines)),
                "```",
            ]
    return "\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """One line of text that Markdown shows as it is."""
    plain = _SPECIAL.sub(r"\\\1", escape_invisible(" ".join(text.split())))
    return _ADDRESS.sub(r"\1\\://", plain)


def _fenced(line: str) -> str:
    """A line of a block of code, which it does not end."""
    return limit_text(escape_invisible(line), MAX_LINE).replace("```", "'''")
