"""Dry run and write of one object of a bulk run; the write happens only in the reviewed state."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import re2

from dashboard.objects.fields.field_access import ABSENT, Value
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.merge.diff import Change, changes
from dashboard.objects.problems.write_refusal import refusal_of
from dashboard.objects.schemas.schema_store import SchemaStore
from dashboard.pages.authors.record_and_lookup import WriteRecorder
from dashboard.pages.bulk.diff_fields import diff_fields
from dashboard.pages.bulk.dry_run_mismatch import describe_drift, digest_fields, fingerprint_of
from dashboard.pages.bulk.list_items_in_patch import limit_items, missing_items_hint, named_items
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import (
    ChangeGroup,
    DryRunResult,
    Item,
    ItemState,
    finish_item,
)
from dashboard.pages.writes.autoscalers import AutoscalerObject, autoscalers_for, autoscalers_in
from dashboard.pages.writes.editable_part import editable_part, fingerprint
from dashboard.pages.writes.effects_text import change_effects
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.target import Target
from dashboard.pages.writes.workload_effects import Effect
from dashboard.runtime.request_retry import is_unanswered
from informerd.errors import CallRefused, Conflict, InformerdError, Invalid, NotFound, TooManyRequests
from informerd.rest.client import Client

MAX_READS = 3
"""Most reads of one object that changes, in other fields, at the moment of the write."""
_QUOTED = re.compile(r'Invalid value: "(?:[^"\\]|\\.)*"')
"""Pattern of a refused value in an API server's message: for a patch with an unknown field that is the whole object."""
_WHOLE = re2.compile(r"(?s)Invalid value: [\w.&*\[\]]{0,80}?[{\[].*?[}\])](: |$)")
"""The same for a structure, as JSON or in Go's syntax."""
_LONGEST_QUOTED = 200
GONE_MESSAGE = "It does not exist any more."
REPLACED_MESSAGE = "It does not exist any more; another object has its name."
_CHANGED = "It was changed after the review, and this would now do something else than you saw."


class LeftAlone(Exception):
    """The object is not to be written; the message is the reason in sentences."""

    def __init__(self, state: ItemState, words: str) -> None:
        super().__init__(words)
        self.state: ItemState = state


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """A change of one object."""

    patch: dict[str, Value]
    """The fields that are asked for."""
    body: dict[str, Value] | None = None
    """The whole object to write; None where the patch is sent."""


