"""Execution of a plan, object by object in the order of the text, each on exactly the reviewed state."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from dashboard.objects.fields.field_access import Value, get, same
from dashboard.objects.problems.write_refusal import refusal_of, unanswered_refusal, uncertain_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.dependencies import Dependencies, is_crd
from dashboard.pages.create.many.manifests import Manifest
from dashboard.pages.create.many.plan import Action, create_body, merged_body
from dashboard.pages.create.many.results import (
    Result,
    done_result,
    failed_result,
    stale_result,
    uncertain_result,
    untried_result,
)
from dashboard.pages.writes.admission_changes import AdmissionChanges, admission_changes, drift_from_dry_run
from dashboard.pages.writes.create_object import (
    UNCERTAIN_TITLE,
    Created,
    NameInUse,
    contains,
    create_object,
    may_be_ours,
)
from dashboard.pages.writes.editable_part import editable_part, fingerprint
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.target import Target
from dashboard.runtime.request_retry import is_unanswered
from informerd.clock import Clock
from informerd.errors import Conflict, InformerdError, NotFound, UnknownResource

ESTABLISHED_WITHIN = 20.0
"""Seconds until the kind of a new definition must be served."""
POLL_INTERVAL = 0.25
TIME_LIMIT = 90.0
"""Seconds after which no further object is started: another request can apply the rest."""
MAX_TRIES = 4
_UNCLEAR = "No clear answer"
_MAYBE = "It is not known yet whether it was stored. It is written only on top of the reviewed state."
_OTHERWISE = "The write would now differ from the review. Nothing was sent: review again."


@dataclass(frozen=True, slots=True)
class ReviewedStep:
    """The review of one object."""

    action: Action
    uid: str = ""
    state_fingerprint: str = ""
    """Fingerprint of the existing object."""
    body_fingerprint: str = ""
    """Fingerprint of the body to send; empty, like `href`, where its kind did not exist yet."""
    href: str = ""
    """Address of the object."""
    admission_changes: AdmissionChanges | None = None
    """Admission changes that the review showed; None where there was no dry run."""
    destroys: bool = False
    """Whether the change destroys something, so that a production cluster's name has to be typed."""

    def matches(self, target: Target, sent: dict[str, Value]) -> bool:
        """Whether the review showed exactly this body, for this object."""
        return self.href in ("", target.href) and self.body_fingerprint in ("", fingerprint(editable_part(sent)))


@dataclass(frozen=True, slots=True)
class ApplyState:
    """Progress of an apply, and how it continues."""

    results: Mapping[int, Result]
    """Results of finished parts, by number."""
    continue_on_failure: bool
    """Whether the other parts are applied after one has failed."""
    in_steps: bool = False
    """Whether a busy part is retried first: nothing after it is started."""
    lost_answer: str = ""
    """Version of the retried part, as in request_retry.LOST_INPUT."""
    may_be_applied: bool = False
    """Whether parts may have been applied already: then one whose name the API server generates is not created."""
    time_limit: float = TIME_LIMIT


async def apply(
    context: ApplyContext,
    clock: Clock,
    manifests: tuple[Manifest, ...],
    reviews: Mapping[int, ReviewedStep],
    state: ApplyState,
) -> tuple[Result, ...]:
    """Apply the unfinished parts of `reviews` in order; at least one of them.

    After the time limit of `state` no further part is started, and none after a failure unless `state` says to
    continue.
    """
    end = clock.now() + state.time_limit
    results: list[Result] = []
    makers = Dependencies(manifests)
    has_started, stopped, lost = False, False, state.lost_answer
    for part in manifests:
        review, before = reviews.get(part.number), state.results.get(part.number)
        if review is None:
            result = untried_result(part, "skipped")
        elif before is not None and before.state not in ("busy", "waiting"):
            result = before
        elif stopped or (has_started and clock.now() > end):
            result = untried_result(part, "waiting")
        else:
            once = state.may_be_applied and not _is_named(part)
            result = uncertain_result(part) if once else await _applied(context, clock, part, makers, review, lost)
            has_started, lost = True, ""
            is_busy = result.refusal is not None and result.refusal.auto_retry_after is not None and state.in_steps
            result = replace(result, state="busy") if is_busy else result
        results.append(result)
        stopped = stopped or result.state == "busy" or (result.state == "failed" and not state.continue_on_failure)
    return tuple(results)


async def _applied(
    context: ApplyContext, clock: Clock, part: Manifest, makers: Dependencies, review: ReviewedStep, lost: str
) -> Result:
    target: Target | None = None
    try:
        target = await _target(context, clock, part, makers)
        if review.action == "update":
            return await _update(context, part, target, review, lost)
        return await _create(context, clock, part, target, review, lost)
    except InformerdError as error:
        return failed_result(part, target, refusal_of(error))  # nothing was sent, or it was refused


async def _target(context: ApplyContext, clock: Clock, part: Manifest, makers: Dependencies) -> Target:
    """The part's target; where the text defines its kind, once the API server serves that."""
    end = clock.now() + (ESTABLISHED_WITHIN if makers.definition_of(part) is not None else 0.0)
    while True:
        try:
            return await context.target_of(part.value)
        except UnknownResource:
            if clock.now() >= end:
                raise
        context.discovery.invalidate()
        await clock.sleep(POLL_INTERVAL)


