"""Plan for a text of several objects, each with a dry run: created, changed, unchanged, or refused.

An existing object is never replaced by the text: fields that the text does not name stay, as with kubectl apply, and
the review shows the difference before the write.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.objects.fields.field_access import Value, same
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import Change, Line, changes, diff_lines
from dashboard.objects.merge.three_way import merge
from dashboard.objects.problems.write_refusal import Refusal, refusal_of
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.checks import identity_refusal, manifest_schema_refusal, not_stored_reason, refusal_at
from dashboard.pages.create.many.dependencies import Dependencies
from dashboard.pages.create.many.manifests import Manifest
from dashboard.pages.create.many.review_notes import notes, origin_notes
from dashboard.pages.create.many.unknown_kind import unknown_kind_text
from dashboard.pages.edit.schema_refusal import with_schema_problems
from dashboard.pages.writes.admission_changes import AdmissionChanges, admission_changes
from dashboard.pages.writes.destruction import destruction_text
from dashboard.pages.writes.editable_part import editable_part, fingerprint, update_body
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.target import Target
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import InformerdError, NotFound, UnknownResource

Action = Literal["create", "update", "same", "later", "refused"]


@dataclass(frozen=True, slots=True)
class Step:
    """Effect of one object of the text."""

    part: Manifest
    action: Action
    target: Target | None = None
    """None where its kind is unknown."""
    changes: tuple[Change, ...] = ()
    lines: tuple[Line, ...] = ()
    warnings: tuple[str, ...] = ()
    uid: str = ""
    """Of the existing object."""
    state_fingerprint: str = ""
    """Fingerprint of the existing object, as it was compared."""
    body_fingerprint: str = ""
    """Fingerprint of the body to send; empty where it is unknown until the kind exists."""
    refusal: Refusal | None = None
    waits: str = ""
    """Prerequisite, in words."""
    is_schema_checked: bool = False
    """Of a waiting step: whether the schema of its kind accepts it; else no schema is known."""
    admission_changes: AdmissionChanges | None = None
    """Admission changes; None where there was no dry run."""
    notes: tuple[str, ...] = ()
    """Fields of the text that are not sent, or that differ from the cluster."""
    destroys: str = ""
    """What the change destroys, as a sentence; empty where it destroys nothing."""

    @property
    def words(self) -> str:
        """``Mydemo default/one``."""
        if self.target is not None and self.target.name:
            return self.target.words
        return self.part.words

    @property
    def is_write(self) -> bool:
        """Whether it writes anything."""
        return self.action in ("create", "update", "later")


async def plan(context: ApplyContext, manifests: tuple[Manifest, ...], only: frozenset[int]) -> tuple[Step, ...]:
    """A step for each part whose number is in `only`. Never raises for the refusal of one of them."""
    first: dict[tuple[str, ...], int] = {}
    makers = await run_in_thread_if_large(Dependencies, manifests, size=sum(map(_size, manifests)))
    steps = await asyncio.gather(*(_step(context, part, makers) for part in manifests if part.number in only))
    checked: list[Step] = []
    for step in steps:
        key = (step.target.href,) if step.target is not None and step.target.name else (str(step.part.number),)
        twice = first.setdefault(key, step.part.line)
        if twice != step.part.line:
            words = f"The text has this object twice; the first is in line {twice}."
            step = replace(step, action="refused", refusal=refusal_at(step.part, words, ("metadata", "name")))
        checked.append(step)
    return tuple(checked)


def merged_body(live: dict[str, Value], text: dict[str, Value], schema: Schema) -> dict[str, Value]:
    """The existing object merged with the text; fields that the text does not name stay, items in the text's order."""
    theirs, mine = editable_part(live), editable_part(text)
    merged = merge({}, theirs, mine, schema=schema, order="mine")  # a field that both have gets the text's value
    return update_body(merged.value, live)


def create_body(value: dict[str, Value], target: Target) -> dict[str, Value]:
    """The body that creates it."""
    sent = editable_part(value)
    metadata = sent.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return {**sent, "metadata": {**metadata, **({"namespace": target.namespace} if target.namespace else {})}}


