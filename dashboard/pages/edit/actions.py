"""Actions of the editor without HTTP: review, save, and merge of other users' changes.

The rule of this module: a write carries uid and resourceVersion of a state whose difference to the text the user has
seen. Any other state leads back to the user, with the text. Each action reads from top to bottom: check the text, read
the current object, merge where it has changed, and send a dry run or the write. A step that ends the action raises
OutcomeReached.
"""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.fields.field_access import Value, same
from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.problems.write_refusal import Problem, Refusal, unanswered_refusal
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.edit.concurrent_changes import current_object, explain_not_found, find_moved, reverted_outcome
from dashboard.pages.edit.dry_run_review import review_dry_run
from dashboard.pages.edit.text_refusals import check_text, refusals_located, refused_outcome
from dashboard.pages.writes.admission_changes import AdmissionChanges, admission_changes, drift_from_dry_run
from dashboard.pages.writes.editable_part import Base, editable_part, update_body
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.outcomes import (
    Moved,
    Outcome,
    OutcomeReached,
    Refused,
    Review,
    Saved,
    Submission,
    Unsure,
    mark_unsure,
    returns_outcome,
)
from dashboard.runtime.request_retry import is_unanswered
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import Conflict, InformerdError, NotFound

MAX_TRIES = 4
"""Most tries of an update where only uneditable parts, such as the status, have changed meanwhile."""


@returns_outcome
async def review(client: ObjectClient, draft: Submission, schema: Schema = UNKNOWN) -> Outcome:
    """Dry run: the object that would be stored, compared with the existing one. Writes nothing."""
    document = await check_text(client.target, draft)
    with refusals_located(draft, document):
        for _ in range(MAX_TRIES):
            live = await current_object(client, draft)
            now = Base.of(live, client.target.part)
            if not same(now.value, draft.base.value):
                moved = await find_moved(client, draft, document, live, schema)
                return await _review_merge(client, moved, document, live)
            body = update_body(document.value, live, client.target.part)
            try:
                stored = await client.update(body, dry_run=True)
            except Conflict:
                continue
            except NotFound as error:
                await explain_not_found(client, draft, error)
            return await _review(client, replace(draft, base=now), body, stored)
    return _too_busy(draft)


async def save(
    client: ObjectClient,
    draft: Submission,
    schema: Schema = UNKNOWN,
    *,
    lost_answer: str = "",
    reviewed_changes: AdmissionChanges | None = None,
) -> Outcome:
    """Write a reviewed draft on top of exactly the state it was compared with (its status may have changed).

    `lost_answer`: the resourceVersion on top of which it was sent before, without a clear answer. It is sent again only
    on top of that one: since then, the draft may have been stored and reverted by another user. `reviewed_changes`: the
    admission changes that the review showed.
    """
    outcome = await _save(client, draft, schema, lost_answer, reviewed_changes)
    return mark_unsure(outcome, lost_answer) if lost_answer else outcome


@returns_outcome
async def merge_theirs(client: ObjectClient, draft: Submission, schema: Schema = UNKNOWN) -> Submission | Moved:
    """The draft with other users' changes merged into its text, based on the newest state; Moved where they overlap."""
    document = await check_text(client.target, draft)
    with refusals_located(draft, document):
        live = await current_object(client, draft)
    moved = await find_moved(client, draft, document, live, schema)
    return moved if moved.merge.conflicts else await _merged_draft(moved, document)


@returns_outcome
async def _save(
    client: ObjectClient, draft: Submission, schema: Schema, lost: str, reviewed_changes: AdmissionChanges | None
) -> Outcome:
    document, part = await check_text(client.target, draft), client.target.part
    with refusals_located(draft, document):
        for _ in range(MAX_TRIES):
            live = await _current_after(client, draft, lost)
            now, body = Base.of(live, part), update_body(document.value, live, part)
            if not same(now.value, draft.base.value):
                if same(now.value, editable_part(body, part)):
                    return Saved(now.version, changed=False)
                moved = await find_moved(client, draft, document, live, schema)
                if _has_all(moved):
                    return Saved(now.version, changed=False)
                return await _review_merge(client, moved, document, live)
            if lost and lost != now.version:
                return reverted_outcome(draft)
            try:
                return await _write(client, draft, body, reviewed_changes)
            except Conflict:
                continue
            except InformerdError as error:
                if not is_unanswered(error):
                    raise
                outcome = await _find_out(client, draft, document, schema, error, now.version)
                return mark_unsure(outcome, now.version)
    return _too_busy(draft)


