"""Make a deleted object again from the text that a person kept: an explicit choice, reviewed like every write."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.actions import compared, read_text, refused
from dashboard.edits.document import Document
from dashboard.edits.editable import Base, to_create
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import Value, same
from dashboard.edits.merge import merge
from dashboard.edits.outcomes import Draft, Refused, Replaced, Review, Saved, Unsure
from dashboard.edits.problems import is_unanswered, unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound


async def review_again(exchange: Exchange, draft: Draft) -> Review | Replaced | Refused:
    """Dry run of the creation."""
    done = await _created(exchange, draft, dry_run=True)
    assert not isinstance(done, Saved | Unsure)  # noqa: S101 (a dry run saves nothing)
    return done


async def create_again(exchange: Exchange, draft: Draft) -> Saved | Replaced | Refused | Unsure:
    """Create it; never on top of one that exists."""
    done = await _created(exchange, draft, dry_run=False)
    assert not isinstance(done, Review)  # noqa: S101 (only a dry run is a review)
    return done


async def _created(exchange: Exchange, draft: Draft, *, dry_run: bool) -> Review | Saved | Replaced | Refused | Unsure:
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _sent(exchange, draft, document, dry_run=dry_run)
    except InformerdError as error:
        return refused(draft, error, document)


async def _sent(
    exchange: Exchange, draft: Draft, document: Document, *, dry_run: bool
) -> Review | Saved | Replaced | Refused | Unsure:
    value = to_create(document.value, exchange.target)
    try:
        stored = await exchange.create(value, dry_run=dry_run)
    except AlreadyExists:
        return Replaced(draft, Base.of(await exchange.read()))
    except InformerdError as error:
        if dry_run or not is_unanswered(error):
            raise
        return await _found_out(exchange, draft, value, error)
    if not dry_run:
        return Saved(stored.value["metadata"]["resourceVersion"], warnings=stored.warnings)
    return replace(await compared(draft, {}, value, stored), again=True)


async def _found_out(
    exchange: Exchange, draft: Draft, sent: dict[str, Value], error: InformerdError
) -> Saved | Refused | Unsure:
    """After a creation without a clear answer: look whether the API server has it."""
    try:
        now = Base.of(await exchange.read())
    except NotFound:
        words = "There is still no object of this name. Should it still be made, a review shows it."
        return Refused(draft, unanswered(error, "It was not made again", words))
    except InformerdError:
        return Unsure(draft, error)
    # the API server may have set more than was sent; whatever was sent must be there
    found = merge({}, now.value, sent)
    if not found.conflicts and same(found.value, now.value):
        return Saved(now.version)
    words = "An object of this name is there now; whether it was made from your text is not known. A review tells more."
    return Refused(draft, unanswered(error, "It may or may not be made again", words))