async def _create(
    context: ApplyContext, clock: Clock, part: Manifest, target: Target, review: ReviewedStep, lost: str
) -> Result:
    sent = create_body(part.value, target)
    if not review.matches(target, sent):
        return stale_result(part, target, _OTHERWISE)
    client = ObjectClient(context.client, target, write_recorder=context.write_recorder)
    match await create_object(client, sent, lost_answer=lost, reviewed_changes=review.admission_changes):
        case NameInUse(live=dict()):
            return failed_result(part, target, uncertain_refusal(UNCERTAIN_TITLE, may_be_ours(target)))
        case NameInUse():
            return await _name_in_use(context, part, target, sent)
        case Created() as made:
            if is_crd(part.value):
                await _established(context, clock, made.target)
            return replace(
                done_result(part, made.target, "made", made.warnings, read=made.confirmed_by_read),
                drift=made.drift,
            )
        case refusal:
            return failed_result(part, target, refusal)


async def _name_in_use(context: ApplyContext, part: Manifest, target: Target, sent: dict[str, Value]) -> Result:
    """The result where the name is in use: by another user's object, or by a request of this page whose answer was
    lost.
    """
    try:
        now = editable_part(await ObjectClient(context.client, target).read())
    except InformerdError:
        now = {}
    if now and contains(now, sent):
        return done_result(part, target, "same")
    return stale_result(part, target, "An object of this name exists now. It was not changed: review again.")


async def _update(context: ApplyContext, part: Manifest, target: Target, review: ReviewedStep, lost: str) -> Result:
    """PUT on top of exactly the compared state; the status may have changed meanwhile."""
    object_client = ObjectClient(context.client, target, write_recorder=context.write_recorder)
    schema = await context.schema(target)
    for _ in range(MAX_TRIES):
        live = await _as_reviewed(object_client, part, review, schema, lost)
        if isinstance(live, Result):
            return live
        sent = merged_body(live, part.value, schema)
        if not review.matches(target, sent):  # the schema, by which lists are merged, is another one now
            return stale_result(part, target, _OTHERWISE)
        try:
            stored = await object_client.update(sent, dry_run=False)
        except (Conflict, NotFound):
            continue
        except InformerdError as error:
            if not is_unanswered(error):
                raise
            return await _outcome_by_reading(object_client, part, review, schema, error)
        stored_otherwise = drift_from_dry_run(review.admission_changes, admission_changes(sent, stored.value))
        return replace(done_result(part, target, "changed", stored.warnings), drift=stored_otherwise)
    return stale_result(part, target, f"The object changed {MAX_TRIES} times during the attempts. Review again.")


async def _as_reviewed(
    object_client: ObjectClient, part: Manifest, review: ReviewedStep, schema: Schema, lost: str
) -> dict[str, Value] | Result:
    """The object in the reviewed state; else the result of its part."""
    target = object_client.target
    try:
        live = await object_client.read()
    except NotFound:
        return stale_result(part, target, "It was deleted after the review. Review again to create it.")
    except InformerdError as error:
        if not lost:
            raise
        return failed_result(
            part, target, replace(unanswered_refusal(error, _UNCLEAR, _MAYBE, is_unverified=True), trace=lost)
        )
    if live["metadata"]["uid"] == review.uid and fingerprint(editable_part(live)) == review.state_fingerprint:
        return live
    if _has_it(live, part, review, schema):
        return done_result(part, target, "changed" if lost else "same", read=bool(lost))
    return stale_result(part, target, "It changed after the review. Nothing was written: review again.")


async def _outcome_by_reading(
    object_client: ObjectClient, part: Manifest, review: ReviewedStep, schema: Schema, error: InformerdError
) -> Result:
    """The result after a change without a clear answer: read the object, and compare."""
    try:
        live = await object_client.read()
    except InformerdError:
        return failed_result(
            part, object_client.target, unanswered_refusal(error, _UNCLEAR, _MAYBE, is_unverified=True)
        )
    if _has_it(live, part, review, schema):
        return done_result(part, object_client.target, "changed", read=True)
    return failed_result(part, object_client.target, unanswered_refusal(error, _UNCLEAR, _MAYBE))


def _has_it(live: dict[str, Value], part: Manifest, review: ReviewedStep, schema: Schema) -> bool:
    """Whether the reviewed object has everything that the text has."""
    is_it = live["metadata"]["uid"] == review.uid
    return is_it and same(editable_part(live), editable_part(merged_body(live, part.value, schema)))


async def _established(context: ApplyContext, clock: Clock, target: Target) -> None:
    """Wait until the API server serves a definition's kind; later objects of that kind report an error where it does
    not.
    """
    end = clock.now() + ESTABLISHED_WITHIN
    while clock.now() < end:
        with suppress(InformerdError):  # the definition is created already; a failed read is repeated
            if _is_established(await ObjectClient(context.client, target).read()):
                break
        await clock.sleep(POLL_INTERVAL)
    context.discovery.invalidate()


def _is_established(live: dict[str, Value]) -> bool:
    status = live.get("status") or {}
    return any(
        (each.get("type"), each.get("status")) == ("Established", "True") for each in status.get("conditions") or ()
    )


def _is_named(part: Manifest) -> bool:
    return bool(get(part.value, ("metadata", "name")))
