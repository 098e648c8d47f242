"""How far the applying of a text is, as its form carries it from one request to the next: signed, about that very text.

With a script the page applies in steps and shows what came of each object; without one a single request does all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from django.core import signing
from django.http import QueryDict

from dashboard.creating.applying import IN_ALL, Going, Reviewed
from dashboard.creating.plan import Step
from dashboard.creating.results import Result, result_of
from dashboard.creating.texts import Part
from dashboard.edits.problems import Refusal
from dashboard.repeats import LOST, TRIES, UNREAD, Repeat, repeat_of

STEP = 0.5
"""Seconds that a step takes at least, of which the page then shows what came of it."""
APPLY, STOP = "apply", "stop"
REVIEWED, SO_FAR, DO, IN_STEPS, AFTER = "reviewed", "so-far", "do", "steps", "after"
_REVIEWS, _RESULTS = "dashboard.creating.several.reviewed", "dashboard.creating.several.results"
UNHEARD = "unheard"
"""Input that the page sets where no answer came to a step: what that did is not among the results."""


@dataclass(frozen=True, slots=True)
class Course:
    """What is applied, and how far that is."""

    reviewed: Mapping[int, Reviewed]
    """What was reviewed and is to be done, by the part's number."""
    going: Going

    def left_as_it_is(self, parts: tuple[Part, ...]) -> tuple[Result, ...]:
        """The results where nothing more is begun; of the one that was waited for, what is known."""
        before = self.going.before
        return tuple(
            result_of(part, "skipped")
            if part.number not in self.reviewed
            else before.get(part.number) or result_of(part, "waiting")
            for part in parts
        )


@dataclass(frozen=True, slots=True)
class Next:
    """What the page does by itself: send its form once more, for the next step or after a countdown."""

    after: int
    """Seconds."""
    repeat: Repeat | None = None
    """Where one is sent again: which try it is."""
    refusal: Refusal | None = None
    """Why that one was not taken."""

    @property
    def status(self) -> int:
        """The page's."""
        return self.refusal.code if self.refusal is not None else 200


def marked(about: str, steps: Iterable[Step]) -> str:
    """What was reviewed, signed: of each object what was to be sent where on what."""
    what = [
        [
            step.part.number,
            step.action,
            step.uid,
            step.state,
            step.sent,
            step.target.href if step.target else "",
            step.seen,
        ]
        for step in steps
        if step.does
    ]
    return signing.dumps([about, what], salt=_REVIEWS, compress=True)


def carried(about: str, results: Iterable[Result]) -> str:
    """What came of those that are over or waited for, signed."""
    over = [result for result in results if result.fate not in ("skipped", "waiting")]
    return signing.dumps([about, msgspec.to_builtins(over)], salt=_RESULTS, compress=True)


def course_of(post: QueryDict, about: str, least: float) -> Course | None:
    """How far it was; None where this very text was not reviewed. `least`: seconds that a step is worth taking."""
    reviewed = _signed(post.get(REVIEWED, ""), about, _REVIEWS)
    if reviewed is None:
        return None
    wanted = numbers(post, DO)
    results = msgspec.convert(_signed(post.get(SO_FAR, ""), about, _RESULTS) or [], list[Result])
    in_steps = IN_STEPS in post
    going = Going(
        {result.number: result for result in results},
        go_on=post.get(AFTER) == "go",
        in_steps=in_steps,
        lost=post.get(LOST, ""),
        unheard=bool(post.get(UNHEARD)),
        within=max(STEP, least) if in_steps else IN_ALL,
    )
    return Course({number: Reviewed(*review) for number, *review in reviewed if number in wanted}, going)


def next_of(post: QueryDict, results: tuple[Result, ...], going: Going) -> Next | None:
    """What the page does next by itself; None where it is over, or the person decides."""
    if not going.in_steps:
        return None
    refusal = _waited_for(results)
    if refusal is not None:
        repeat = repeat_of({TRIES: post.get(TRIES, "")}, refusal.again_after, endless=refusal.unread)
        return Next(repeat.after, repeat, refusal) if repeat is not None else None
    failed = any(result.fate == "failed" for result in results) and not going.go_on
    return Next(0) if not failed and any(result.fate == "waiting" for result in results) else None


def lost_of(post: QueryDict, results: tuple[Result, ...]) -> str:
    """What the next try of the one that is waited for is told (repeats.LOST)."""
    refusal = _waited_for(results)
    if refusal is None:
        return ""
    return refusal.trace or (UNREAD if refusal.unsure else post.get(LOST, ""))


def ended(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """As they are shown where nothing is sent by itself any more."""
    return tuple(replace(result, fate="failed") if result.fate == "busy" else result for result in results)


def numbers(post: QueryDict, name: str) -> frozenset[int]:
    """Those of the inputs of this name that can be a part's."""
    typed = post.getlist(name)
    return frozenset(int(each) for each in typed if each.isascii() and each.isdecimal() and len(each) < 6)


def _waited_for(results: tuple[Result, ...]) -> Refusal | None:
    return next((result.refusal for result in results if result.fate == "busy"), None)


def _signed(text: str, about: str, salt: str) -> Any:
    try:
        whose, what = signing.loads(text, salt=salt)
    except (signing.BadSignature, ValueError):
        return None
    return what if whose == about else None
