"""What a person does to an object: review, save, take in others' changes. Functions over an Exchange, without HTTP.

The rule that everything here keeps: a write carries uid and resourceVersion of a state whose difference to the text
the person was shown. Whatever else the API server has by then leads back to the person, with the text.
"""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.beside import Beside, beside, otherwise
from dashboard.edits.comparison import compared
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Base, editable, masked, mismatches, to_write
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import Value, same
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import (
    Draft,
    Gone,
    Moved,
    Outcome,
    Refused,
    Replaced,
    Review,
    Reviewed,
    Saved,
    Unsure,
    doubtful,
)
from dashboard.edits.present import live_of, live_or_unsure, moved_of, not_there, taken_back
from dashboard.edits.problems import (
    Problem,
    Refusal,
    disguised,
    located,
    mismatched,
    refusal_of,
    unanswered,
    unreadable,
)
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.repeats import is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

TRIES = 4
"""How often an update is sent anew because only what is not edited, such as the status, has changed meanwhile."""


async def review(exchange: Exchange, draft: Draft, schema: Schema = UNKNOWN) -> Reviewed:
    """Dry run: what would be stored, compared with what is there now. Writes nothing."""
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _reviewed(exchange, draft, document, schema)
    except InformerdError as error:
        return refused(draft, error, document)


async def save(
    exchange: Exchange, draft: Draft, schema: Schema = UNKNOWN, *, lost: str = "", seen: Beside | None = None
) -> Outcome:
    """Write a reviewed draft on top of exactly the state it was compared with (its status may have changed).

    `lost`: the resourceVersion on top of which it was sent before, without a clear answer. It is sent again only on
    top of that very one: since then, the draft may have been stored, and somebody may have taken it back.
    `seen`: what the review showed beside the text.
    """
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        outcome = await _saved(exchange, draft, document, schema, lost, seen)
    except InformerdError as error:
        outcome = refused(draft, error, document)
    return doubtful(outcome, lost) if lost else outcome


async def take_in(
    exchange: Exchange, draft: Draft, schema: Schema = UNKNOWN
) -> Draft | Moved | Gone | Replaced | Refused:
    """The draft with others' changes merged into its text, based on the newest state; Moved where they overlap."""
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        live = await live_of(exchange, draft)
    except InformerdError as error:
        return refused(draft, error, document)
    if isinstance(live, Gone | Replaced):
        return live
    moved = await moved_of(exchange, draft, document, live, schema)
    return moved if moved.merge.conflicts else await _merged_draft(moved, document)


async def read_text(exchange: Exchange, draft: Draft) -> Document | Refused:
    """The draft's document, if it is one and about the object of the address."""
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable(error))
    wrong = mismatches(document.value, exchange.target, draft.base)
    if wrong:
        return Refused(draft, located(mismatched(wrong), document))
    dots = masked(document.value)
    return Refused(draft, located(disguised(dots), document)) if dots else document


def refused(draft: Draft, error: InformerdError, document: Document) -> Refused:
    """The API server's refusal, with the places in the text that it names."""
    return Refused(draft, located(refusal_of(error), document))


async def _reviewed(exchange: Exchange, draft: Draft, document: Document, schema: Schema) -> Reviewed:
    part = exchange.target.part
    for _ in range(TRIES):
        live = await live_of(exchange, draft)
        if isinstance(live, Gone | Replaced):
            return live
        now = Base.of(live, part)
        if not same(now.value, draft.base.value):
            return await _merged(exchange, await moved_of(exchange, draft, document, live, schema), document, live)
        value = to_write(document.value, live, part)
        try:
            stored = await exchange.update(value, dry_run=True)
        except Conflict:
            continue
        except NotFound as error:
            return await not_there(exchange, draft, error)
        return await _tried(exchange, replace(draft, base=now), value, stored)
    return _too_busy(draft)


