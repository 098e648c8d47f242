"""One object of a run: try on it what is asked for (dry run), and write it if it is still what was reviewed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from dashboard.authors.authors import Authors
from dashboard.authors.pen import Pen
from dashboard.bulk.named import named_items, not_there
from dashboard.bulk.order import Order
from dashboard.bulk.run import Group, Item, ItemState
from dashboard.bulk.shown import shown_fields
from dashboard.bulk.stored import print_of, seen_in, stored_otherwise
from dashboard.bulk.work import Tried, Work, WorkOf, ended
from dashboard.drafts.draft import Whose
from dashboard.edits.autoscalers import Listed, autoscalers_in, those_about
from dashboard.edits.consequences import effects
from dashboard.edits.diff import Change, changes
from dashboard.edits.editable import Target, editable, fingerprint
from dashboard.edits.effects import Effect
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import ABSENT, Value
from dashboard.edits.problems import refusal_of
from dashboard.edits.schemas import Schemas
from dashboard.repeats import is_unanswered
from dashboard.resources.kinds import KindInfo, kind_of
from informerd.clock import Clock
from informerd.errors import Conflict, InformerdError, Invalid, NotFound, TooManyRequests
from informerd.resource import Resource
from informerd.rest.client import Client

READINGS = 3
"""Times that one is read again because it changed, elsewhere, in the very moment of the write."""
_QUOTED = re.compile(r'Invalid value: "(?:[^"\\]|\\.)*"')
"""How the API server names a text that it does not take: of a patch with an unknown field that is the whole object."""
_WHOLE = re.compile(r"Invalid value: [\w.&*\[\]]{0,80}?[{\[].*?[}\])](?=: |$)", re.DOTALL)
"""The same of what has fields, as JSON or in Go's syntax."""
_LONGEST_QUOTED = 200
GONE = "It is there no more."
REPLACED = "It is there no more; another one has its name."
_CHANGED = "Somebody changed it after you had seen it, and this would do something else now than what you saw."


