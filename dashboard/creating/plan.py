"""What a text of several objects would do, each tried out (dry run): make one, change it, nothing, or refused.

What is there is never replaced by the text: fields that the text does not name stay as they are, as with kubectl apply,
and the change is shown as a difference before it is made.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Literal

from dashboard.creating.definitions import defines, unknown_kind
from dashboard.creating.notes import differing, notes
from dashboard.creating.texts import Part
from dashboard.edits.diff import Change, Line, changes, diff_lines
from dashboard.edits.editable import Target, editable, fingerprint, to_write
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import Value, get, same
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import merge
from dashboard.edits.objected import undecoded
from dashboard.edits.problems import Problem, Refusal, refusal_of
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.edits.schemas import Schemas
from dashboard.resources.kinds import kind_of
from dashboard.resources.yaml_text import to_yaml
from informerd.errors import InformerdError, NotFound, UnknownResource
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

AT_ONCE = 6
"""Objects that are tried out at the same time."""
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


@dataclass(slots=True)
class Kitchen:
    """What planning and applying need."""

    client: Client
    discovery: Discovery
    schemas: Schemas
    namespace: str
    """Where objects go that name none."""
    chosen: str = ""
    """The same where somebody chose it."""
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def target_of(self, value: dict[str, Value]) -> Target:
        """The object that a document means. Raises UnknownResource and what the API server answers."""
        api_version, kind = value.get("apiVersion"), value.get("kind")
        resource: Resource = await self.discovery.resource_of(str(api_version), str(kind))
        namespace = get(value, ("metadata", "namespace")) or self.namespace
        name = get(value, ("metadata", "name")) or ""
        return Target(kind_of(resource), str(namespace) if resource.namespaced else "", str(name))

    async def schema(self, target: Target) -> Schema:
        try:
            return await self.schemas.schema_of(self.client, target.kind.resource)
        except InformerdError:
            return UNKNOWN


async def plan(kitchen: Kitchen, parts: tuple[Part, ...], only: frozenset[int]) -> tuple[Step, ...]:
    """A step for each part whose number is in `only`. Never raises for what one of them is refused."""
    first: dict[tuple[str, ...], int] = {}
    steps = await asyncio.gather(*(_step(kitchen, part, parts) for part in parts if part.number in only))
    checked: list[Step] = []
    for step in steps:
        key = (step.target.href,) if step.target is not None and step.target.name else (str(step.part.number),)
        twice = first.setdefault(key, step.part.line)
        if twice != step.part.line:
            words = f"It stands in this text twice; the first is in line {twice}."
            step = replace(step, action="refused", refusal=_refusal(step.part, words, ("metadata", "name")))
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


async def _step(kitchen: Kitchen, part: Part, parts: tuple[Part, ...]) -> Step:
    if part.refusal is not None:
        return Step(part, "refused", refusal=part.refusal)
    if objection := _objection(part):
        return Step(part, "refused", refusal=objection)
    async with kitchen.slots:
        try:
            target = await kitchen.target_of(part.value)
        except UnknownResource as error:
            return await _unknown(kitchen, part, parts, error)
        except InformerdError as error:
            return Step(part, "refused", refusal=refusal_of(error))
        if not target.kind.kept:
            words = (
                f"The API server keeps no {target.kind.singular}: it answers one like a question, or does at once what "
                "it says. Take it out of this text; kubectl create sends one."
            )
            return Step(part, "refused", refusal=_refusal(part, words, ("kind",)))
        said = notes(part.value, target, chosen=kitchen.chosen)
        try:
            step = await _tried(kitchen, part, target, parts)
            return replace(step, notes=(*said, *step.notes))
        except InformerdError as error:
            refusal = undecoded(refusal_of(error), await kitchen.schema(target), part.value)
            return Step(part, "refused", target, refusal=part.located(refusal))


async def _tried(kitchen: Kitchen, part: Part, target: Target, parts: tuple[Part, ...]) -> Step:
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
        if maker := _namespace_maker(part, target, parts):
            waits = f"its namespace, which the object in line {maker.line} makes"
            return Step(part, "later", target, waits=waits, sent=fingerprint(sent))
        raise
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
    return Step(part, "update", target, found, lines, stored.warnings, uid, state, mark, notes=said)


def _made(part: Part, target: Target, sent: dict[str, Value], stored: Stored) -> Step:
    after = editable(stored.value)
    found = tuple(replace(each, by_server=True) for each in changes(sent, after))
    lines = diff_lines("", to_yaml(after))
    return Step(part, "create", target, found, lines, stored.warnings, sent=fingerprint(sent))


def _objection(part: Part) -> Refusal | None:
    for name in ("apiVersion", "kind"):
        if not isinstance(part.value.get(name), str) or not part.value[name]:
            return _refusal(part, f"An object says its {name}, such as “{_SUCH[name]}”; this one does not.", (name,))
    metadata = part.value.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        return _refusal(part, "An object needs a name: metadata.name or metadata.generateName.", ("metadata", "name"))
    return None


_SUCH = {"apiVersion": "apps/v1", "kind": "Deployment"}


async def _unknown(kitchen: Kitchen, part: Part, parts: tuple[Part, ...], error: UnknownResource) -> Step:
    definition = defines(part, parts)
    if definition is not None:
        return Step(part, "later", waits=f"its kind, which the object in line {definition.line} defines")
    words = await unknown_kind(kitchen.discovery, part, error)
    return Step(part, "refused", refusal=_refusal(part, words, ("kind",)))


def _namespace_maker(part: Part, target: Target, parts: tuple[Part, ...]) -> Part | None:
    for other in parts[: part.number - 1]:
        if (other.value.get("apiVersion"), other.value.get("kind")) == ("v1", "Namespace") and get(
            other.value, ("metadata", "name")
        ) == target.namespace:
            return other
    return None


def _refusal(part: Part, words: str, path: tuple[str, ...]) -> Refusal:
    refusal = part.located(Refusal((Problem(words, path=path),), 422, "It cannot be made"))
    problem = refusal.problems[0]
    return refusal if problem.line else replace(refusal, problems=(replace(problem, line=part.line, column=1),))


def _size(part: Part) -> int:
    return len(part.document.text) if part.document is not None else 0
