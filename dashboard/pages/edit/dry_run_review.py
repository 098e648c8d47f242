"""Result of a dry run: the fields and lines that would change, and those that the API server sets itself."""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.fields.field_access import ABSENT, Value, get, same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import Change, Line, changes, diff_lines
from dashboard.pages.writes.admission_changes import admission_changes
from dashboard.pages.writes.editable_part import editable_part
from dashboard.pages.writes.effects_text import effect_sentences
from dashboard.pages.writes.object_client import WriteResult
from dashboard.pages.writes.outcomes import Review, Submission
from dashboard.pages.writes.target import Editable
from dashboard.runtime.thread_pools import run_in_thread_if_large

STATUS_OVERWRITTEN = ("The controller of this status overwrites it at its next reconcile.",)


async def review_dry_run(
    draft: Submission, live: dict[str, Value], sent: dict[str, Value], stored: WriteResult, part: Editable = "spec"
) -> Review:
    """The review of a dry run; `live` is the editable part of the existing object, empty where there is none."""
    after = editable_part(stored.value, part)

    def compare() -> Review:
        field_changes = tuple(
            replace(change, by_server=not same(get(sent, change.path), change.now)) for change in changes(live, after)
        )
        was, now = to_yaml(live) if live else "", to_yaml(after)
        lines = _marked(diff_lines(was, now), now, field_changes)
        consequences = STATUS_OVERWRITTEN if part == "status" and field_changes else effect_sentences(live, after)
        ignored_fields = _ineffective(live, editable_part(sent, part), after)
        server_changes = admission_changes(sent, stored.value, part)
        return Review(
            draft,
            field_changes,
            lines,
            stored.warnings,
            was,
            now,
            consequences=consequences,
            ignored_fields=ignored_fields,
            admission_changes=server_changes,
        )

    return await run_in_thread_if_large(compare, size=len(draft.text))


def _ineffective(live: dict[str, Value], sent: dict[str, Value], after: dict[str, Value]) -> tuple[str, ...]:
    """Fields that the text changes, but the API server would leave unchanged."""
    return tuple(change.field for change in changes(live, sent) if same(get(after, change.path), change.was))


def _marked(lines: tuple[Line, ...], now: str, changes: tuple[Change, ...]) -> tuple[Line, ...]:
    """The lines, with those marked that the API server set."""
    own = [change.path for change in changes if change.by_server and change.now is not ABSENT]
    if not own:
        return lines
    stored = parse(now)
    places = {position.line for path in own if (position := stored.position(path)) is not None}
    return tuple(
        replace(line, by_server=True) if line.kind == "add" and line.now_number in places else line for line in lines
    )