@dataclass(frozen=True)
class ItemExecution:
    """Dry runs and writes of the objects of one kind; see ItemExecutor."""

    client: Client
    kind: KindInfo
    order: BulkOperation
    schemas: SchemaStore
    recorder: WriteRecorder
    autoscalers: dict[str, asyncio.Task[tuple[AutoscalerObject, ...] | None]] = field(default_factory=dict)
    """Autoscalers by namespace: one request each, for any number of objects."""

    async def dry_run(self, item: Item) -> DryRunResult:
        """Read it and send a dry run. Raises TooManyRequests, and errors where no answer came."""
        for _ in range(MAX_READS):
            try:
                return await self.dry_run_once(item)
            except Conflict:
                continue
            except NotFound:
                return DryRunResult(finish_item(item, "gone", GONE_MESSAGE))
            except LeftAlone as reason:
                return DryRunResult(finish_item(item, reason.state, str(reason)))
            except InformerdError as error:
                if is_retryable(error):
                    raise
                return DryRunResult(mark_refused(item, "refused", error))
        return DryRunResult(finish_item(item, "refused", f"It changed {MAX_READS} times during the attempts."))

    async def write(self, item: Item) -> Item:
        """Write it on top of the reviewed state. Raises TooManyRequests, and errors where no answer came: then it may
        be written.
        """
        for _ in range(MAX_READS):
            try:
                return await self.write_once(item)
            except Conflict:
                moved = await self._rebase(item)
                if moved.state != "tried":
                    return moved
                item = moved
            except NotFound:
                return finish_item(item, "done" if item.is_unconfirmed and self.order.deletes else "gone", GONE_MESSAGE)
            except LeftAlone as reason:
                return finish_item(item, "failed" if reason.state == "refused" else reason.state, str(reason))
            except InformerdError as error:
                if is_retryable(error):
                    raise
                return mark_refused(item, "failed", error)
        return finish_item(
            item, "failed", f"It changed {MAX_READS} times during the attempts, though not in the reviewed fields."
        )

    async def _rebase(self, item: Item) -> Item:
        """After a change since the review: the item with its new version if the result would be the same, else the
        reason.
        """
        now = await self.dry_run(item)
        if now.item.state == "same" and item.is_unconfirmed:
            return finish_item(item, "done")
        # Without a stored fingerprint (a deletion, or a review by an older version) there are no effects to compare.
        otherwise = bool(item.stored_fingerprint) and _effect_kinds(now.item) != _effect_kinds(item)
        if now.item.state == "tried" and (now.item.fingerprint != item.fingerprint or otherwise):
            return finish_item(item, "changed", _CHANGED)
        if now.item.state == "refused":
            return msgspec.structs.replace(now.item, state="failed")
        if now.item.state == "gone" and item.is_unconfirmed and self.order.deletes:
            return finish_item(item, "done")
        return msgspec.structs.replace(now.item, group=item.group, is_unconfirmed=item.is_unconfirmed)

    async def dry_run_once(self, item: Item) -> DryRunResult:
        live = await self.object_client(item).read()
        if live["metadata"]["uid"] != item.uid:
            return DryRunResult(finish_item(item, "gone", REPLACED_MESSAGE))
        await self.check(item, live)
        item = msgspec.structs.replace(item, version=live["metadata"]["resourceVersion"], words="", said="")
        if self.order.deletes and live["metadata"].get("deletionTimestamp"):
            return DryRunResult(finish_item(item, "same", "It is being deleted already."))
        if self.order.deletes:
            warnings = await self._send_delete(item, dry_run=True)
            seen = fingerprint(editable_part(live))
            has_finalizers = bool(live["metadata"].get("finalizers"))
            item = msgspec.structs.replace(item, effects=_controlled(live))
            title = "held by finalizers" if has_finalizers else "with a controller" if item.effects else ""
            return DryRunResult(tried_item(item, seen), ChangeGroup("", deletion_text(live), (), warnings, title=title))
        # The difference is shown and grouped with the schema's item keys. `all_changes`, which is compared again before
        # the write, does without, because the schema may be unavailable then.
        schema = await self.schemas.schema_of(self.client, self.kind.resource)
        was, change = editable_part(live), await self.change_request(item, live)
        patch = change.patch
        try:
            stored = await self._send_change(item, change, dry_run=True)
        except Invalid as error:
            return DryRunResult(mark_refused(item, "refused", error, missing_items_hint(patch, schema, was)))
        now = editable_part(stored.value)
        all_changes = changes(was, now)
        if not all_changes:
            return DryRunResult(finish_item(item, "same", "It already has this state."))
        shown = changes(was, now, schema=schema)
        fields, more = diff_fields(shown, was, now, patch, schema, secret=self.kind.key == "secrets")
        named, more_added = limit_items(named_items(patch, schema, was, now))
        item = msgspec.structs.replace(
            item, stored_fingerprint=fingerprint_of(stored.value), field_digests=digest_fields(all_changes)
        )
        item = msgspec.structs.replace(item, effects=await self._effects(item, live, now))
        seen = _changes_fingerprint(shown)
        group = ChangeGroup(seen, "", fields, stored.warnings, named, more, more_added_count=more_added)
        return DryRunResult(tried_item(item, _changes_fingerprint(all_changes)), group)

    async def _effects(self, item: Item, live: dict[str, Value], now: dict[str, Value]) -> tuple[Effect, ...]:
        effects = change_effects({**editable_part(live), "status": live.get("status")}, now)
        if all(effect.what != "scales" for effect in effects):
            return effects
        if item.namespace not in self.autoscalers:
            self.autoscalers[item.namespace] = asyncio.create_task(autoscalers_in(self.client, item.namespace))
        listed = await asyncio.shield(self.autoscalers[item.namespace])
        if listed is None:
            return (*effects, Effect("autoscaled?"))
        about = autoscalers_for(Target(self.kind, item.namespace, item.name), listed)
        return (*effects, *(Effect("autoscaled", words=each.name) for each in about))

    async def write_once(self, item: Item) -> Item:
        if self.order.deletes:
            await self._send_delete(item, dry_run=False)
            return finish_item(item, "done")
        stored = await self._send_change(item, await self.change_request(item), dry_run=False)
        item = msgspec.structs.replace(item, stored_version=stored.value["metadata"]["resourceVersion"])
        return finish_item(item, "done", await describe_drift(self.object_client(item), item, stored.value))

    async def _send_delete(self, item: Item, *, dry_run: bool) -> tuple[str, ...]:
        how = self.order.propagation
        return await self.object_client(item).delete(
            item.uid, item.version, how, grace=self.order.grace, dry_run=dry_run
        )

    async def check(self, item: Item, live: dict[str, Value]) -> None:
        """Raise LeftAlone where the object is not to be written."""

    async def change_request(
        self,
        item: Item,  # noqa: ARG002 -- of an undo
        live: dict[str, Value] | None = None,  # noqa: ARG002 -- of an undo
    ) -> ChangeRequest:
        """The change of an object; `live` is its present state where that was read. Raises LeftAlone."""
        return ChangeRequest(self.order.requested_patch)

    async def _send_change(self, item: Item, change: ChangeRequest, *, dry_run: bool) -> WriteResult:
        client = self.object_client(item)
        if change.body is not None:
            return await client.update(change.body, dry_run=dry_run)
        strategic = bool(self.order.strategic)
        return await client.patch(change.patch, item.uid, item.version, dry_run=dry_run, strategic=strategic)

    def object_client(self, item: Item) -> ObjectClient:
        return ObjectClient(self.client, Target(self.kind, item.namespace, item.name), write_recorder=self.recorder)


