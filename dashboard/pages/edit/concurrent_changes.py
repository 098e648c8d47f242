"""Changes by others since a draft began: the current object, whether it still exists, and the merge with it."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from dashboard.objects.fields.field_access import Value
from dashboard.objects.manifests.document import Document
from dashboard.objects.merge.diff import changes
from dashboard.objects.merge.three_way import MergeResult, Side, merge
from dashboard.objects.problems.write_refusal import Problem, Refusal, uncertain_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.writes.editable_part import Base, editable_part, update_body
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Gone, Moved, OutcomeReached, Refused, Replaced, Submission
from dashboard.pages.writes.target import Target
from dashboard.runtime.thread_pools import run_in_thread_if_large
from dashboard.runtime.tracing import span
from informerd.errors import NotFound


async def current_object(client: ObjectClient, draft: Submission) -> dict[str, Value]:
    """The object that the draft started from. Raises as ObjectClient.read does, and OutcomeReached where it is gone."""
    try:
        live = await client.read()
    except NotFound as error:
        raise OutcomeReached(Gone(draft)) from error
    if live["metadata"]["uid"] != draft.base.uid:
        raise OutcomeReached(Replaced(draft, Base.of(live, client.target.part)))
    return live


async def explain_not_found(client: ObjectClient, draft: Submission, error: NotFound) -> NoReturn:
    """Raise OutcomeReached after a write that found nothing: of a subresource, perhaps only that is missing."""
    if not client.target.subresource:
        raise OutcomeReached(Gone(draft)) from error
    await current_object(client, draft)
    words = "The object exists, but the API server does not have this subresource. Open its status again."
    refusal = Refusal((Problem(words, str(error)),), 404, "The status cannot be written this way")
    raise OutcomeReached(Refused(draft, refusal)) from error


async def find_moved(
    client: ObjectClient, draft: Submission, document: Document, live: dict[str, Value], schema: Schema
) -> Moved:
    """Other users' changes since the draft began, and the merge of both."""
    with span("merge"):
        moved = await run_in_thread_if_large(
            compute_moved, client.target, draft, document, live, schema, size=len(draft.text)
        )
    author, changed_at = await client.last_author(live)
    return replace(moved, author=author, changed_at=changed_at)


def compute_moved(
    target: Target, draft: Submission, document: Document, live: dict[str, Value], schema: Schema
) -> Moved:
    """As `find_moved`, which computes it in a thread where the object is large; without the author."""
    part = target.part
    base, now = draft.base.value, Base.of(live, part)
    mine = editable_part(update_body(document.value, live, part), part)
    # answers count only for what the person saw: where it has changed again, it is asked again
    choices = draft.choices if draft.seen_fingerprint == now.fingerprint else {}
    merged = merge(base, now.value, mine, schema=schema, choices=choices)
    all_mine, all_theirs = _answered(base, now.value, mine, schema, merged)
    theirs = changes(base, now.value, schema=schema)
    merged_changes = changes(mine, all_mine, schema=schema)
    own_changes = changes(now.value, all_theirs, schema=schema)
    return Moved(draft, now, merged, theirs, merged_changes, own_changes)


def _answered(base: Value, theirs: Value, mine: Value, schema: Schema, merged: MergeResult) -> tuple[Value, Value]:
    """The merge with mine for every question, and with theirs."""
    conflicts = [*merged.conflicts, *(conflict for conflict, _ in merged.resolved)]
    if not conflicts:
        return merged.value, merged.value

    def with_all(side: Side) -> Value:
        return merge(base, theirs, mine, schema=schema, choices={conflict.path: side for conflict in conflicts}).value

    return with_all("mine") if merged.resolved else merged.value, with_all("theirs")


def reverted_outcome(draft: Submission) -> Refused:
    """Outcome where the object reads as before a lost write, but has been written to since."""
    words = (
        "The object is as before, but it was written to since the attempt: your change may have been "
        "stored and reverted. Review it again if you still want it."
    )
    return Refused(draft, uncertain_refusal("It may or may not be saved", words))
