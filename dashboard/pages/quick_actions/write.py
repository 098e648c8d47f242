"""Write of one field on top of the value that the user saw, with the result of a lost answer found out by reading.

The write carries uid and resourceVersion of a state that was just read and has that value. Where no clear answer came,
a retry carries the version and the value of the first write (WRITTEN_VERSION_INPUT, EXPECTED_VALUE_INPUT): it is
written only on top of that version, so that a value that was stored and then reverted by another user is not stored
again. A dry run precedes the write: where the API server would store anything beyond the requested value, that is shown
first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dashboard.objects.fields.field_access import Value, same
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of, unanswered_refusal
from dashboard.pages.edit.actions import MAX_TRIES
from dashboard.pages.quick_actions.action import Action, FieldState, FormData
from dashboard.pages.quick_actions.dry_run import PatchResult, dry_run_patch, patch_result, send_patch
from dashboard.pages.writes.request_context import EditRequest
from dashboard.runtime.request_retry import LOST_INPUT, is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

WRITTEN_VERSION_INPUT, EXPECTED_VALUE_INPUT = "tried", "to_be"
"""Inputs of a retry: the version that was written on top of, and the value to store (JSON)."""
_NOT_KNOWN = (
    "It may or may not be done",
    "It is not known yet whether it was stored: the object cannot be read at the moment.",
)


@dataclass(frozen=True, slots=True)
class Done:
    """The API server has stored it; `changed` is false where it was stored already."""

    before: Value
    stored_value: Value
    """The stored value, which may differ from the requested one."""
    changed: bool = True
    dry_run: PatchResult | None = None
    """Other stored changes; None where the result was found by reading."""
    is_read_back: bool = False
    """Whether no clear answer came, and reading the object proved the write."""


@dataclass(frozen=True, slots=True)
class Unreviewed:
    """Nothing was written: the write would change more than was shown, so that must be seen first."""

    dry_run: PatchResult


@dataclass(frozen=True, slots=True)
class Moved:
    """Another user changed the field meanwhile: their value is in `state`."""

    state: FieldState
    author: str
    changed_at: str
    unsure: bool = False
    """Whether this write may have been stored before that."""


@dataclass(frozen=True, slots=True)
class ObjectChanged:
    """No clear answer came; the field is unchanged, but not the object: the write was stored and reverted, or never
    stored.
    """


@dataclass(frozen=True, slots=True)
class Gone:
    """That object does not exist any more; `replaced`: another one has its name."""

    replaced: bool
    unsure: bool = False
    """Whether this write may have been stored before that."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Not written (but see Refusal.unsure)."""

    refusal: Refusal
    retry_inputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Inputs that a retry needs."""


Outcome = Done | Unreviewed | Moved | ObjectChanged | Gone | Refused


async def write(
    action: Action,
    edit_request: EditRequest,
    form_data: FormData,
    *,
    uid: str,
    before: Value,
    desired: Value,
    reviewed_fingerprint: str = "",
) -> Outcome:
    """Set the field to `desired` if the object is still `uid` and the field is still `before`.

    `reviewed_fingerprint` is that of the unexpected changes that the dry run showed.
    """
    for _ in range(MAX_TRIES):
        try:
            state = await action.read(edit_request, form_data)
        except NotFound:
            return Gone(replaced=False, unsure=LOST_INPUT in form_data)
        except InformerdError as error:
            return read_failed(error, form_data)
        if state.uid != uid:
            return Gone(replaced=True, unsure=LOST_INPUT in form_data)
        if was_stored(state, form_data, before=before, desired=desired):
            return Done(before, state.value, is_read_back=True)
        if not same(state.value, before):
            same_already = same(state.value, desired)
            return (
                Done(before, desired, changed=False)
                if same_already
                else await _moved_outcome(edit_request, state, unsure=LOST_INPUT in form_data)
            )
        if same(before, desired):
            return Done(before, desired, changed=False)
        if LOST_INPUT in form_data and state.version != form_data.get(WRITTEN_VERSION_INPUT):
            return ObjectChanged()
        outcome = await _dry_run_and_send(action, edit_request, state, form_data, desired, reviewed_fingerprint)
        if outcome is not None:
            return outcome
    problem = Problem(f"The object changed {MAX_TRIES} times during the attempts, though not in this field. Try again.")
    return Refused(Refusal((problem,), 409, "The object keeps changing"))


async def _dry_run_and_send(
    action: Action, edit_request: EditRequest, state: FieldState, form: FormData, wanted: Value, seen: str
) -> Outcome | None:
    """The outcome of a dry run and a write; None: another part of the object has just changed."""
    trial = None
    try:
        trial = await dry_run_patch(action, edit_request.object_client, state, wanted)
        if trial.unrequested_fingerprint and trial.unrequested_fingerprint != seen:
            return Unreviewed(trial)
        stored = await send_patch(action, edit_request.object_client, state, wanted, dry_run=False)
    except Conflict:
        return None
    except NotFound:
        return Gone(replaced=False, unsure=LOST_INPUT in form)
    except InformerdError as error:
        if trial is not None and is_unanswered(error):
            return await _outcome_by_reading(action, edit_request, state, form, trial, error)
        return Refused(refusal_of(error))
    result = patch_result(state, wanted, stored)
    return Done(state.value, result.stored_value, dry_run=result)


async def _outcome_by_reading(
    action: Action,
    edit_request: EditRequest,
    before: FieldState,
    form: FormData,
    trial: PatchResult,
    error: InformerdError,
) -> Outcome:
    """The outcome after a write without a clear answer: read the object, and compare."""
    retry_inputs = {WRITTEN_VERSION_INPUT: before.version, EXPECTED_VALUE_INPUT: json.dumps(trial.stored_value)}
    try:
        now = await action.read(edit_request, form)
    except NotFound:
        return Gone(replaced=False, unsure=True)
    except InformerdError:
        return Refused(unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True), retry_inputs)
    if now.uid != before.uid:
        return Gone(replaced=True, unsure=True)
    if same(now.value, trial.stored_value):
        return Done(before.value, now.value, is_read_back=True)
    if not same(now.value, before.value):
        return await _moved_outcome(edit_request, now, unsure=True)
    if now.version != before.version:
        return ObjectChanged()
    words = "The object was read again: nothing has changed."
    return Refused(unanswered_refusal(error, "It was not done", words), retry_inputs)


def was_stored(state: FieldState, form: FormData, *, before: Value, desired: Value) -> bool:
    """Whether a lost write is stored: the object has the requested value, or the one to be stored."""
    if LOST_INPUT not in form or same(state.value, before):
        return False
    return same(state.value, desired) or (
        EXPECTED_VALUE_INPUT in form and form[EXPECTED_VALUE_INPUT] == json.dumps(state.value)
    )


def read_failed(error: InformerdError, form: FormData) -> Refused:
    """The outcome where the object cannot be read: nothing is sent now, but an earlier write may be stored."""
    return Refused(
        unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True) if LOST_INPUT in form else refusal_of(error)
    )


async def _moved_outcome(edit_request: EditRequest, state: FieldState, *, unsure: bool) -> Moved:
    by, at = await edit_request.object_client.last_author(state.obj)
    return Moved(state, by, at, unsure=unsure)
