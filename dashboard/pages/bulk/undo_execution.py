"""Dry run and write of the undo of one object of a run: never over what somebody has changed since."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

import msgspec

from dashboard.live.history.version import ObjectName
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.objects.fields.field_access import ABSENT, Value, format_path, put
from dashboard.objects.merge.diff import Change, changes, value_text
from dashboard.objects.merge.three_way import Conflict as MergeConflict
from dashboard.pages.bulk.item_execution import ChangeRequest, ItemExecution, LeftAlone, mark_refused, tried_item
from dashboard.pages.bulk.operation import UndoneRun
from dashboard.pages.bulk.run import ChangeGroup, DryRunResult, Item, UndoneWrite, finish_item
from dashboard.pages.create.clone import clone_for_recreation
from dashboard.pages.writes.create_object import contains
from dashboard.pages.writes.editable_part import editable_part, fingerprint, recreate_body, update_body
from dashboard.pages.writes.recorded_write import (
    NotRecorded,
    RecordedWrite,
    read_created,
    read_deleted,
    read_when_recorded,
    read_write,
)
from dashboard.runtime.invisible_characters import escape_invisible
from informerd.errors import AlreadyExists, NotFound

T = TypeVar("T")
MAX_NAMED = 3
"""Most fields that a reason names."""
UNKNOWN_VERSION = "It is not known which version the run made of it, so what it changed cannot be told."
STILL_THERE = "It still exists: its deletion has not ended. Try again once it is gone."
NAME_IN_USE = "Another object has its name now, and is left as it is."
CREATED_ALREADY = "An object of its name has all of it already: it was created again before."
RECREATED = (
    "They are created as they were before they were deleted, each with a new uid: what refers to the old one, such as "
    "objects that it owned, does not find it again. Their status is not brought back."
)

HOLDS_OTHERS = "What was put into it since would be lost with it. Delete it by itself if you want that."
_CONTAINERS = frozenset({"customresourcedefinitions.apiextensions.k8s.io", "namespaces", "persistentvolumeclaims"})
RUNS_AGAIN = " They run again, also those that had ended."
_RUN_TO_END = frozenset({"jobs.batch", "pods"})


@dataclass(frozen=True, kw_only=True)
class UndoExecution(ItemExecution):
    """An ItemExecutor of an undo."""

    undo: UndoneRun
    history: HistoryObjects | None

    async def dry_run_once(self, item: Item) -> DryRunResult:
        return await self._dry_run_creation(item) if self.order.creates else await super().dry_run_once(item)

    async def write_once(self, item: Item) -> Item:
        return await self._create(item) if self.order.creates else await super().write_once(item)

    async def check(self, item: Item, live: dict[str, Value]) -> None:
        """Of what the run created nothing may have changed since, or its deletion would lose that."""
        if not self.order.deletes:
            return
        if self.kind.key in _CONTAINERS:
            raise LeftAlone("refused", HOLDS_OTHERS)
        write = _undone(item)
        key, name = self.kind.key, self._name(item, write)
        created = await self._find(
            lambda: read_created(self.history, self.kind, name, write.stored_version, self.undo.begun_at)
        )
        was, now = (clone_for_recreation(key, obj).value for obj in (created, editable_part(live)))
        differing = changes(was, now)
        if differing:
            raise LeftAlone("changed", f"Since it was created, somebody has changed {_names(differing)}.")

    async def change_request(self, item: Item, live: dict[str, Value] | None = None) -> ChangeRequest:
        """What the run changed put back, on top of the item's version."""
        write = _undone(item)
        if not write.stored_version:
            raise LeftAlone("refused", UNKNOWN_VERSION)
        if write.stored_version == write.version:
            raise LeftAlone("same", "The run changed nothing of it.")
        recorded = await self._find(lambda: self._read_write(item, write))
        schema = await self.schemas.schema_of(self.client, self.kind.resource)
        present = live if live is not None else await self.object_client(item).read()
        was = editable_part(present)
        merged = recorded.reverse_on(was, schema)
        if merged.conflicts:
            raise LeftAlone("changed", _conflicts_text(merged.conflicts))
        metadata = {**present["metadata"], "uid": item.uid, "resourceVersion": item.version}
        body = update_body(merged.value, {**present, "metadata": metadata})
        return ChangeRequest(_as_patch(changes(was, merged.value, schema=schema)), body)

    async def _dry_run_creation(self, item: Item) -> DryRunResult:
        client = self.object_client(item)
        try:
            live = await client.read()
        except NotFound:
            pass
        else:
            if live["metadata"]["uid"] == item.uid:
                raise LeftAlone("refused", STILL_THERE)
            raise _left_alone(live, (await self._body(item))[0])
        body, omitted_fields = await self._body(item)
        try:
            stored = await client.create(body, dry_run=True)
        except NotFound as error:  # its namespace is gone, too
            return DryRunResult(mark_refused(item, "refused", error))
        left_out = (
            f" Left out, because it belonged to the old ones: {', '.join(omitted_fields)}." if omitted_fields else ""
        )
        runs_again = RUNS_AGAIN if self.kind.key in _RUN_TO_END else ""
        group = ChangeGroup("", RECREATED + runs_again + left_out, (), stored.warnings)
        return DryRunResult(tried_item(item, fingerprint(body)), group)

    async def _create(self, item: Item) -> Item:
        client = self.object_client(item)
        body, _ = await self._body(item)
        try:
            stored = (await client.create(body, dry_run=False)).value
        except AlreadyExists as error:
            stored = await client.read()
            if not (item.is_unconfirmed and contains(editable_part(stored), body)):
                raise _left_alone(stored, body) from error
        except NotFound as error:
            return mark_refused(item, "failed", error)
        metadata = stored["metadata"]
        item = msgspec.structs.replace(item, uid=metadata["uid"], stored_version=metadata["resourceVersion"])
        return finish_item(item, "done")

    async def _body(self, item: Item) -> tuple[dict[str, Value], tuple[str, ...]]:
        """The object to create, and the fields that it does not get."""
        write = _undone(item)
        target = self.object_client(item).target
        name = self._name(item, write)
        last = await self._find(lambda: read_deleted(self.history, self.kind, name, write.version))
        clone = clone_for_recreation(self.kind.key, last)
        return recreate_body(clone.value, target), clone.omitted_fields

    async def _read_write(self, item: Item, write: UndoneWrite) -> RecordedWrite:
        name, since = self._name(item, write), self.undo.begun_at
        return await read_write(self.history, self.kind, name, write.stored_version, since, base_version=write.version)

    def _name(self, item: Item, write: UndoneWrite) -> ObjectName:
        return ObjectName(self.kind.key, item.namespace, item.name, write.uid)

    async def _find(self, read: Callable[[], Awaitable[T]]) -> T:
        """What history has. The run may have ended just now: then what it wrote is waited for. Raises LeftAlone."""
        try:
            return await read_when_recorded(self.history, self.kind, self.undo.ended_at, read)
        except NotRecorded as reason:
            raise LeftAlone("refused", str(reason)) from reason


