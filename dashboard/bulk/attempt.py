"""One object of a run: try on it what is asked for (dry run), and write it if it is still what was reviewed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from dashboard.bulk.lists import is_asked_for
from dashboard.bulk.order import Order
from dashboard.bulk.run import Field, Group, Item, ItemState
from dashboard.bulk.work import Tried, Work, WorkOf, ended
from dashboard.edits.diff import Change, changes
from dashboard.edits.editable import Target, editable, fingerprint
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import ABSENT, Value
from dashboard.edits.problems import refusal_of
from dashboard.edits.schema import Schema
from dashboard.edits.schemas import Schemas
from dashboard.repeats import is_unanswered
from dashboard.resources.kinds import KindInfo, kind_of
from informerd.errors import Conflict, InformerdError, NotFound, TooManyRequests
from informerd.resource import Resource
from informerd.rest.client import Client

READINGS = 3
"""Times that one is read again because it changed, elsewhere, in the very moment of the write."""
_SHOWN = 40
"""Fields of a difference that are kept to be shown."""
_QUOTED = re.compile(r'Invalid value: "(?:[^"\\]|\\.)*"')
"""How the API server names a text that it does not take: of a patch with an unknown field that is the whole object."""
_WHOLE = re.compile(r"Invalid value: [\w.&*\[\]]{0,80}?[{\[].*?[}\])](?=: |$)", re.DOTALL)
"""The same of what has fields, as JSON or in Go's syntax."""
_LONGEST_QUOTED = 200
GONE = "It is there no more."
REPLACED = "It is there no more; another one has its name."
_CHANGED = "Somebody changed it after you had seen it, and this would do something else now than what you saw."


def attempt(schemas: Schemas) -> WorkOf:
    """What makes the work on objects of a resource."""

    def work(client: Client, resource: Resource, order: Order) -> Work:
        return Attempt(client, kind_of(resource).with_resource(resource), order, schemas)

    return work


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is done to the objects of one kind; see Work."""

    client: Client
    kind: KindInfo
    order: Order
    schemas: Schemas

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
                await self._sent(item, dry_run=False)
                return ended(item, "done")
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
        if now.item.state == "tried" and now.item.print != item.print:
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
        stored, warnings = await self._sent(item, dry_run=True)
        if self.order.deletes:
            seen = fingerprint(editable(live))
            return Tried(_tried(item, seen), Group("", deletion_words(live), (), warnings))
        was, now = editable(live), editable(stored)
        found = changes(was, now)
        if not found:
            return Tried(ended(item, "same", "It is so already."))
        # Shown and grouped by the items' keys; told apart later without a schema, which may not be had then.
        schema = await self.schemas.schema_of(self.client, self.kind.resource)
        shown = changes(was, now, schema=schema)
        return Tried(_tried(item, _print(found)), Group(_print(shown), "", self._fields(shown, schema), warnings))

    async def _sent(self, item: Item, *, dry_run: bool) -> tuple[dict[str, Value], tuple[str, ...]]:
        exchange, order = self._exchange(item), self.order
        if order.deletes:
            warnings = await exchange.delete(
                item.uid, item.version, order.propagation, grace=order.grace, dry_run=dry_run
            )
            return {}, warnings
        strategic = bool(order.strategic)
        stored = await exchange.patch(order.asked, item.uid, item.version, dry_run=dry_run, strategic=strategic)
        return stored.value, stored.warnings

    def _exchange(self, item: Item) -> Exchange:
        return Exchange(self.client, Target(self.kind, item.namespace, item.name))

    def _fields(self, found: Sequence[Change], schema: Schema) -> tuple[Field, ...]:
        shown = [
            Field(each.field, *self._texts(each), not is_asked_for(self.order.asked, each.path, schema))
            for each in found[:_SHOWN]
        ]
        if len(found) > _SHOWN:
            shown.append(Field(f"and {len(found) - _SHOWN:,} fields more", "", "…", by_server=False))
        return tuple(shown)

    def _texts(self, change: Change) -> tuple[str, str]:
        """Before and after. A run is kept in the database, where no value of a Secret belongs."""
        if self.kind.key == "secrets" and change.path[:1] in (("data",), ("stringData",)):
            return "", "a value that is not shown"
        return change.was_text, change.now_text


def passes(error: InformerdError) -> bool:
    """Whether the same request may do better later."""
    return is_unanswered(error) or isinstance(error, TooManyRequests)


def refused(item: Item, state: ItemState, error: InformerdError) -> Item:
    """The item with why the API server would not, in its words and ours."""
    problems = refusal_of(error).problems
    words = " ".join(f"{each.field}: {each.words}" if each.path else each.words for each in problems).strip()
    said = " ".join(each.said for each in problems)
    return ended(item, state, _without_object(words), _without_object(said))


def _without_object(words: str) -> str:
    """Objects told apart by what they are would never be one group, and a Secret's values would be kept."""
    words = _WHOLE.sub("Invalid value", words)
    return _QUOTED.sub(lambda found: found[0] if len(found[0]) <= _LONGEST_QUOTED else "Invalid value", words)


def deletion_words(live: dict[str, Value]) -> str:
    """What a deletion of it means beyond that it goes."""
    metadata = live["metadata"]
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    words = (
        [f"{owner['kind']} {owner['name']} is their controller and may make others in their place."] if owner else []
    )
    if finalizers := metadata.get("finalizers"):
        words.append(
            f"They stay, marked as being deleted, until these finalizers are taken away: {', '.join(finalizers)}."
        )
    return " ".join(words)


def _print(found: Sequence[Change]) -> str:
    return fingerprint([[each.field, _there(each.was), _there(each.now)] for each in found])


def _there(value: Value) -> list[Value]:
    return [] if value is ABSENT else [value]


def _tried(item: Item, seen: str) -> Item:
    return msgspec.structs.replace(item, state="tried", print=seen)