async def _saved(
    exchange: Exchange, draft: Draft, document: Document, schema: Schema, lost: str, seen: Beside | None
) -> Outcome:
    part = exchange.target.part
    for _ in range(TRIES):
        live = await live_or_unsure(exchange, draft, lost)
        if isinstance(live, Gone | Replaced | Unsure):
            return live
        now = Base.of(live, part)
        value = to_write(document.value, live, part)
        if not same(now.value, draft.base.value):
            if same(now.value, editable(value, part)):
                return Saved(now.version, changed=False)
            moved = await moved_of(exchange, draft, document, live, schema)
            if _has_all(moved):
                return Saved(now.version, changed=False)
            return await _merged(exchange, moved, document, live)
        if lost and lost != now.version:
            return taken_back(draft)
        try:
            return await _stored(exchange, draft, value, seen)
        except Conflict:
            continue
        except InformerdError as error:
            if not is_unanswered(error):
                raise
            return doubtful(await _found_out(exchange, draft, document, schema, error, now.version), now.version)
    return _too_busy(draft)


async def _stored(exchange: Exchange, draft: Draft, value: dict[str, Value], seen: Beside | None) -> Outcome:
    try:
        stored = await exchange.update(value, dry_run=False)
    except NotFound as error:
        return await not_there(exchange, draft, error)
    version = stored.value["metadata"]["resourceVersion"]
    made = await off_loop(beside, value, stored.value, exchange.target.part, size=len(draft.text))
    changed = version != value["metadata"]["resourceVersion"]
    return Saved(version, changed=changed, warnings=stored.warnings, otherwise=otherwise(seen, made))


async def _found_out(
    exchange: Exchange, draft: Draft, document: Document, schema: Schema, error: InformerdError, tried: str
) -> Outcome:
    """After a write without a clear answer on top of the version `tried`: look whether the API server stored it."""
    try:
        live = await live_of(exchange, draft)
    except InformerdError:
        return Unsure(draft, error)
    if isinstance(live, Gone | Replaced):
        return live
    part = exchange.target.part
    now = Base.of(live, part)
    if same(now.value, editable(to_write(document.value, live, part), part)):
        return Saved(now.version, read=True)
    if same(now.value, draft.base.value):
        if now.version != tried:
            return taken_back(draft)
        words = "The object was read again: it was not stored, and nothing has changed."
        return Refused(draft, unanswered(error, "It was not saved", words))
    moved = await moved_of(exchange, draft, document, live, schema)
    return Saved(now.version, read=True) if _has_all(moved) else moved


def _has_all(moved: Moved) -> bool:
    """Whether all of the draft is there, beside what the API server set itself or others wrote since."""
    return not moved.merge.conflicts and same(moved.merge.value, moved.now.value)


async def _merged(exchange: Exchange, moved: Moved, document: Document, live: dict[str, Value]) -> Reviewed:
    """Where nothing is left to ask, the merge with its own dry run; else the questions."""
    if moved.merge.conflicts:
        return moved
    draft = await _merged_draft(moved, document)
    value = to_write(moved.merge.value, live, exchange.target.part)
    try:
        stored = await exchange.update(value, dry_run=True)
    except Conflict:
        return moved
    except NotFound as error:
        return await not_there(exchange, moved.draft, error)
    except InformerdError as error:
        merged = await off_loop(parse, draft.text, size=len(draft.text))
        return replace(refused(draft, error, merged), merged=moved)
    return replace(await _tried(exchange, draft, value, stored), merged=moved)


async def _tried(exchange: Exchange, draft: Draft, sent: dict[str, Value], stored: Stored) -> Review:
    """What a dry run came to, on top of the draft's base, and who will undo it."""
    review = await compared(draft, draft.base.value, sent, stored, exchange.target.part)
    kept = await exchange.replicas_kept(draft.base.value, stored.value)
    return replace(review, consequences=(*review.consequences, kept)) if kept else review


async def _merged_draft(moved: Moved, document: Document) -> Draft:
    text = await off_loop(rewrite, document, moved.merge.value, size=len(document.text))
    return Draft(text, moved.now)


def _too_busy(draft: Draft) -> Refused:
    problem = Problem(f"The object changed {TRIES} times while this was tried. Try again.")
    return Refused(draft, Refusal((problem,), 409, "The object changes all the time"))
