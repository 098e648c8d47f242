"""What a dry run came to: the fields and lines that would change, and which of them the API server sets itself."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.beside import beside
from dashboard.edits.consequences import consequences
from dashboard.edits.diff import Change, Line, changes, diff_lines
from dashboard.edits.document import parse
from dashboard.edits.editable import Part, editable
from dashboard.edits.exchange import Stored
from dashboard.edits.fields import ABSENT, Value, get, same
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft, Review
from dashboard.resources.yaml_text import to_yaml

STATUS_KEPT = ("A controller that keeps this status writes what it sees over it, as soon as it looks again.",)


async def compared(
    draft: Draft, live: dict[str, Value], sent: dict[str, Value], stored: Stored, part: Part = "spec"
) -> Review:
    """What a dry run came to; `live` is the editable part of what is there, empty where nothing is."""
    after = editable(stored.value, part)

    def compare() -> Review:
        found = tuple(
            replace(change, by_server=not same(get(sent, change.path), change.now)) for change in changes(live, after)
        )
        was, now = to_yaml(live) if live else "", to_yaml(after)
        lines = _marked(diff_lines(was, now), now, found)
        told = STATUS_KEPT if part == "status" and found else consequences(live, after)
        undone = _undone(live, editable(sent, part), after)
        made = beside(sent, stored.value, part)
        return Review(draft, found, lines, stored.warnings, was, now, consequences=told, undone=undone, beside=made)

    return await off_loop(compare, size=len(draft.text))


def _undone(live: dict[str, Value], sent: dict[str, Value], after: dict[str, Value]) -> tuple[str, ...]:
    """The fields that were sent another way than they are, and would stay as they are all the same."""
    return tuple(change.field for change in changes(live, sent) if same(get(after, change.path), change.was))


def _marked(lines: tuple[Line, ...], now: str, found: tuple[Change, ...]) -> tuple[Line, ...]:
    """The lines, those marked on which the API server set something itself."""
    own = [change.path for change in found if change.by_server and change.now is not ABSENT]
    if not own:
        return lines
    stored = parse(now)
    places = {place.line for path in own if (place := stored.position(path)) is not None}
    return tuple(
        replace(line, by_server=True) if line.kind == "add" and line.now_number in places else line for line in lines
    )
