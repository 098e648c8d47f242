"""What a person does to an object: review, save, take in others' changes. Functions over an Exchange, without HTTP.

The rule that everything here keeps: a write carries uid and resourceVersion of a state whose difference to the text
the person was shown. Whatever else the API server has by then leads back to the person, with the text.
"""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.diff import changes, diff_lines
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Base, editable, mismatches, to_write
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import Value, get, same
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import merge
from dashboard.edits.outcomes import Draft, Gone, Moved, Outcome, Refused, Replaced, Review, Reviewed, Saved, Unsure
from dashboard.edits.problems import (
    Problem,
    Refusal,
    is_unanswered,
    located,
    mismatched,
    refusal_of,
    unanswered,
    unreadable,
)
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.resources.yaml_text import to_yaml
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


async def save(exchange: Exchange, draft: Draft, schema: Schema = UNKNOWN) -> Outcome:
    """Write a reviewed draft on top of exactly the state it was compared with (its status may have changed)."""
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        return await _saved(exchange, draft, document, schema)
    except InformerdError as error:
        return refused(draft, error, document)


async def take_in(
    exchange: Exchange, draft: Draft, schema: Schema = UNKNOWN
) -> Draft | Moved | Gone | Replaced | Refused:
    """The draft with others' changes merged into its text, based on the newest state; Moved where they overlap."""
    document = await read_text(exchange, draft)
    if isinstance(document, Refused):
        return document
    try:
        live = await _live(exchange, draft)
    except InformerdError as error:
        return refused(draft, error, document)
    if isinstance(live, Gone | Replaced):
        return live
    moved = await _moved(draft, document, live, schema)
    return moved if moved.merge.conflicts else await _merged_draft(moved, document)


async def read_text(exchange: Exchange, draft: Draft) -> Document | Refused:
    """The draft's document, if it is one and about the object of the address."""
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable(error))
    wrong = mismatches(document.value, exchange.target, draft.base)
    return Refused(draft, located(mismatched(wrong), document)) if wrong else document


def refused(draft: Draft, error: InformerdError, document: Document) -> Refused:
    """The API server's refusal, with the places in the text that it names."""
    return Refused(draft, located(refusal_of(error), document))


async def compared(draft: Draft, live: dict[str, Value], sent: dict[str, Value], stored: Stored) -> Review:
    """What a dry run came to; `live` is the editable part of what is there, empty where nothing is."""
    after = editable(stored.value)

    def compare() -> Review:
        found = tuple(
            replace(change, by_server=not same(get(sent, change.path), change.now)) for change in changes(live, after)
        )
        lines = diff_lines(to_yaml(live) if live else "", to_yaml(after))
        return Review(draft, found, lines, stored.warnings)

    return await off_loop(compare, size=len(draft.text))


def last_writer(live: dict[str, Value]) -> tuple[str, str]:
    """Who wrote the object last and when (RFC 3339), by its managedFields; writes of its status do not count."""
    entries = live["metadata"].get("managedFields", ())
    own = [entry for entry in entries if not entry.get("subresource") and entry.get("time")]
    if not own:
        return "", ""
    newest = max(own, key=lambda entry: str(entry["time"]))
    return str(newest.get("manager", "")), str(newest["time"])


async def _reviewed(exchange: Exchange, draft: Draft, document: Document, schema: Schema) -> Reviewed:
    for _ in range(TRIES):
        live = await _live(exchange, draft)
        if isinstance(live, Gone | Replaced):
            return live
        now = Base.of(live)
        if not same(now.value, draft.base.value):
            return await _merged(exchange, await _moved(draft, document, live, schema), document, live)
        value = to_write(document.value, live)
        try:
            stored = await exchange.update(value, dry_run=True)
        except Conflict:
            continue
        except NotFound:
            return Gone(draft)
        return await compared(replace(draft, base=now), now.value, value, stored)
    return _too_busy(draft)


async def _saved(exchange: Exchange, draft: Draft, document: Document, schema: Schema) -> Outcome:
    for _ in range(TRIES):
        live = await _live(exchange, draft)
        if isinstance(live, Gone | Replaced):
            return live
        now = Base.of(live)
        value = to_write(document.value, live)
        if not same(now.value, draft.base.value):
            if same(now.value, editable(value)):
                return Saved(now.version, changed=False)
            return await _merged(exchange, await _moved(draft, document, live, schema), document, live)
        try:
            stored = await exchange.update(value, dry_run=False)
        except Conflict:
            continue
        except NotFound:
            return Gone(draft)
        except InformerdError as error:
            if not is_unanswered(error):
                raise
            return await _found_out(exchange, draft, document, schema, error)
        version = stored.value["metadata"]["resourceVersion"]
        return Saved(version, changed=version != now.version, warnings=stored.warnings)
    return _too_busy(draft)


async def _found_out(
    exchange: Exchange, draft: Draft, document: Document, schema: Schema, error: InformerdError
) -> Outcome:
    """After a write without a clear answer: look whether the API server stored it."""
    try:
        live = await _live(exchange, draft)
    except InformerdError:
        return Unsure(draft, error)
    if isinstance(live, Gone | Replaced):
        return live
    now = Base.of(live)
    if same(now.value, editable(to_write(document.value, live))):
        return Saved(now.version)
    if same(now.value, draft.base.value):
        words = "The object is as it was. Should the change still arrive, a review shows it."
        return Refused(draft, unanswered(error, "It was not saved", words))
    moved = await _moved(draft, document, live, schema)
    if not moved.merge.conflicts and same(moved.merge.value, now.value):
        return Saved(now.version)  # all of it is there, beside what the API server set itself or others wrote since
    return replace(moved, unsure=True)


async def _merged(exchange: Exchange, moved: Moved, document: Document, live: dict[str, Value]) -> Reviewed:
    """Where nothing is left to ask, the merge with its own dry run; else the questions."""
    if moved.merge.conflicts:
        return moved
    draft = await _merged_draft(moved, document)
    value = to_write(moved.merge.value, live)
    try:
        stored = await exchange.update(value, dry_run=True)
    except Conflict:
        return moved
    except NotFound:
        return Gone(moved.draft)
    except InformerdError as error:
        merged = await off_loop(parse, draft.text, size=len(draft.text))
        return replace(refused(draft, error, merged), merged=moved)
    return replace(await compared(draft, moved.now.value, value, stored), merged=moved)


async def _merged_draft(moved: Moved, document: Document) -> Draft:
    text = await off_loop(rewrite, document, moved.merge.value, size=len(document.text))
    return Draft(text, moved.now)


async def _live(exchange: Exchange, draft: Draft) -> dict[str, Value] | Gone | Replaced:
    try:
        live = await exchange.read()
    except NotFound:
        return Gone(draft)
    return live if live["metadata"]["uid"] == draft.base.uid else Replaced(draft, Base.of(live))


async def _moved(draft: Draft, document: Document, live: dict[str, Value], schema: Schema) -> Moved:
    def merged() -> Moved:
        base, now = draft.base.value, Base.of(live)
        mine = editable(to_write(document.value, live))
        # answers count only for what the person saw: where it has changed again, it is asked again
        choices = draft.choices if draft.seen == now.fingerprint else {}
        merge_of_both = merge(base, now.value, mine, schema=schema, choices=choices)
        return Moved(draft, now, merge_of_both, changes(base, now.value), changes(base, mine), *last_writer(live))

    return await off_loop(merged, size=len(draft.text))


def _too_busy(draft: Draft) -> Refused:
    problem = Problem(f"The object changed {TRIES} times while this was tried. Try again.")
    return Refused(draft, Refusal((problem,), 409, "The object changes all the time"))
