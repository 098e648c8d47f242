"""Make a deleted object again from the text that a person kept: an explicit choice, reviewed like every write."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.actions import compared, read_text, refused
from dashboard.edits.document import Document
from dashboard.edits.editable import Base, to_create
from dashboard.edits.exchange import Exchange
from dashboard.edits.outcomes import Draft, Refused, Replaced, Review, Saved
from informerd.errors import AlreadyExists, InformerdError


async def review_again(exchange: Exchange, draft: Draft) -> Review | Replaced | Refused:
    """Dry run of the creation."""
    done = await _created(exchange, draft, dry_run=True)
    assert not isinstance(done, Saved)  # noqa: S101 (a dry run saves nothing)
    return done


async def create_again(exchange: Exchange, draft: Draft) -> Saved | Replaced | Refused:
    """Create it; never on top of one that exists."""
    done = await _created(exchange, draft, dry_run=False)
    assert not isinstance(done, Review)  # noqa: S101 (only a dry run is a review)
    return done


async def _created(exchange: Exchange, draft: Draft, *, dry_run: bool) -> Review | Saved | Replaced | Refused:
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _sent(exchange, draft, document, dry_run=dry_run)
    except InformerdError as error:
        return refused(draft, error, document)


async def _sent(exchange: Exchange, draft: Draft, document: Document, *, dry_run: bool) -> Review | Saved | Replaced:
    value = to_create(document.value, exchange.target)
    try:
        stored = await exchange.create(value, dry_run=dry_run)
    except AlreadyExists:
        return Replaced(draft, Base.of(await exchange.read()))
    if not dry_run:
        return Saved(stored.value["metadata"]["resourceVersion"], warnings=stored.warnings)
    return replace(await compared(draft, {}, value, stored), again=True)
