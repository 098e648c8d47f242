"""Make a deleted object again from the text that a person kept: an explicit choice, reviewed like every write."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.actions import read_text, refused
from dashboard.edits.beside import Beside, beside, otherwise
from dashboard.edits.comparison import compared
from dashboard.edits.document import Document
from dashboard.edits.editable import Base, to_create
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import Value, same
from dashboard.edits.merge import merge
from dashboard.edits.outcomes import Draft, Refused, Replaced, Review, Saved, Unsure
from dashboard.edits.problems import doubted, unanswered
from dashboard.repeats import NONE, UNREAD, is_unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound

_MAYBE = "It may or may not be made again"


async def review_again(exchange: Exchange, draft: Draft) -> Review | Replaced | Refused:
    """Dry run of the creation."""
    done = await _created(exchange, draft, dry_run=True)
    assert not isinstance(done, Saved | Unsure)  # noqa: S101 (a dry run saves nothing)
    return done


async def create_again(
    exchange: Exchange, draft: Draft, *, lost: str = "", seen: Beside | None = None
) -> Saved | Replaced | Refused | Unsure:
    """Create it; never on top of one that exists.

    `lost` (repeats.LOST): no clear answer came to this before, so it may be there, or somebody may have deleted it.
    `seen`: what the review showed beside the text.
    """
    done = await _created(exchange, draft, dry_run=False, lost=lost, seen=seen)
    assert not isinstance(done, Review)  # noqa: S101 (only a dry run is a review)
    return done


async def _created(
    exchange: Exchange, draft: Draft, *, dry_run: bool, lost: str = "", seen: Beside | None = None
) -> Review | Saved | Replaced | Refused | Unsure:
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _sent(exchange, draft, document, dry_run=dry_run, lost=lost, seen=seen)
    except InformerdError as error:
        return refused(draft, error, document)


async def _sent(
    exchange: Exchange, draft: Draft, document: Document, *, dry_run: bool, lost: str, seen: Beside | None
) -> Review | Saved | Replaced | Refused | Unsure:
    value = to_create(document.value, exchange.target)
    found = await _after_lost(exchange, draft, value, lost) if lost else None
    if found is not None:
        return found
    try:
        stored = await exchange.create(value, dry_run=dry_run)
    except AlreadyExists:
        found = await _after_lost(exchange, draft, value, UNREAD) if lost else None
        return found or Replaced(draft, Base.of(await exchange.read()))
    except InformerdError as error:
        if dry_run or not is_unanswered(error):
            raise
        return await _found_out(exchange, draft, value, error)
    if not dry_run:
        other = otherwise(seen, beside(value, stored.value))
        return Saved(stored.value["metadata"]["resourceVersion"], warnings=stored.warnings, otherwise=other)
    return replace(await compared(draft, {}, value, stored), again=True)


async def _after_lost(
    exchange: Exchange, draft: Draft, sent: dict[str, Value], lost: str
) -> Saved | Replaced | Refused | Unsure | None:
    """What reading tells of a creation that got no clear answer before; None where it may be sent once more."""
    try:
        now = Base.of(await exchange.read())
    except NotFound:
        if lost == NONE:
            return None
        words = "There is no object of this name: it was not made, or it was and somebody deleted it. Review it again."
        return Refused(draft, doubted(_MAYBE, words))
    except InformerdError as error:
        return Unsure(draft, error, trace=lost)
    return Saved(now.version, read=True) if holds(now.value, sent) else Replaced(draft, now, unsure=True)


async def _found_out(
    exchange: Exchange, draft: Draft, sent: dict[str, Value], error: InformerdError
) -> Saved | Refused | Unsure:
    """After a creation without a clear answer: look whether the API server has it."""
    try:
        now = Base.of(await exchange.read())
    except NotFound:
        words = "The API server was asked: there is no object of this name, so nothing was made."
        return Refused(draft, replace(unanswered(error, "It was not made again", words), trace=NONE))
    except InformerdError:
        return Unsure(draft, error)
    if holds(now.value, sent):
        return Saved(now.version, read=True)
    words = "An object of this name is there now; whether it was made from your text is not known. A review tells more."
    return Refused(draft, unanswered(error, _MAYBE, words, repeatable=False))


def holds(now: Value, sent: Value) -> bool:
    """Whether all that was sent is there; the API server may have set more."""
    found = merge({}, now, sent)
    return not found.conflicts and same(found.value, now)
