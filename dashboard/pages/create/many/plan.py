"""What a text of several objects would do, each tried out (dry run): make one, change it, nothing, or refused.

What is there is never replaced by the text: fields that the text does not name stay as they are, as with kubectl apply,
and the change is shown as a difference before it is made.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.creating.definitions import Makers, unknown_kind
from dashboard.creating.judging import by_schema, not_kept, objection, refused
from dashboard.creating.kitchen import Kitchen
from dashboard.creating.notes import differing, notes
from dashboard.creating.texts import Part
from dashboard.edits.beside import Beside, beside
from dashboard.edits.diff import Change, Line, changes, diff_lines
from dashboard.edits.editable import Target, editable, fingerprint, to_write
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import Value, same
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import merge
from dashboard.edits.objected import undecoded
from dashboard.edits.problems import Refusal, refusal_of
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.resources.yaml_text import to_yaml
from informerd.errors import InformerdError, NotFound, UnknownResource

Action = Literal["create", "update", "same", "later", "refused"]


@dataclass(frozen=True, slots=True)
class Step:
    """What one object of the text would do."""

    part: Part
    action: Action
    target: Target | None = None
    """None where not even its kind is known."""
    changes: tuple[Change, ...] = ()
    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    uid: str = ""
    """Of the object that is there."""
    state: str = ""
    """Fingerprint of what is there, as it was compared."""
    sent: str = ""
    """Fingerprint of what would be sent; empty where that cannot be said before its kind is there."""
    refusal: Refusal | None = None
    waits: str = ""
    """What has to be there first, in words."""
    judged: bool = False
    """Whether of one that waits the schema of its kind says nothing against it; else no schema is known."""
    seen: Beside | None = None
    """What would be stored otherwise than it is sent; None where that could not be tried out."""
    notes: tuple[str, ...] = ()
    """What of the text is not sent, or says something else than the cluster."""

    @property
    def words(self) -> str:
        """``Mydemo default/one``."""
        if self.target is not None and self.target.name:
            return self.target.words
        return self.part.words

    @property
    def does(self) -> bool:
        """Whether applying it does something."""
        return self.action in ("create", "update", "later")


async def plan(kitchen: Kitchen, parts: tuple[Part, ...], only: frozenset[int]) -> tuple[Step, ...]:
    """A step for each part whose number is in `only`. Never raises for what one of them is refused."""
    first: dict[tuple[str, ...], int] = {}
    makers = await off_loop(Makers, parts, size=sum(map(_size, parts)))
    steps = await asyncio.gather(*(_step(kitchen, part, makers) for part in parts if part.number in only))
    checked: list[Step] = []
    for step in steps:
        key = (step.target.href,) if step.target is not None and step.target.name else (str(step.part.number),)
        twice = first.setdefault(key, step.part.line)
        if twice != step.part.line:
            words = f"It stands in this text twice; the first is in line {twice}."
            step = replace(step, action="refused", refusal=refused(step.part, words, ("metadata", "name")))
        checked.append(step)
    return tuple(checked)


def written_over(live: dict[str, Value], text: dict[str, Value], schema: Schema) -> dict[str, Value]:
    """What is there with what the text says; fields that the text does not name stay, items in the text's order."""
    theirs, mine = editable(live), editable(text)
    merged = merge({}, theirs, mine, schema=schema, order="mine")  # where both have a field it is mine
    return to_write(merged.value, live)


def to_make(value: dict[str, Value], target: Target) -> dict[str, Value]:
    """What is sent to make it."""
    sent = editable(value)
    metadata = sent.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return {**sent, "metadata": {**metadata, **({"namespace": target.namespace} if target.namespace else {})}}


