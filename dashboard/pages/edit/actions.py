"""Editor actions without HTTP: review, save, and merge of other users' changes.

The rule of this module: a write carries uid and resourceVersion of a state whose difference to the text the user has
seen. Any other state leads back to the user, with the text.
"""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.fields.fields import Value, same
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.manifests.rewrite import rewrite
from dashboard.objects.problems.problem import (
    Problem,
    Refusal,
    locate,
    masked_refusal,
    mismatch_refusal,
    refusal_of,
    unanswered_refusal,
    unreadable_refusal,
)
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.edit.current import (
    current_object,
    current_object_or_unsure,
    find_moved,
    not_found_outcome,
    reverted_outcome,
)
from dashboard.pages.edit.dry_run import review_dry_run
from dashboard.pages.writes.admission_changes import AdmissionChanges, admission_changes, drift_from_dry_run
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.outcomes import (
    Gone,
    Moved,
    Outcome,
    Refused,
    Replaced,
    Review,
    ReviewOutcome,
    Saved,
    Submission,
    Unsure,
    mark_unsure,
)
from dashboard.pages.writes.target import Base, editable_part, find_mismatches, masked_paths, update_body
from dashboard.runtime.background import run_in_thread_if_large
from dashboard.runtime.retry import is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

MAX_TRIES = 4
"""Most tries of an update where only uneditable parts, such as the status, have changed meanwhile."""


