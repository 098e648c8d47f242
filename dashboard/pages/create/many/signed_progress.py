"""Apply progress, carried by the form from one request to the next: signed, and bound to the text.

With a script the page applies in steps and shows each result; without one a single request does everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec
from django.core import signing
from django.http import QueryDict

from dashboard.pages.create.many.manifests import Manifest
from dashboard.pages.create.many.plan import Step
from dashboard.pages.create.many.plan_execution import TIME_LIMIT, ApplyState, ReviewedStep
from dashboard.pages.create.many.results import Result, untried_result
from dashboard.pages.edit.signed_review import REVIEW_LIFETIME
from dashboard.runtime.request_retry import LOST_INPUT

STEP_SECONDS = 0.5
"""Seconds of a step, at least, after which the page shows its results."""
APPLY, STOP = "apply", "stop"
REVIEWED, RESULTS, SELECTED, IN_STEPS, AFTER_FAILURE = "reviewed", "so-far", "do", "steps", "after"
_REVIEWS, _RESULTS = "dashboard.creating.several.reviewed", "dashboard.creating.several.results"
UNANSWERED = "unheard"
"""Input that the page sets where no answer came to a step: the results of that step are missing."""
_KEYS: Mapping[str, str] = MappingProxyType({
    "state": "fate",
    "drift": "otherwise",
    "unreviewed_fields": "unseen",
    "server_message": "said",
    "is_unverified": "unread",
})  # fmt: skip
"""Keys of the signed results by field, where they differ: pages that are open during an upgrade keep their results."""
_FIELDS: Mapping[str, str] = MappingProxyType({key: name for name, key in _KEYS.items()})


@dataclass(frozen=True, slots=True)
class ApplyProgress:
    """The reviewed parts, and the results so far."""

    reviews: Mapping[int, ReviewedStep]
    """Reviewed steps to apply, by the part's number."""
    state: ApplyState

    def stopped_results(self, parts: tuple[Manifest, ...]) -> tuple[Result, ...]:
        """The results where nothing more is started; of a retried part, its last known state."""
        before = self.state.results
        return tuple(
            untried_result(part, "skipped")
            if part.number not in self.reviews
            else before.get(part.number) or untried_result(part, "waiting")
            for part in parts
        )


def sign_reviews(about: str, steps: Iterable[Step]) -> str:
    """The reviewed steps, signed: for each object its body, address and state."""
    what = [
        [
            step.part.number,
            step.action,
            step.uid,
            step.state_fingerprint,
            step.body_fingerprint,
            step.target.href if step.target else "",
            step.admission_changes,
            bool(step.destroys),
        ]
        for step in steps
        if step.is_write
    ]
    return signing.dumps([about, what], salt=_REVIEWS, compress=True)


def sign_results(about: str, results: Iterable[Result]) -> str:
    """The results of finished and retried parts, signed."""
    over = [result for result in results if result.state not in ("skipped", "waiting")]
    return signing.dumps(
        [about, [_rename_keys(each, _KEYS) for each in msgspec.to_builtins(over)]], salt=_RESULTS, compress=True
    )


def read_progress(post: QueryDict, about: str, min_seconds: float) -> ApplyProgress | None:
    """The progress; None where this text was not reviewed. `min_seconds`: shortest useful step."""
    reviewed = _signed(post.get(REVIEWED, ""), about, _REVIEWS)
    if reviewed is None:
        return None
    wanted = manifest_numbers(post, SELECTED)
    signed_results = _signed(post.get(RESULTS, ""), about, _RESULTS) or []
    results = msgspec.convert([_rename_keys(each, _FIELDS) for each in signed_results], list[Result])
    in_steps = IN_STEPS in post
    state = ApplyState(
        {result.number: result for result in results},
        continue_on_failure=post.get(AFTER_FAILURE) == "go",
        in_steps=in_steps,
        lost_answer=post.get(LOST_INPUT, ""),
        may_be_applied=bool(post.get(UNANSWERED)),
        time_limit=max(STEP_SECONDS, min_seconds) if in_steps else TIME_LIMIT,
    )
    return ApplyProgress({number: ReviewedStep(*review) for number, *review in reviewed if number in wanted}, state)


def manifest_numbers(post: QueryDict, name: str) -> frozenset[int]:
    """Valid part numbers among the inputs of this name."""
    typed = post.getlist(name)
    return frozenset(int(each) for each in typed if each.isascii() and each.isdecimal() and len(each) < 6)


def _rename_keys(value: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The keys of a result, of its drift, of its refusal and of that one's problems; all else is what a user wrote."""
    renamed = {names.get(key, key): each for key, each in value.items()}
    for key in ("drift", _KEYS["drift"], "refusal"):
        if renamed.get(key) is not None:
            renamed[key] = _rename_keys(renamed[key], names)
    if "problems" in renamed:
        renamed["problems"] = [_rename_keys(problem, names) for problem in renamed["problems"]]
    return renamed


def _signed(text: str, about: str, salt: str) -> Any:
    try:
        signed_about, what = signing.loads(text, salt=salt, max_age=REVIEW_LIFETIME)
    except (signing.BadSignature, ValueError):
        return None
    return what if signed_about == about else None