def _left_alone(live: dict[str, Value], body: dict[str, Value]) -> LeftAlone:
    """The reason where another object has the name of the one to create."""
    if contains(editable_part(live), body):
        return LeftAlone("same", CREATED_ALREADY)
    return LeftAlone("changed", NAME_IN_USE)


def _undone(item: Item) -> UndoneWrite:
    """Raises LeftAlone."""
    if item.undone is None:
        raise LeftAlone("refused", UNKNOWN_VERSION)
    return item.undone


def _names(differing: Sequence[Change]) -> str:
    named = ", ".join(each.field for each in differing[:MAX_NAMED])
    return f"{named} and {len(differing) - MAX_NAMED} more" if len(differing) > MAX_NAMED else named


def _conflicts_text(conflicts: Sequence[MergeConflict]) -> str:
    named = " ".join(map(_conflict_text, conflicts[:MAX_NAMED]))
    more = len(conflicts) - MAX_NAMED
    return f"{named} And {more} more field{'s' if more > 1 else ''} changed since." if more > 0 else named


def _conflict_text(conflict: MergeConflict) -> str:
    """``spec.port is 9090 now. The run made it 8080 of 80.``"""
    base, theirs, mine = (
        "not there" if each is ABSENT else value_text(each) for each in (conflict.base, conflict.theirs, conflict.mine)
    )
    return (
        f"{escape_invisible(format_path(conflict.path))} is {theirs} now: the run made it {base}, before it was {mine}."
    )


def _as_patch(differing: Sequence[Change]) -> dict[str, Value]:
    """The fields that change, each with null in place of its value; lists as a whole."""
    patch: dict[str, Value] = {}
    for change in differing:
        names = tuple(takewhile(lambda segment: isinstance(segment, str), change.path))
        patch = put(patch, names, None)
    return patch
