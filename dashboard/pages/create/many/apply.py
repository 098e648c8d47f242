"""Doing what a plan says, object by object in the order of the text, each on exactly the state that was reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from dashboard.creating.definitions import Makers, is_definition
from dashboard.creating.kitchen import Kitchen
from dashboard.creating.plan import Action, to_make, written_over
from dashboard.creating.results import Result, done, failed, maybe, not_done, result_of
from dashboard.creating.sending import Made, Taken, make
from dashboard.creating.texts import Part
from dashboard.edits.again import holds
from dashboard.edits.beside import Beside, beside, otherwise
from dashboard.edits.editable import Target, editable, fingerprint
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import Value, get, same
from dashboard.edits.problems import refusal_of, unanswered
from dashboard.edits.schema import Schema
from dashboard.repeats import is_unanswered
from informerd.clock import Clock
from informerd.errors import Conflict, InformerdError, NotFound, UnknownResource

ESTABLISHED_WITHIN = 20.0
"""Seconds until a definition that was just made has to be served."""
LOOK_EVERY = 0.25
IN_ALL = 90.0
"""Seconds after which no further object is begun: the rest can be applied in another go."""
TRIES = 4
_UNCLEAR = "No clear answer"
_MAYBE = "Whether it was stored is not known yet. It is written only on top of the very state that was reviewed."
_OTHERWISE = "By now something else would be written than the review showed. Nothing was sent: review again."


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What the review said of one object."""

    action: Action
    uid: str = ""
    state: str = ""
    """Fingerprint of what was there."""
    sent: str = ""
    """Fingerprint of what was to be sent; empty, as `href`, where its kind was not there yet."""
    href: str = ""
    """Which object it was, by its address."""
    seen: Beside | None = None
    """What the review showed to be stored otherwise than it is sent; None where it could not be tried out."""

    def shows(self, target: Target, sent: dict[str, Value]) -> bool:
        """Whether it showed that exactly this would be sent, and there."""
        return self.href in ("", target.href) and self.sent in ("", fingerprint(editable(sent)))


@dataclass(frozen=True, slots=True)
class Going:
    """How far it is, and how it goes on."""

    before: Mapping[int, Result]
    """What became of some of the parts already, by number."""
    go_on: bool
    """Whether the others are applied after one has failed."""
    in_steps: bool = False
    """Whether one that is busy is waited for: nothing after it is begun."""
    lost: str = ""
    """As repeats.LOST, of the one that was waited for."""
    unheard: bool = False
    """Whether some may have been applied already: one that the API server names is not made then."""
    within: float = IN_ALL


async def apply(
    kitchen: Kitchen, clock: Clock, parts: tuple[Part, ...], reviewed: Mapping[int, Reviewed], going: Going
) -> tuple[Result, ...]:
    """Apply the parts that `reviewed` names and that are not over, in order; at least one of them.

    After `within` seconds no further one is begun, and none after a failure unless it goes on.
    """
    end = clock.now() + going.within
    results: list[Result] = []
    makers = Makers(parts)
    tried, stopped, lost = False, False, going.lost
    for part in parts:
        review, before = reviewed.get(part.number), going.before.get(part.number)
        if review is None:
            result = result_of(part, "skipped")
        elif before is not None and before.fate not in ("busy", "waiting"):
            result = before
        elif stopped or (tried and clock.now() > end):
            result = result_of(part, "waiting")
        else:
            once = going.unheard and not _is_named(part)
            result = maybe(part) if once else await _applied(kitchen, clock, part, makers, review, lost)
            tried, lost = True, ""
            is_busy = result.refusal is not None and result.refusal.again_after is not None and going.in_steps
            result = replace(result, fate="busy") if is_busy else result
        results.append(result)
        stopped = stopped or result.fate == "busy" or (result.fate == "failed" and not going.go_on)
    return tuple(results)


async def _applied(kitchen: Kitchen, clock: Clock, part: Part, makers: Makers, review: Reviewed, lost: str) -> Result:
    target: Target | None = None
    try:
        target = await _target(kitchen, clock, part, makers)
        if review.action == "update":
            return await _update(kitchen, part, target, review, lost)
        return await _create(kitchen, clock, part, target, review, lost)
    except InformerdError as error:
        return failed(part, target, refusal_of(error))  # nothing was sent, or it was refused


async def _target(kitchen: Kitchen, clock: Clock, part: Part, makers: Makers) -> Target:
    """The object that is meant; where the text defines its kind, once the API server serves that."""
    end = clock.now() + (ESTABLISHED_WITHIN if makers.kind(part) is not None else 0.0)
    while True:
        try:
            return await kitchen.target_of(part.value)
        except UnknownResource:
            if clock.now() >= end:
                raise
        kitchen.discovery.invalidate()
        await clock.sleep(LOOK_EVERY)


