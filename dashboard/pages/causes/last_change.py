"""The newest change to what an object asks for (its spec) before a problem began, from the newest lines of the feed.

It tells an order in time, not a cause.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.live.rendering.time_texts import duration_text, rfc3339
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.feed_entry import Entry

LONGEST_BEFORE = 3_600.0
"""Seconds before a problem in which a change is told."""
LATEST_AFTER = 5.0
"""Seconds after its begin in which a change is told, too: clocks differ, and objects say whole seconds."""
MAX_WORDS = 160
_COLUMNS = frozenset({"images", "containers", "selector", "desired", "schedule", "suspend", "paused"})
"""Columns that show what somebody asks for; other columns show what is."""


@dataclass(frozen=True, slots=True)
class LastChange:
    """A change before a problem."""

    words: str
    time: str
    """RFC 3339."""
    before: str
    """How long before the problem: ``2 min``."""


def last_change(replica: ReadableReplica, namespace: str, name: str, begin: float) -> LastChange | None:
    """The newest such change of an object before `begin` (Unix seconds); None where none is known."""
    for entry in reversed(replica.entries):
        if entry.time < begin - LONGEST_BEFORE:
            return None
        is_mine = (entry.namespace, entry.name) == (namespace, name)
        if is_mine and entry.time <= begin + LATEST_AFTER and is_of_spec(replica.key, entry):
            before = duration_text(max(0.0, begin - entry.time))
            return LastChange(limit_text(entry.words, MAX_WORDS), rfc3339(round(entry.time)), before)
    return None


def is_of_spec(key: str, entry: Entry) -> bool:
    """Whether a line about an object of a kind tells a change to what somebody asks for."""
    if entry.op != "modified":
        return False
    columns = _COLUMNS - {"desired"} if key == "daemonsets.apps" else _COLUMNS  # there it counts nodes
    return any(path in columns or path.startswith("spec") for path, _ in entry.fields)
