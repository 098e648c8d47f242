"""An incident as Markdown, for a chat or a report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dashboard.pages.incident.timeline import TimelineEntry
from dashboard.runtime.invisible_characters import escape_invisible

MAX_ENTRIES = 60
"""Most entries, the newest."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&~@])")
_ADDRESS = re.compile(r"(\w)://")
"""What chats make a link of, with or without brackets."""


def as_markdown(
    title: str, address: str, cluster: str, state: str, sentences: Iterable[str], entries: Iterable[TimelineEntry]
) -> str:
    """The object, its state, sentences about it, and the newest entries, oldest first."""
    listed = [*entries]
    parts = [f"**[{_plain(title)}]({address})** on cluster {_plain(cluster)}: {_plain(state)}", ""]
    parts += [f"* {_plain(sentence)}" for sentence in sentences]
    parts += ["", "| time (UTC) | what | where |", "| --- | --- | --- |"]
    parts += [
        f"| {entry.time_text.removesuffix(' UTC')} | {entry.source}: {_plain(entry.words)} | {_plain(entry.subject)} |"
        for entry in reversed(listed[:MAX_ENTRIES])
    ]
    if len(listed) > MAX_ENTRIES:
        parts.append(f"\n{len(listed) - MAX_ENTRIES} older entries are on the page.")
    for entry in reversed(listed[:MAX_ENTRIES]):
        if entry.lines:
            parts += ["", f"{_plain(entry.subject)}, {_plain(entry.words)}:", "```", *map(_fenced, entry.lines), "```"]
    return "\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """One line of text that Markdown shows as it is."""
    plain = _SPECIAL.sub(r"\\\1", escape_invisible(" ".join(text.split())))
    return _ADDRESS.sub(r"\1\\://", plain)


def _fenced(line: str) -> str:
    """A line of a block of code, which it does not end."""
    return escape_invisible(line).replace("```", "'''")