async def _step(context: ApplyContext, part: Manifest, makers: Dependencies) -> Step:
    if part.refusal is not None:
        return Step(part, "refused", refusal=part.refusal)
    if (wrong := identity_refusal(part)) is not None:
        return Step(part, "refused", refusal=wrong)
    async with context.slots:
        try:
            target = await context.target_of(part.value)
        except UnknownResource as error:
            return await _unknown_kind_step(context, part, makers, error)
        except InformerdError as error:
            return Step(part, "refused", refusal=refusal_of(error))
        if words := not_stored_reason(target.kind):
            return Step(part, "refused", refusal=refusal_at(part, words, ("kind",)))
        found_notes = notes(part.value, target, chosen_namespace=context.chosen_namespace)
        try:
            step = await _dry_run_step(context, part, target, makers)
            return replace(step, notes=(*found_notes, *step.notes))
        except InformerdError as error:
            refusal = with_schema_problems(refusal_of(error), await context.schema(target), part.value)
            return Step(part, "refused", target, refusal=part.locate(refusal))


async def _dry_run_step(context: ApplyContext, part: Manifest, target: Target, makers: Dependencies) -> Step:
    object_client = ObjectClient(context.client, target)
    try:
        live = await object_client.read() if target.name else None
    except NotFound:
        live = None
    if live is not None:
        return await _update_step(context, part, target, live)
    sent = create_body(part.value, target)
    try:
        stored = await object_client.create(sent, dry_run=True)
    except NotFound:
        maker = makers.namespace_creator(target.namespace, part)
        if maker is None:
            raise
        waits = f"its namespace, which the object in line {maker.line} creates"
        step = Step(part, "later", target, waits=waits, body_fingerprint=fingerprint(sent))
        return await _schema_checked_step(step, sent, await context.schema(target))
    return await run_in_thread_if_large(_create_step, part, target, sent, stored, size=_size(part))


async def _update_step(context: ApplyContext, part: Manifest, target: Target, live: dict[str, Value]) -> Step:
    schema = await context.schema(target)
    sent = await run_in_thread_if_large(merged_body, live, part.value, schema, size=_size(part))
    before = editable_part(live)
    uid, state = live["metadata"]["uid"], fingerprint(before)
    found_notes = origin_notes(part.value, live)
    if same(before, editable_part(sent)):
        return Step(part, "same", target, uid=uid, state_fingerprint=state, notes=found_notes)
    stored = await ObjectClient(context.client, target).update(sent, dry_run=True)
    after = editable_part(stored.value)
    if same(before, after):
        return Step(part, "same", target, uid=uid, state_fingerprint=state, warnings=stored.warnings, notes=found_notes)
    field_changes = await run_in_thread_if_large(changes, before, after, size=_size(part))
    lines = await run_in_thread_if_large(diff_lines, to_yaml(before), to_yaml(after), size=_size(part))
    mark = fingerprint(editable_part(sent))
    seen = await run_in_thread_if_large(admission_changes, sent, stored.value, size=_size(part))
    return Step(
        part,
        "update",
        target,
        field_changes,
        lines,
        stored.warnings,
        uid,
        state,
        mark,
        notes=found_notes,
        admission_changes=seen,
        destroys=destruction_text(before, after),
    )


def _create_step(part: Manifest, target: Target, sent: dict[str, Value], stored: WriteResult) -> Step:
    after = editable_part(stored.value)
    field_changes = tuple(replace(each, by_server=True) for each in changes(sent, after))
    lines = diff_lines("", to_yaml(after))
    seen = admission_changes(sent, stored.value)
    return Step(
        part,
        "create",
        target,
        field_changes,
        lines,
        stored.warnings,
        body_fingerprint=fingerprint(sent),
        admission_changes=seen,
    )


async def _unknown_kind_step(
    context: ApplyContext, part: Manifest, makers: Dependencies, error: UnknownResource
) -> Step:
    definition = makers.definition_of(part)
    if definition is None:
        words = await unknown_kind_text(context.discovery, part.value["apiVersion"], part.value["kind"], error)
        return Step(part, "refused", refusal=refusal_at(part, words, ("kind",)))
    maker, defined = definition
    step = Step(part, "later", waits=f"its kind, which the object in line {maker.line} defines")
    return await _schema_checked_step(step, editable_part(part.value), defined.schema)


async def _schema_checked_step(step: Step, sent: dict[str, Value], schema: Schema) -> Step:
    """A step without a dry run yet: its schema refuses it as the API server will."""
    refusal = await run_in_thread_if_large(manifest_schema_refusal, step.part, schema, sent, size=_size(step.part))
    if refusal is not None:
        return replace(step, action="refused", refusal=refusal)
    return replace(step, is_schema_checked=schema is not UNKNOWN)


def _size(part: Manifest) -> int:
    return len(part.document.text) if part.document is not None else 0