def is_retryable(error: InformerdError) -> bool:
    """Whether a retry of the same request can succeed."""
    return is_unanswered(error) or isinstance(error, CallRefused | TooManyRequests)


def mark_refused(item: Item, state: ItemState, error: InformerdError, hint: str = "") -> Item:
    """The item with the reason of the refusal, in the API server's words and ours."""
    problems = refusal_of(error).problems
    words = " ".join(f"{each.field}: {each.words}" if each.path else each.words for each in problems).strip()
    server_message = " ".join(each.server_message for each in problems)
    return finish_item(
        item, state, " ".join(filter(None, (_without_object(words), hint))), _without_object(server_message)
    )


def _without_object(words: str) -> str:
    """The message without the object's content, which would split groups, and store a Secret's values."""
    words = _WHOLE.sub(r"Invalid value\1", words)
    return _QUOTED.sub(lambda found: found[0] if len(found[0]) <= _LONGEST_QUOTED else "Invalid value", words)


def deletion_text(live: dict[str, Value]) -> str:
    """Consequences of the object's deletion."""
    finalizers = live["metadata"].get("finalizers")
    if not finalizers:
        return ""
    return f"They stay, marked as being deleted, until these finalizers are removed: {', '.join(finalizers)}."


def _controlled(live: dict[str, Value]) -> tuple[Effect, ...]:
    owners = live["metadata"].get("ownerReferences") or ()
    return tuple(
        Effect("controlled", words=f"{each['kind']} {each['name']}") for each in owners if each.get("controller")
    )


def _changes_fingerprint(changes: Sequence[Change]) -> str:
    return fingerprint([[each.field, _as_list(each.was), _as_list(each.now)] for each in changes])


def _effect_kinds(item: Item) -> set[str]:
    """The effects of its change, without the numbers of its pods."""
    return {effect.what for effect in item.effects if not effect.what.startswith("autoscaled")}


def _as_list(value: Value) -> list[Value]:
    return [] if value is ABSENT else [value]


def tried_item(item: Item, seen: str) -> Item:
    return msgspec.structs.replace(item, state="tried", fingerprint=seen)
