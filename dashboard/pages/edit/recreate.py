"""Re-creation of a deleted object from the user's text: an explicit choice, reviewed like every write."""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.fields.fields import Value, same
from dashboard.objects.manifests.document import Document
from dashboard.objects.merge.three_way import merge
from dashboard.objects.problems.problem import unanswered_refusal, uncertain_refusal
from dashboard.pages.edit.actions import read_document, refused_outcome
from dashboard.pages.edit.dry_run import review_dry_run
from dashboard.pages.writes.admission_changes import AdmissionChanges, admission_changes, drift_from_dry_run
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Refused, Replaced, Review, Saved, Submission, Unsure
from dashboard.pages.writes.target import Base, recreate_body
from dashboard.runtime.retry import LOST_NONE, LOST_UNREAD, is_unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound

_MAYBE = "It may or may not be made again"


async def review_recreation(exchange: ObjectClient, draft: Submission) -> Review | Replaced | Refused:
    """Dry run of the creation."""
    done = await _created(exchange, draft, dry_run=True)
    assert not isinstance(done, Saved | Unsure)  # noqa: S101 (a dry run saves nothing)
    return done


async def recreate(
    exchange: ObjectClient,
    draft: Submission,
    *,
    lost_answer: str = "",
    reviewed_changes: AdmissionChanges | None = None,
) -> Saved | Replaced | Refused | Unsure:
    """Create it; never on top of an existing object.

    `lost_answer` (retry.LOST_INPUT): no clear answer came before, so it may exist, or have been deleted since.
    `reviewed_changes`: the admission changes that the review showed.
    """
    done = await _created(exchange, draft, dry_run=False, lost=lost_answer, seen=reviewed_changes)
    assert not isinstance(done, Review)  # noqa: S101 (only a dry run is a review)
    return done


async def _created(
    exchange: ObjectClient, draft: Submission, *, dry_run: bool, lost: str = "", seen: AdmissionChanges | None = None
) -> Review | Saved | Replaced | Refused | Unsure:
    document = await read_document(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _sent(exchange, draft, document, dry_run=dry_run, lost=lost, seen=seen)
    except InformerdError as error:
        return refused_outcome(draft, error, document)


async def _sent(
    exchange: ObjectClient,
    draft: Submission,
    document: Document,
    *,
    dry_run: bool,
    lost: str,
    seen: AdmissionChanges | None,
) -> Review | Saved | Replaced | Refused | Unsure:
    value = recreate_body(document.value, exchange.target)
    found = await _after_lost(exchange, draft, value, lost) if lost else None
    if found is not None:
        return found
    try:
        stored = await exchange.create(value, dry_run=dry_run)
    except AlreadyExists:
        found = await _after_lost(exchange, draft, value, LOST_UNREAD) if lost else None
        return found or Replaced(draft, Base.of(await exchange.read()))
    except InformerdError as error:
        if dry_run or not is_unanswered(error):
            raise
        return await _found_out(exchange, draft, value, error)
    if not dry_run:
        other = drift_from_dry_run(seen, admission_changes(value, stored.value))
        return Saved(stored.value["metadata"]["resourceVersion"], warnings=stored.warnings, otherwise=other)
    return replace(await review_dry_run(draft, {}, value, stored), again=True)


async def _after_lost(
    exchange: ObjectClient, draft: Submission, sent: dict[str, Value], lost: str
) -> Saved | Replaced | Refused | Unsure | None:
    """The result that a read shows after a lost answer; None where the creation may be sent once more."""
    try:
        now = Base.of(await exchange.read())
    except NotFound:
        if lost == LOST_NONE:
            return None
        words = (
            "There is no object of this name: it was not created, or it was created and deleted again. Review it again."
        )
        return Refused(draft, uncertain_refusal(_MAYBE, words))
    except InformerdError as error:
        return Unsure(draft, error, trace=lost)
    return (
        Saved(now.version, confirmed_by_read=True) if contains(now.value, sent) else Replaced(draft, now, unsure=True)
    )


async def _found_out(
    exchange: ObjectClient, draft: Submission, sent: dict[str, Value], error: InformerdError
) -> Saved | Refused | Unsure:
    """The result after a creation without a clear answer: read the object, and compare."""
    try:
        now = Base.of(await exchange.read())
    except NotFound:
        words = "The API server has no object of this name, so nothing was created."
        return Refused(draft, replace(unanswered_refusal(error, "It was not made again", words), trace=LOST_NONE))
    except InformerdError:
        return Unsure(draft, error)
    if contains(now.value, sent):
        return Saved(now.version, confirmed_by_read=True)
    words = "An object of this name exists now, but it is not known whether it comes from your text. Review to compare."
    return Refused(draft, unanswered_refusal(error, _MAYBE, words, repeatable=False))


def contains(now: Value, sent: Value) -> bool:
    """Whether the object has all that was sent; the API server may have set more."""
    found = merge({}, now, sent)
    return not found.conflicts and same(found.value, now)