async def _create(kitchen: Kitchen, clock: Clock, part: Part, target: Target, review: Reviewed, lost: str) -> Result:
    sent = to_make(part.value, target)
    if not review.shows(target, sent):
        return not_done(part, target, _OTHERWISE)
    match await make(kitchen.client, target, sent, lost=lost, seen=review.seen, pen=kitchen.pen):
        case Taken():
            return await _taken(kitchen, part, target, sent)
        case Made() as made:
            if is_definition(part.value):
                await _established(kitchen, clock, made.target)
            return replace(done(part, made.target, "made", made.warnings, read=made.read), otherwise=made.otherwise)
        case refusal:
            return failed(part, target, refusal)


async def _taken(kitchen: Kitchen, part: Part, target: Target, sent: dict[str, Value]) -> Result:
    """There is one of the name, of somebody else's making, or of a request of this page whose answer did not come."""
    try:
        now = editable(await Exchange(kitchen.client, target).read())
    except InformerdError:
        now = {}
    if now and holds(now, sent):
        return done(part, target, "same")
    return not_done(part, target, "There is one of this name by now. It was not touched: review again.")


async def _update(kitchen: Kitchen, part: Part, target: Target, review: Reviewed, lost: str) -> Result:
    """PUT on top of exactly what was compared; its status may have changed meanwhile."""
    exchange = Exchange(kitchen.client, target, pen=kitchen.pen)
    schema = await kitchen.schema(target)
    for _ in range(TRIES):
        live = await _as_reviewed(exchange, part, review, schema, lost)
        if isinstance(live, Result):
            return live
        sent = written_over(live, part.value, schema)
        if not review.shows(target, sent):  # the schema, by which lists are merged, is another one now
            return not_done(part, target, _OTHERWISE)
        try:
            stored = await exchange.update(sent, dry_run=False)
        except (Conflict, NotFound):
            continue
        except InformerdError as error:
            if not is_unanswered(error):
                raise
            return await _found_out(exchange, part, review, schema, error)
        stored_otherwise = otherwise(review.seen, beside(sent, stored.value))
        return replace(done(part, target, "changed", stored.warnings), otherwise=stored_otherwise)
    return not_done(part, target, f"It changed {TRIES} times while this was tried. Review again.")


async def _as_reviewed(
    exchange: Exchange, part: Part, review: Reviewed, schema: Schema, lost: str
) -> dict[str, Value] | Result:
    """The object in the state that was reviewed; else what is said of its part."""
    target = exchange.target
    try:
        live = await exchange.read()
    except NotFound:
        return not_done(part, target, "It was deleted since the review. Review again to make it.")
    except InformerdError as error:
        if not lost:
            raise
        return failed(part, target, replace(unanswered(error, _UNCLEAR, _MAYBE, unread=True), trace=lost))
    if live["metadata"]["uid"] == review.uid and fingerprint(editable(live)) == review.state:
        return live
    if _has_it(live, part, review, schema):
        return done(part, target, "changed" if lost else "same", read=bool(lost))
    return not_done(part, target, "It changed since the review. It was not touched: review again.")


async def _found_out(exchange: Exchange, part: Part, review: Reviewed, schema: Schema, error: InformerdError) -> Result:
    """After a change without a clear answer: look whether the object has it."""
    try:
        live = await exchange.read()
    except InformerdError:
        return failed(part, exchange.target, unanswered(error, _UNCLEAR, _MAYBE, unread=True))
    if _has_it(live, part, review, schema):
        return done(part, exchange.target, "changed", read=True)
    return failed(part, exchange.target, unanswered(error, _UNCLEAR, _MAYBE))


def _has_it(live: dict[str, Value], part: Part, review: Reviewed, schema: Schema) -> bool:
    """Whether nothing of what the text says is missing in the very object that was reviewed."""
    is_it = live["metadata"]["uid"] == review.uid
    return is_it and same(editable(live), editable(written_over(live, part.value, schema)))


async def _established(kitchen: Kitchen, clock: Clock, target: Target) -> None:
    """Wait until the API server serves a definition's kind; objects of it that follow say so where it does not."""
    end = clock.now() + ESTABLISHED_WITHIN
    while clock.now() < end:
        with suppress(InformerdError):  # it is made, whatever comes now
            if _is_established(await Exchange(kitchen.client, target).read()):
                break
        await clock.sleep(LOOK_EVERY)
    kitchen.discovery.invalidate()


def _is_established(live: dict[str, Value]) -> bool:
    status = live.get("status") or {}
    return any(
        (each.get("type"), each.get("status")) == ("Established", "True") for each in status.get("conditions") or ()
    )


def _is_named(part: Part) -> bool:
    return bool(get(part.value, ("metadata", "name")))