async def _step(kitchen: Kitchen, part: Part, makers: Makers) -> Step:
    if part.refusal is not None:
        return Step(part, "refused", refusal=part.refusal)
    if (wrong := objection(part)) is not None:
        return Step(part, "refused", refusal=wrong)
    async with kitchen.slots:
        try:
            target = await kitchen.target_of(part.value)
        except UnknownResource as error:
            return await _unknown(kitchen, part, makers, error)
        except InformerdError as error:
            return Step(part, "refused", refusal=refusal_of(error))
        if words := not_kept(target.kind):
            return Step(part, "refused", refusal=refused(part, words, ("kind",)))
        said = notes(part.value, target, chosen=kitchen.chosen)
        try:
            step = await _tried(kitchen, part, target, makers)
            return replace(step, notes=(*said, *step.notes))
        except InformerdError as error:
            refusal = undecoded(refusal_of(error), await kitchen.schema(target), part.value)
            return Step(part, "refused", target, refusal=part.located(refusal))


async def _tried(kitchen: Kitchen, part: Part, target: Target, makers: Makers) -> Step:
    exchange = Exchange(kitchen.client, target)
    try:
        live = await exchange.read() if target.name else None
    except NotFound:
        live = None
    if live is not None:
        return await _changed(kitchen, part, target, live)
    sent = to_make(part.value, target)
    try:
        stored = await exchange.create(sent, dry_run=True)
    except NotFound:
        maker = makers.namespace(target.namespace, part)
        if maker is None:
            raise
        waits = f"its namespace, which the object in line {maker.line} makes"
        step = Step(part, "later", target, waits=waits, sent=fingerprint(sent))
        return await _judged(step, sent, await kitchen.schema(target))
    return await off_loop(_made, part, target, sent, stored, size=_size(part))


async def _changed(kitchen: Kitchen, part: Part, target: Target, live: dict[str, Value]) -> Step:
    schema = await kitchen.schema(target)
    sent = await off_loop(written_over, live, part.value, schema, size=_size(part))
    before = editable(live)
    uid, state = live["metadata"]["uid"], fingerprint(before)
    said = differing(part.value, live)
    if same(before, editable(sent)):
        return Step(part, "same", target, uid=uid, state=state, notes=said)
    stored = await Exchange(kitchen.client, target).update(sent, dry_run=True)
    after = editable(stored.value)
    if same(before, after):
        return Step(part, "same", target, uid=uid, state=state, warnings=stored.warnings, notes=said)
    found = await off_loop(changes, before, after, size=_size(part))
    lines = await off_loop(diff_lines, to_yaml(before), to_yaml(after), size=_size(part))
    mark = fingerprint(editable(sent))
    seen = await off_loop(beside, sent, stored.value, size=_size(part))
    return Step(part, "update", target, found, lines, stored.warnings, uid, state, mark, notes=said, seen=seen)


def _made(part: Part, target: Target, sent: dict[str, Value], stored: Stored) -> Step:
    after = editable(stored.value)
    found = tuple(replace(each, by_server=True) for each in changes(sent, after))
    lines = diff_lines("", to_yaml(after))
    seen = beside(sent, stored.value)
    return Step(part, "create", target, found, lines, stored.warnings, sent=fingerprint(sent), seen=seen)


async def _unknown(kitchen: Kitchen, part: Part, makers: Makers, error: UnknownResource) -> Step:
    found = makers.kind(part)
    if found is None:
        words = await unknown_kind(kitchen.discovery, part.value["apiVersion"], part.value["kind"], error)
        return Step(part, "refused", refusal=refused(part, words, ("kind",)))
    maker, defined = found
    step = Step(part, "later", waits=f"its kind, which the object in line {maker.line} defines")
    return await _judged(step, editable(part.value), defined.schema)


async def _judged(step: Step, sent: dict[str, Value], schema: Schema) -> Step:
    """Of one that cannot be tried out yet: what its schema says, which refuses it as the API server will."""
    refusal = await off_loop(by_schema, step.part, schema, sent, size=_size(step.part))
    if refusal is not None:
        return replace(step, action="refused", refusal=refusal)
    return replace(step, judged=schema is not UNKNOWN)


def _size(part: Part) -> int:
    return len(part.document.text) if part.document is not None else 0