async def review(client: ObjectClient, draft: Submission, schema: Schema = UNKNOWN) -> ReviewOutcome:
    """Dry run: the object that would be stored, compared with the existing one. Writes nothing."""
    document = await read_document(client, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _reviewed(client, draft, document, schema)
    except InformerdError as error:
        return refused_outcome(draft, error, document)


async def save(
    exchange: ObjectClient,
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
    document = await read_document(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        outcome = await _saved(exchange, draft, document, schema, lost_answer, reviewed_changes)
    except InformerdError as error:
        outcome = refused_outcome(draft, error, document)
    return mark_unsure(outcome, lost_answer) if lost_answer else outcome


async def merge_theirs(
    exchange: ObjectClient, draft: Submission, schema: Schema = UNKNOWN
) -> Submission | Moved | Gone | Replaced | Refused:
    """The draft with other users' changes merged into its text, based on the newest state; Moved where they overlap."""
    document = await read_document(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        live = await current_object(exchange, draft)
    except InformerdError as error:
        return refused_outcome(draft, error, document)
    if isinstance(live, Gone | Replaced):
        return live
    moved = await find_moved(exchange, draft, document, live, schema)
    return moved if moved.merge.conflicts else await _merged_draft(moved, document)


async def read_document(exchange: ObjectClient, draft: Submission) -> Document | Refused:
    """The draft's document, if it is valid and about the object of the address."""
    try:
        document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable_refusal(error))
    wrong = find_mismatches(document.value, exchange.target, draft.base)
    if wrong:
        return Refused(draft, locate(mismatch_refusal(wrong), document))
    dots = masked_paths(document.value)
    return Refused(draft, locate(masked_refusal(dots), document)) if dots else document


def refused_outcome(draft: Submission, error: InformerdError, document: Document) -> Refused:
    """The API server's refusal, with the positions in the text."""
    return Refused(draft, locate(refusal_of(error), document))


async def _reviewed(exchange: ObjectClient, draft: Submission, document: Document, schema: Schema) -> ReviewOutcome:
    part = exchange.target.part
    for _ in range(MAX_TRIES):
        live = await current_object(exchange, draft)
        if isinstance(live, Gone | Replaced):
            return live
        now = Base.of(live, part)
        if not same(now.value, draft.base.value):
            return await _merged(exchange, await find_moved(exchange, draft, document, live, schema), document, live)
        value = update_body(document.value, live, part)
        try:
            stored = await exchange.update(value, dry_run=True)
        except Conflict:
            continue
        except NotFound as error:
            return await not_found_outcome(exchange, draft, error)
        return await _tried(exchange, replace(draft, base=now), value, stored)
    return _too_busy(draft)


async def _saved(
    exchange: ObjectClient,
    draft: Submission,
    document: Document,
    schema: Schema,
    lost: str,
    seen: AdmissionChanges | None,
) -> Outcome:
    part = exchange.target.part
    for _ in range(MAX_TRIES):
        live = await current_object_or_unsure(exchange, draft, lost)
        if isinstance(live, Gone | Replaced | Unsure):
            return live
        now = Base.of(live, part)
        value = update_body(document.value, live, part)
        if not same(now.value, draft.base.value):
            if same(now.value, editable_part(value, part)):
                return Saved(now.version, changed=False)
            moved = await find_moved(exchange, draft, document, live, schema)
            if _has_all(moved):
                return Saved(now.version, changed=False)
            return await _merged(exchange, moved, document, live)
        if lost and lost != now.version:
            return reverted_outcome(draft)
        try:
            return await _stored(exchange, draft, value, seen)
        except Conflict:
            continue
        except InformerdError as error:
            if not is_unanswered(error):
                raise
            return mark_unsure(await _found_out(exchange, draft, document, schema, error, now.version), now.version)
    return _too_busy(draft)


async def _stored(
    exchange: ObjectClient, draft: Submission, value: dict[str, Value], seen: AdmissionChanges | None
) -> Outcome:
    try:
        stored = await exchange.update(value, dry_run=False)
    except NotFound as error:
        return await not_found_outcome(exchange, draft, error)
    version = stored.value["metadata"]["resourceVersion"]
    made = await run_in_thread_if_large(
        admission_changes, value, stored.value, exchange.target.part, size=len(draft.text)
    )
    changed = version != value["metadata"]["resourceVersion"]
    return Saved(version, changed=changed, warnings=stored.warnings, otherwise=drift_from_dry_run(seen, made))


async def _found_out(
    exchange: ObjectClient, draft: Submission, document: Document, schema: Schema, error: InformerdError, tried: str
) -> Outcome:
    """The result after a write without a clear answer on top of the version `tried`: read the object, and compare."""
    try:
        live = await current_object(exchange, draft)
    except InformerdError:
        return Unsure(draft, error)
    if isinstance(live, Gone | Replaced):
        return live
    part = exchange.target.part
    now = Base.of(live, part)
    if same(now.value, editable_part(update_body(document.value, live, part), part)):
        return Saved(now.version, confirmed_by_read=True)
    if same(now.value, draft.base.value):
        if now.version != tried:
            return reverted_outcome(draft)
        words = "The object was read again: it was not stored, and nothing has changed."
        return Refused(draft, unanswered_refusal(error, "It was not saved", words))
    moved = await find_moved(exchange, draft, document, live, schema)
    return Saved(now.version, confirmed_by_read=True) if _has_all(moved) else moved


def _has_all(moved: Moved) -> bool:
    """Whether the object has all of the draft, apart from fields that the API server or others set since."""
    return not moved.merge.conflicts and same(moved.merge.value, moved.now.value)


async def _merged(exchange: ObjectClient, moved: Moved, document: Document, live: dict[str, Value]) -> ReviewOutcome:
    """The merge with its own dry run where no question is open; else the questions."""
    if moved.merge.conflicts:
        return moved
    draft = await _merged_draft(moved, document)
    value = update_body(moved.merge.value, live, exchange.target.part)
    try:
        stored = await exchange.update(value, dry_run=True)
    except Conflict:
        return moved
    except NotFound as error:
        return await not_found_outcome(exchange, moved.draft, error)
    except InformerdError as error:
        merged = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        return replace(refused_outcome(draft, error, merged), merged=moved)
    return replace(await _tried(exchange, draft, value, stored), merged=moved)


async def _tried(exchange: ObjectClient, draft: Submission, sent: dict[str, Value], stored: WriteResult) -> Review:
    """The result of a dry run on top of the draft's base, and the autoscaler that will undo it."""
    review = await review_dry_run(draft, draft.base.value, sent, stored, exchange.target.part)
    kept = await exchange.autoscaler_warning(draft.base.value, stored.value)
    return replace(review, consequences=(*review.consequences, kept)) if kept else review


async def _merged_draft(moved: Moved, document: Document) -> Submission:
    text = await run_in_thread_if_large(rewrite, document, moved.merge.value, size=len(document.text))
    return Submission(text, moved.now)


def _too_busy(draft: Submission) -> Refused:
    problem = Problem(f"The object changed {MAX_TRIES} times during the attempts. Try again.")
    return Refused(draft, Refusal((problem,), 409, "The object keeps changing"))
