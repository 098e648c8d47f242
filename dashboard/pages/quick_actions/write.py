"""Write one field on top of the very value that a person saw, and find out what came of it.

The write carries uid and resourceVersion of a state that was read a moment before and has that value. Where no clear
answer came to one, what is sent again carries the version and the value of that one (TRIED, TO_BE): it is written only
on top of that very version, so that what was stored and set back meanwhile by somebody else is not stored once more.
A dry run goes before it: where the API server would store anything that asking for the value does not say, it is shown
first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dashboard.edits.actions import TRIES
from dashboard.edits.fields import Value, same
from dashboard.edits.place import Place
from dashboard.edits.problems import Problem, Refusal, refusal_of, unanswered
from dashboard.quick.action import Action, Form, State
from dashboard.quick.trial import Trial, compared, sent, try_out
from dashboard.repeats import LOST, is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

TRIED, TO_BE = "tried", "to_be"
"""Inputs of what is sent again: the version that was written on top of, and the value that was to be stored (JSON)."""
_NOT_KNOWN = (
    "It may or may not be done",
    "Whether it was stored is not known yet: the object cannot be read at the moment.",
)


@dataclass(frozen=True, slots=True)
class Done:
    """The API server has it; `changed` is false where it had it already."""

    before: Value
    after: Value
    """What is stored, which may be another value than was asked for."""
    changed: bool = True
    trial: Trial | None = None
    """What was stored beside it; None where it was found out by reading."""
    read: bool = False
    """Whether no clear answer came, and reading the object showed it."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """Nothing was written: more would become of it than was said, and that has to be seen first."""

    trial: Trial


@dataclass(frozen=True, slots=True)
class Moved:
    """Somebody changed the field meanwhile: theirs is in `state`."""

    state: State
    by: str
    at: str
    unsure: bool = False
    """Whether this was stored before that for all that is known."""


@dataclass(frozen=True, slots=True)
class Changed:
    """No clear answer came; the field is as it was, but not the object: it was stored and set back, or never stored."""


@dataclass(frozen=True, slots=True)
class Gone:
    """That object is there no more; `replaced`: another one has its name."""

    replaced: bool
    unsure: bool = False
    """Whether this was stored before that for all that is known."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Not written (but see Refusal.unsure)."""

    refusal: Refusal
    tried: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What has to come with it when it is sent again."""


Outcome = Done | Unseen | Moved | Changed | Gone | Refused


async def write(
    action: Action, place: Place, form: Form, *, uid: str, was: Value, wanted: Value, seen: str = ""
) -> Outcome:
    """Set the field to `wanted` if the object is still `uid` and the field still `was`.

    `seen` is the surprise of the trial that was shown.
    """
    for _ in range(TRIES):
        try:
            state = await action.read(place, form)
        except NotFound:
            return Gone(replaced=False, unsure=LOST in form)
        except InformerdError as error:
            return unread(error, form)
        if state.uid != uid:
            return Gone(replaced=True, unsure=LOST in form)
        if was_stored(state, form, was=was, wanted=wanted):
            return Done(was, state.value, read=True)
        if not same(state.value, was):
            same_already = same(state.value, wanted)
            return Done(was, wanted, changed=False) if same_already else await _moved(place, state, unsure=LOST in form)
        if same(was, wanted):
            return Done(was, wanted, changed=False)
        if LOST in form and state.version != form.get(TRIED):
            return Changed()
        outcome = await _tried_and_sent(action, place, state, form, wanted, seen)
        if outcome is not None:
            return outcome
    problem = Problem(f"The object changed {TRIES} times while this was tried, though not in this field. Try again.")
    return Refused(Refusal((problem,), 409, "The object changes all the time"))


async def _tried_and_sent(
    action: Action, place: Place, state: State, form: Form, wanted: Value, seen: str
) -> Outcome | None:
    """None: something else of the object has changed in this moment."""
    trial = None
    try:
        trial = await try_out(action, place.exchange, state, wanted)
        if trial.surprise and trial.surprise != seen:
            return Unseen(trial)
        stored = await sent(action, place.exchange, state, wanted, dry_run=False)
    except Conflict:
        return None
    except NotFound:
        return Gone(replaced=False, unsure=LOST in form)
    except InformerdError as error:
        if trial is not None and is_unanswered(error):
            return await _found_out(action, place, state, form, trial, error)
        return Refused(refusal_of(error))
    made = compared(state, wanted, stored)
    return Done(state.value, made.stored, trial=made)


async def _found_out(
    action: Action, place: Place, before: State, form: Form, trial: Trial, error: InformerdError
) -> Outcome:
    """After a write without a clear answer: look whether the API server stored it."""
    tried = {TRIED: before.version, TO_BE: json.dumps(trial.stored)}
    try:
        now = await action.read(place, form)
    except NotFound:
        return Gone(replaced=False, unsure=True)
    except InformerdError:
        return Refused(unanswered(error, *_NOT_KNOWN, unread=True), tried)
    if now.uid != before.uid:
        return Gone(replaced=True, unsure=True)
    if same(now.value, trial.stored):
        return Done(before.value, now.value, read=True)
    if not same(now.value, before.value):
        return await _moved(place, now, unsure=True)
    if now.version != before.version:
        return Changed()
    words = "The object was read again: it is as it was, and nothing has changed."
    return Refused(unanswered(error, "It was not done", words), tried)


def was_stored(state: State, form: Form, *, was: Value, wanted: Value) -> bool:
    """Whether what was sent before without a clear answer is there: what was asked for, or what was to be stored."""
    if LOST not in form or same(state.value, was):
        return False
    return same(state.value, wanted) or (TO_BE in form and form[TO_BE] == json.dumps(state.value))


def unread(error: InformerdError, form: Form) -> Refused:
    """The object cannot be read: nothing is sent now, but what was sent before may have been stored."""
    return Refused(unanswered(error, *_NOT_KNOWN, unread=True) if LOST in form else refusal_of(error))


async def _moved(place: Place, state: State, *, unsure: bool) -> Moved:
    by, at = await place.exchange.writer(state.live)
    return Moved(state, by, at, unsure=unsure)
