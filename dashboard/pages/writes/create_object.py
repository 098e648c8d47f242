"""Creation of one object, never on top of another; where no clear answer comes, a read finds out the result."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.objects.fields.field_access import Value, same
from dashboard.objects.merge.three_way import merge
from dashboard.objects.problems.write_refusal import Refusal, refusal_of, unanswered_refusal, uncertain_refusal
from dashboard.pages.writes.admission_changes import (
    NO_DRIFT,
    AdmissionChanges,
    DryRunDrift,
    admission_changes,
    drift_from_dry_run,
)
from dashboard.pages.writes.editable_part import editable_part
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.target import Target
from dashboard.runtime.request_retry import LOST_NONE, LOST_UNREAD, is_unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound

UNCERTAIN_TITLE = "The object may or may not exist"
_UNREAD = "It is not known yet whether the object was created: it cannot be read at the moment."
NAMELESS = (
    "It is not known whether the object was created: the API server generates its name, so it "
    "cannot be read, and creating it again could make two. "
    "Look at the list of its kind, and review again only if it is missing."
)


@dataclass(frozen=True, slots=True)
class Created:
    """The API server has created it."""

    target: Target
    version: str
    """resourceVersion."""
    warnings: tuple[str, ...] = ()
    confirmed_by_read: bool = False
    """Whether no clear answer came, and reading the object proved the creation."""
    drift: DryRunDrift = NO_DRIFT


@dataclass(frozen=True, slots=True)
class NameInUse:
    """An object of this name exists. Nothing was written."""

    target: Target
    is_being_deleted: bool = False
    live: dict[str, Value] | None = None
    """The object, where it may come from the text: no clear answer came before, and it has other content."""


async def create_object(
    client: ObjectClient,
    sent: dict[str, Value],
    *,
    lost_answer: str = "",
    reviewed_changes: AdmissionChanges | None = None,
) -> Created | NameInUse | Refusal:
    """Create the object `sent` of the client's target; never on top of an existing one.

    `lost_answer` (request_retry.LOST_INPUT): no clear answer came before: it may exist, or have been deleted since. A
    refusal has the delay after which it may be retried automatically: not where the API server generates the name,
    since that could create two. `reviewed_changes`: the admission changes that a review showed.
    """
    target = client.target
    outcome = await _after_lost(client, sent, lost_answer) if lost_answer and target.name else None
    if outcome is not None:
        return outcome
    try:
        stored = await client.create(sent, dry_run=False)
    except AlreadyExists as error:
        outcome = await _after_lost(client, sent, LOST_UNREAD) if lost_answer and target.name else None
        return outcome or NameInUse(target, is_being_deleted(error))
    except InformerdError as error:
        if is_unanswered(error):
            return await _outcome_by_reading(client, sent, error)
        refusal = refusal_of(error)
        return refusal if target.name else replace(refusal, auto_retry_after=None)
    metadata = stored.value["metadata"]
    drift = drift_from_dry_run(reviewed_changes, admission_changes(sent, stored.value))
    return Created(replace(target, name=metadata["name"]), metadata["resourceVersion"], stored.warnings, drift=drift)


def is_being_deleted(error: AlreadyExists) -> bool:
    """Whether the object of the same name is being deleted (apiserver's registry/generic: Store.Create)."""
    return str(error).startswith("object is being deleted")


def contains(now: Value, sent: Value) -> bool:
    """Whether the object has all that was sent; the API server may have set more."""
    merged = merge({}, now, sent)
    return not merged.conflicts and same(merged.value, now)


def may_be_ours(target: Target) -> str:
    """The sentence about an object that may or may not come from the text."""
    return f"{target.words} exists now, but it is not known whether it comes from your text. Review to compare."


async def _after_lost(client: ObjectClient, sent: dict[str, Value], lost: str) -> Created | NameInUse | Refusal | None:
    """The result that a read shows after a lost answer; None where the creation may be sent once more."""
    try:
        live = await client.read()
    except NotFound:
        if lost == LOST_NONE:
            return None
        words = (
            f"There is no {client.target.words}: it was not created, or it was created and deleted again. "
            "Review it again."
        )
        return uncertain_refusal(UNCERTAIN_TITLE, words)
    except InformerdError as error:
        return replace(unanswered_refusal(error, UNCERTAIN_TITLE, _UNREAD, is_unverified=True), trace=lost)
    return _confirmed(client.target, live, sent) or NameInUse(client.target, live=live)


async def _outcome_by_reading(client: ObjectClient, sent: dict[str, Value], error: InformerdError) -> Created | Refusal:
    """The result after a creation without a clear answer: read the name, and compare with what was sent."""
    if not client.target.name:
        return unanswered_refusal(error, UNCERTAIN_TITLE, NAMELESS, repeatable=False)
    try:
        live = await client.read()
    except NotFound:
        words = "The API server has no object of this name, so nothing was created."
        return replace(unanswered_refusal(error, "The object was not created", words), trace=LOST_NONE)
    except InformerdError:
        return unanswered_refusal(error, UNCERTAIN_TITLE, _UNREAD, is_unverified=True)
    return _confirmed(client.target, live, sent) or unanswered_refusal(
        error, UNCERTAIN_TITLE, may_be_ours(client.target), repeatable=False
    )


def _confirmed(target: Target, live: dict[str, Value], sent: dict[str, Value]) -> Created | None:
    """The creation, where the object that was read has all that was sent."""
    if not contains(editable_part(live), sent):
        return None
    return Created(target, live["metadata"]["resourceVersion"], confirmed_by_read=True)
