"""Request that creates an object; where no clear answer comes, a read finds out the result."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.objects.fields.fields import Value
from dashboard.objects.problems.problem import Refusal, refusal_of, unanswered_refusal, uncertain_refusal
from dashboard.pages.authors.recorder import WriteRecorder
from dashboard.pages.edit.recreate import contains
from dashboard.pages.writes.admission_changes import (
    NO_DRIFT,
    AdmissionChanges,
    DryRunDrift,
    admission_changes,
    drift_from_dry_run,
)
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.target import Target, editable_part
from dashboard.runtime.retry import LOST_NONE, LOST_UNREAD, is_unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound
from informerd.rest.client import Client

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
    warnings: tuple[str, ...] = ()
    confirmed_by_read: bool = False
    """Whether no clear answer came, and reading the object proved the creation."""
    otherwise: DryRunDrift = NO_DRIFT


@dataclass(frozen=True, slots=True)
class NameInUse:
    """An object of this name exists. Nothing was written."""

    target: Target
    is_going: bool = False
    """Whether it is being deleted."""


async def create_object(
    client: Client,
    target: Target,
    sent: dict[str, Value],
    *,
    lost_answer: str = "",
    reviewed_changes: AdmissionChanges | None = None,
    write_recorder: WriteRecorder | None = None,
) -> Created | NameInUse | Refusal:
    """Create the object `sent`; never on top of an existing one.

    `lost_answer` (retry.LOST_INPUT): no clear answer came before: it may exist, or have been deleted since. A refusal
    has the delay after which it may be retried automatically: not where the API server generates the name, since that
    could create two. `reviewed_changes`: the admission changes that a review showed. `write_recorder` records the
    author.
    """
    found = await _after_lost(client, target, sent, lost_answer) if lost_answer and target.name else None
    if found is not None:
        return found
    try:
        stored = await ObjectClient(client, target, write_recorder=write_recorder).create(sent, dry_run=False)
    except AlreadyExists as error:
        found = await _after_lost(client, target, sent, LOST_UNREAD) if lost_answer and target.name else None
        return found or NameInUse(target, is_being_deleted(error))
    except InformerdError as error:
        if is_unanswered(error):
            return await _found_out(client, target, sent, error)
        refusal = refusal_of(error)
        return refusal if target.name else replace(refusal, auto_retry_after=None)
    made = replace(target, name=str(stored.value["metadata"]["name"]))
    return Created(
        made, stored.warnings, otherwise=drift_from_dry_run(reviewed_changes, admission_changes(sent, stored.value))
    )


def is_being_deleted(error: AlreadyExists) -> bool:
    """Whether the object of the same name is being deleted (apiserver's registry/generic: Store.Create)."""
    return str(error).startswith("object is being deleted")


async def _after_lost(client: Client, target: Target, sent: dict[str, Value], lost: str) -> Created | Refusal | None:
    """The result that a read shows after a lost answer; None where the creation may be sent once more."""
    try:
        now = editable_part(await ObjectClient(client, target).read())
    except NotFound:
        if lost == LOST_NONE:
            return None
        words = f"There is no {target.words}: it was not created, or it was created and deleted again. Review it again."
        return uncertain_refusal(UNCERTAIN_TITLE, words)
    except InformerdError as error:
        return replace(unanswered_refusal(error, UNCERTAIN_TITLE, _UNREAD, is_unverified=True), trace=lost)
    return (
        Created(target, confirmed_by_read=True)
        if contains(now, sent)
        else uncertain_refusal(UNCERTAIN_TITLE, _another(target))
    )


async def _found_out(
    client: Client, target: Target, sent: dict[str, Value], error: InformerdError
) -> Created | Refusal:
    """The result after a creation without a clear answer: read the name, and compare with what was sent."""
    if not target.name:
        return unanswered_refusal(error, UNCERTAIN_TITLE, NAMELESS, repeatable=False)
    try:
        now = editable_part(await ObjectClient(client, target).read())
    except NotFound:
        words = "The API server has no object of this name, so nothing was created."
        return replace(unanswered_refusal(error, "The object was not created", words), trace=LOST_NONE)
    except InformerdError:
        return unanswered_refusal(error, UNCERTAIN_TITLE, _UNREAD, is_unverified=True)
    return (
        Created(target, confirmed_by_read=True)
        if contains(now, sent)
        else unanswered_refusal(error, UNCERTAIN_TITLE, _another(target), repeatable=False)
    )


def _another(target: Target) -> str:
    return f"{target.words} exists now, but it is not known whether it comes from your text. Review to compare."