def attempt(schemas: Schemas, authors: Authors, clock: Clock) -> WorkOf:
    """What makes the work on objects of a resource."""

    def work(client: Client, resource: Resource, order: Order, whose: Whose) -> Work:
        pen = Pen(authors, whose, client.field_manager, clock)
        return Attempt(client, kind_of(resource).with_resource(resource), order, schemas, pen)

    return work


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is done to the objects of one kind; see Work."""

    client: Client
    kind: KindInfo
    order: Order
    schemas: Schemas
    pen: Pen
    autoscalers: dict[str, asyncio.Task[tuple[Listed, ...] | None]] = field(default_factory=dict)
    """Of the namespaces that were asked about: one question each, however many objects there are."""

    async def try_out(self, item: Item) -> Tried:
        """Read it and ask the API server what would become of it. Raises TooManyRequests and what is unanswered."""
        for _ in range(READINGS):
            try:
                return await self._tried(item)
            except Conflict:
                continue
            except NotFound:
                return Tried(ended(item, "gone", GONE))
            except InformerdError as error:
                if passes(error):
                    raise
                return Tried(refused(item, "refused", error))
        return Tried(ended(item, "refused", f"It changed {READINGS} times while it was tried."))

    async def write(self, item: Item) -> Item:
        """Do it on top of what was reviewed. Raises TooManyRequests and what is unanswered: then it may be done."""
        for _ in range(READINGS):
            try:
                return await self._written(item)
            except Conflict:
                moved = await self._moved(item)
                if moved.state != "tried":
                    return moved
                item = moved
            except NotFound:
                return ended(item, "done" if item.sent and self.order.deletes else "gone", GONE)
            except InformerdError as error:
                if passes(error):
                    raise
                return refused(item, "failed", error)
        return ended(item, "failed", f"It changed {READINGS} times while this was tried, though not in what was seen.")

    async def _moved(self, item: Item) -> Item:
        """It has changed since the review: the same with its version if the same would become of it, else why not."""
        now = await self.try_out(item)
        if now.item.state == "same" and item.sent:
            return ended(item, "done")
        # What was reviewed by a process of before has no effects to compare; a deletion's print is of all there is.
        otherwise = bool(item.stored) and _does(now.item) != _does(item)
        if now.item.state == "tried" and (now.item.print != item.print or otherwise):
            return ended(item, "changed", _CHANGED)
        if now.item.state == "refused":
            return msgspec.structs.replace(now.item, state="failed")
        if now.item.state == "gone" and item.sent and self.order.deletes:
            return ended(item, "done")
        return msgspec.structs.replace(now.item, group=item.group, sent=item.sent)

    async def _tried(self, item: Item) -> Tried:
        live = await self._exchange(item).read()
        if live["metadata"]["uid"] != item.uid:
            return Tried(ended(item, "gone", REPLACED))
        item = msgspec.structs.replace(item, version=live["metadata"]["resourceVersion"], words="", said="")
        if self.order.deletes and live["metadata"].get("deletionTimestamp"):
            return Tried(ended(item, "same", "It is being deleted already."))
        if self.order.deletes:
            warnings = await self._deleted(item, dry_run=True)
            seen = fingerprint(editable(live))
            held = bool(live["metadata"].get("finalizers"))
            item = msgspec.structs.replace(item, effects=_controlled(live))
            title = "held by finalizers" if held else "with a controller" if item.effects else ""
            return Tried(_tried(item, seen), Group("", deletion_words(live), (), warnings, title=title))
        # Shown and grouped by the items' keys; told apart later without a schema, which may not be had then.
        schema = await self.schemas.schema_of(self.client, self.kind.resource)
        was, asked = editable(live), self.order.asked
        try:
            stored = await self._patched(item, dry_run=True)
        except Invalid as error:
            return Tried(refused(item, "refused", error, not_there(asked, schema, was)))
        now = editable(stored.value)
        found = changes(was, now)
        if not found:
            return Tried(ended(item, "same", "It is so already."))
        shown = changes(was, now, schema=schema)
        fields, more = shown_fields(shown, was, now, asked, schema, secret=self.kind.key == "secrets")
        named = named_items(asked, schema, was, now)
        item = msgspec.structs.replace(item, stored=print_of(stored.value), seen=seen_in(found))
        item = msgspec.structs.replace(item, effects=await self._effects(item, live, now))
        return Tried(_tried(item, _print(found)), Group(_print(shown), "", fields, stored.warnings, named, more))

    async def _effects(self, item: Item, live: dict[str, Value], now: dict[str, Value]) -> tuple[Effect, ...]:
        found = effects({**editable(live), "status": live.get("status")}, now)
        if all(effect.what != "scales" for effect in found):
            return found
        if item.namespace not in self.autoscalers:
            self.autoscalers[item.namespace] = asyncio.create_task(autoscalers_in(self.client, item.namespace))
        listed = await asyncio.shield(self.autoscalers[item.namespace])
        if listed is None:
            return (*found, Effect("autoscaled?"))
        about = those_about(Target(self.kind, item.namespace, item.name), listed)
        return (*found, *(Effect("autoscaled", words=each.name) for each in about))

    async def _written(self, item: Item) -> Item:
        if self.order.deletes:
            await self._deleted(item, dry_run=False)
            return ended(item, "done")
        stored = await self._patched(item, dry_run=False)
        return ended(item, "done", await stored_otherwise(self._exchange(item), item, stored.value))

    async def _deleted(self, item: Item, *, dry_run: bool) -> tuple[str, ...]:
        how = self.order.propagation
        return await self._exchange(item).delete(item.uid, item.version, how, grace=self.order.grace, dry_run=dry_run)

    async def _patched(self, item: Item, *, dry_run: bool) -> Stored:
        order = self.order
        strategic = bool(order.strategic)
        return await self._exchange(item).patch(
            order.asked, item.uid, item.version, dry_run=dry_run, strategic=strategic
        )

    def _exchange(self, item: Item) -> Exchange:
        return Exchange(self.client, Target(self.kind, item.namespace, item.name), pen=self.pen)


def passes(error: InformerdError) -> bool:
    """Whether the same request may do better later."""
    return is_unanswered(error) or isinstance(error, TooManyRequests)


def refused(item: Item, state: ItemState, error: InformerdError, hint: str = "") -> Item:
    """The item with why the API server would not, in its words and ours."""
    problems = refusal_of(error).problems
    words = " ".join(f"{each.field}: {each.words}" if each.path else each.words for each in problems).strip()
    said = " ".join(each.said for each in problems)
    return ended(item, state, " ".join(filter(None, (_without_object(words), hint))), _without_object(said))


def _without_object(words: str) -> str:
    """Objects told apart by what they are would never be one group, and a Secret's values would be kept."""
    words = _WHOLE.sub("Invalid value", words)
    return _QUOTED.sub(lambda found: found[0] if len(found[0]) <= _LONGEST_QUOTED else "Invalid value", words)


def deletion_words(live: dict[str, Value]) -> str:
    """What a deletion of it means beyond that it goes."""
    finalizers = live["metadata"].get("finalizers")
    if not finalizers:
        return ""
    return f"They stay, marked as being deleted, until these finalizers are taken away: {', '.join(finalizers)}."


def _controlled(live: dict[str, Value]) -> tuple[Effect, ...]:
    owners = live["metadata"].get("ownerReferences") or ()
    return tuple(
        Effect("controlled", words=f"{each['kind']} {each['name']}") for each in owners if each.get("controller")
    )


def _print(found: Sequence[Change]) -> str:
    return fingerprint([[each.field, _there(each.was), _there(each.now)] for each in found])


def _does(item: Item) -> set[str]:
    """What was said of its change, however many pods it is about by now."""
    return {effect.what for effect in item.effects if not effect.what.startswith("autoscaled")}


def _there(value: Value) -> list[Value]:
    return [] if value is ABSENT else [value]


def _tried(item: Item, seen: str) -> Item:
    return msgspec.structs.replace(item, state="tried", print=seen)
