"""What is there now of the object that a draft is about."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.diff import changes
from dashboard.edits.document import Document
from dashboard.edits.editable import Base, Target, editable, to_write
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import Value
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import Merge, Side, merge
from dashboard.edits.outcomes import Draft, Gone, Moved, Refused, Replaced, Unsure
from dashboard.edits.problems import Problem, Refusal, doubted
from dashboard.edits.schema import Schema
from informerd.errors import InformerdError, NotFound


async def live_of(exchange: Exchange, draft: Draft) -> dict[str, Value] | Gone | Replaced:
    """The object, if it is still the one that the draft began with. Raises as Exchange.read does, but for NotFound."""
    try:
        live = await exchange.read()
    except NotFound:
        return Gone(draft)
    return live if live["metadata"]["uid"] == draft.base.uid else Replaced(draft, Base.of(live, exchange.target.part))


async def live_or_unsure(exchange: Exchange, draft: Draft, lost: str) -> dict[str, Value] | Gone | Replaced | Unsure:
    """As `live_of`; where an answer was `lost` before and nothing can be read, what came of that is still not known."""
    try:
        return await live_of(exchange, draft)
    except InformerdError as error:
        if not lost:
            raise
        return Unsure(draft, error)


async def not_there(exchange: Exchange, draft: Draft, error: NotFound) -> Gone | Replaced | Refused:
    """What it means that a write found nothing: of a subresource it may be that alone which is not there."""
    if not exchange.target.subresource:
        return Gone(draft)
    live = await live_of(exchange, draft)
    if isinstance(live, Gone | Replaced):
        return live
    words = "The object is there, but the API server has no such subresource of it. Open its status again."
    return Refused(draft, Refusal((Problem(words, str(error)),), 404, "The status cannot be written this way"))


async def moved_of(
    exchange: Exchange, draft: Draft, document: Document, live: dict[str, Value], schema: Schema
) -> Moved:
    """What others made of the object since the draft began, and the merge of both."""
    found = await off_loop(moved, exchange.target, draft, document, live, schema, size=len(draft.text))
    by, at = await exchange.writer(live)
    return replace(found, by=by, at=at)


def moved(target: Target, draft: Draft, document: Document, live: dict[str, Value], schema: Schema) -> Moved:
    """As `moved_of`, which computes it beside the event loop where the object is large; nobody is named."""
    part = target.part
    base, now = draft.base.value, Base.of(live, part)
    mine = editable(to_write(document.value, live, part), part)
    # answers count only for what the person saw: where it has changed again, it is asked again
    choices = draft.choices if draft.seen == now.fingerprint else {}
    merged = merge(base, now.value, mine, schema=schema, choices=choices)
    all_mine, all_theirs = _answered(base, now.value, mine, schema, merged)
    theirs = changes(base, now.value, schema=schema)
    taken = changes(mine, all_mine, schema=schema)
    kept = changes(now.value, all_theirs, schema=schema)
    return Moved(draft, now, merged, theirs, taken, kept)


def _answered(base: Value, theirs: Value, mine: Value, schema: Schema, merged: Merge) -> tuple[Value, Value]:
    """The merge with mine wherever something is asked, and with theirs."""
    asked = [*merged.conflicts, *(conflict for conflict, _ in merged.settled)]
    if not asked:
        return merged.value, merged.value

    def with_all(side: Side) -> Value:
        return merge(base, theirs, mine, schema=schema, choices={conflict.path: side for conflict in asked}).value

    return with_all("mine") if merged.settled else merged.value, with_all("theirs")


def taken_back(draft: Draft) -> Refused:
    """The object reads as before a write that got no clear answer, but has been written to since."""
    words = (
        "The object reads as it did before, but it was written to since this was tried: your change may have been "
        "stored, and somebody may have taken it back. Review it again if you still want it."
    )
    return Refused(draft, doubted("It may or may not be saved", words))