async def _current_after(client: ObjectClient, draft: Submission, lost: str) -> dict[str, Value]:
    """As `current_object`; raises OutcomeReached where an answer was `lost` and nothing can be read."""
    try:
        return await current_object(client, draft)
    except InformerdError as error:
        if not lost:
            raise
        raise OutcomeReached(Unsure(draft, error)) from error


async def _write(
    client: ObjectClient, draft: Submission, body: dict[str, Value], reviewed_changes: AdmissionChanges | None
) -> Saved:
    try:
        stored = await client.update(body, dry_run=False)
    except NotFound as error:
        await explain_not_found(client, draft, error)
    version = stored.value["metadata"]["resourceVersion"]
    stored_changes = await run_in_thread_if_large(
        admission_changes, body, stored.value, client.target.part, size=len(draft.text)
    )
    before = body["metadata"]["resourceVersion"]
    drift = drift_from_dry_run(reviewed_changes, stored_changes)
    return Saved(version, changed=version != before, warnings=stored.warnings, drift=drift, before=before)


@returns_outcome
async def _find_out(
    client: ObjectClient,
    draft: Submission,
    document: Document,
    schema: Schema,
    error: InformerdError,
    tried_version: str,
) -> Outcome:
    """The result after a write without a clear answer on top of the version `tried_version`: read the object, and
    compare.
    """
    try:
        live = await current_object(client, draft)
    except InformerdError:
        return Unsure(draft, error)
    part = client.target.part
    now = Base.of(live, part)
    if same(now.value, editable_part(update_body(document.value, live, part), part)):
        return Saved(now.version, confirmed_by_read=True)
    if same(now.value, draft.base.value):
        if now.version != tried_version:
            return reverted_outcome(draft)
        words = "The object was read again: it was not stored, and nothing has changed."
        return Refused(draft, unanswered_refusal(error, "It was not saved", words))
    moved = await find_moved(client, draft, document, live, schema)
    return Saved(now.version, confirmed_by_read=True) if _has_all(moved) else moved


def _has_all(moved: Moved) -> bool:
    """Whether the object has all of the draft, apart from fields that the API server or others set since."""
    return not moved.merge.conflicts and same(moved.merge.value, moved.current.value)


async def _review_merge(
    client: ObjectClient, moved: Moved, document: Document, live: dict[str, Value]
) -> Review | Moved | Refused:
    """The merge with its own dry run where no question is open; else the questions."""
    if moved.merge.conflicts:
        return moved
    draft = await _merged_draft(moved, document)
    body = update_body(moved.merge.value, live, client.target.part)
    try:
        stored = await client.update(body, dry_run=True)
    except Conflict:
        return moved
    except NotFound as error:
        await explain_not_found(client, moved.draft, error)
    except InformerdError as error:
        merged = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        return replace(refused_outcome(draft, error, merged), merged=moved)
    return replace(await _review(client, draft, body, stored), merged=moved)


async def _review(client: ObjectClient, draft: Submission, sent: dict[str, Value], stored: WriteResult) -> Review:
    """The review of a dry run on top of the draft's base, and the autoscaler that will undo it."""
    review = await review_dry_run(draft, draft.base.value, sent, stored, client.target.part)
    warning = await client.autoscaler_warning(draft.base.value, stored.value)
    return replace(review, consequences=(*review.consequences, warning)) if warning else review


async def _merged_draft(moved: Moved, document: Document) -> Submission:
    text = await run_in_thread_if_large(rewrite, document, moved.merge.value, size=len(document.text))
    return Submission(text, moved.current)


def _too_busy(draft: Submission) -> Refused:
    problem = Problem(f"The object changed {MAX_TRIES} times during the attempts. Try again.")
    return Refused(draft, Refusal((problem,), 409, "The object keeps changing"))
