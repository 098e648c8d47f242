"""Write of an object as history has it: what it changed, and its reverse applied to the present object."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.reader import RecordedWrite as Found
from dashboard.live.history.version import ObjectName
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.objects.fields.field_access import Value
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.value_hashes import MEMBER
from dashboard.objects.merge.three_way import MergeResult, merge
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.writes.editable_part import editable_part
from informerd.errors import UNREADABLE

T = TypeVar("T")
NO_HISTORY = "Deltaboard keeps no history here (DELTABOARD_HISTORY is off)."
NO_SECRETS = "History does not keep the values of Secrets."
_SECRET_VALUES = frozenset({"data", "stringData", MEMBER})


class NotRecorded(Exception):
    """History does not have what is needed; the message is a sentence or more."""

    code = 404
    """HTTP status of an answer that says so."""


class NotReadable(NotRecorded):
    """History cannot be read now."""

    code = 503


@dataclass(frozen=True, slots=True)
class RecordedWrite:
    """The editable parts of an object before and after a write."""

    before: dict[str, Value]
    after: dict[str, Value]

    def reverse_on(self, present: dict[str, Value], schema: Schema) -> MergeResult:
        """The editable part `present` with what the write changed put back. What others changed since stays; where they
        changed the same field, that is a conflict: theirs is the present value, mine the one before the write.
        """
        return merge(self.after, present, self.before, schema=schema)


async def read_write(
    history: HistoryObjects | None,
    kind: KindInfo,
    name: ObjectName,
    resource_version: str,
    since: float = 0.0,
    *,
    base_version: str = "",
) -> RecordedWrite:
    """The write that made a resourceVersion of an object, at Unix time `since` or later. Raises NotRecorded.

    `base_version`: the one on top of which it was written, where that is known.
    """
    found = await _find_write(history, name, resource_version, since)
    if found.before is None:
        raise NotRecorded("History does not have the version before that write.")
    if found.gap is not None and found.before.version.resource_version != base_version:
        raise NotRecorded(f"Versions may be missing in history right before that write: {found.gap.reason}.")
    before, after = recorded_object(kind, found.before.json), recorded_object(kind, found.after.json)
    if kind.is_secret_kind:
        if before.get(MEMBER) != after.get(MEMBER):
            raise NotRecorded(f"It changed values. {NO_SECRETS}")
        before, after = _without_values(before), _without_values(after)
    return RecordedWrite(editable_part(before), editable_part(after))


async def read_created(
    history: HistoryObjects | None, kind: KindInfo, name: ObjectName, resource_version: str, since: float = 0.0
) -> dict[str, Value]:
    """The editable part of an object as it was created, in that resourceVersion. Raises NotRecorded."""
    found = await _find_write(history, name, resource_version, since)
    return editable_part(recorded_object(kind, found.after.json))


async def read_deleted(
    history: HistoryObjects | None, kind: KindInfo, name: ObjectName, resource_version: str
) -> dict[str, Value]:
    """The editable part of an object as it was before its deletion, which was asked for on top of that
    resourceVersion. Raises NotRecorded.
    """
    if history is None:
        raise NotRecorded(NO_HISTORY)
    if kind.is_secret_kind:
        raise NotRecorded(NO_SECRETS)
    try:
        found = await history.state_before_deletion(name, resource_version)
    except HistoryUnavailable as error:
        raise unreadable(error) from error
    if found is None:
        raise NotRecorded("History does not have its last version: it was not recorded, or is too old.")
    return editable_part(recorded_object(kind, found.json))


async def read_when_recorded(
    history: HistoryObjects | None, kind: KindInfo, at: float, read: Callable[[], Awaitable[T]]
) -> T:
    """What `read` finds in history; where it does not, it reads again once all changes of the kind up to Unix time `at`
    are recorded. Raises NotRecorded.
    """
    try:
        return await read()
    except NotRecorded:
        if history is None:
            raise
    try:
        await history.wait_until_recorded([kind.key], at)
    except HistoryUnavailable as error:
        raise unreadable(error) from error
    return await read()


async def _find_write(history: HistoryObjects | None, name: ObjectName, resource_version: str, since: float) -> Found:
    if history is None:
        raise NotRecorded(NO_HISTORY)
    try:
        found = await history.write_of(name, resource_version, since)
    except HistoryUnavailable as error:
        raise unreadable(error) from error
    if found is None:
        raise NotRecorded("History does not have the version that was written: it was not recorded, or is too old.")
    return found


def _without_values(secret: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in secret.items() if name not in _SECRET_VALUES}


def unreadable(error: HistoryUnavailable) -> NotReadable:
    """The reason while history cannot be read."""
    return NotReadable(f"History cannot be read: {error}. Try again in a moment.")


def recorded_object(kind: KindInfo, json: bytes) -> dict[str, Value]:
    """The object of a version. Raises NotRecorded where it is none of the API version in which the kind is written."""
    try:
        value = msgspec.json.decode(json)
    except UNREADABLE:
        value = None
    if not isinstance(value, dict):
        raise NotRecorded("What history has of this version cannot be read.")
    resource = kind.resource
    value = {"apiVersion": resource.api_version, "kind": resource.kind, **value}  # a list's items have neither
    if value["apiVersion"] != resource.api_version:
        raise NotRecorded(
            f"It was recorded in the API version {value['apiVersion']}, and is written in {resource.api_version}."
        )
    return value
