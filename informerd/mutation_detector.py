"""The mutation detector: tells when somebody has changed an object of a store, which all who read it share.

Objects are frozen, but a dict or list in a projection is not, nor is anything safe from force_setattr. For development
and tests, because it keeps every object's fields once more (client-go's CacheMutationDetector, which ends the process).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from informerd.clock import Clock
from informerd.errors import CacheMutated
from informerd.objects import Object
from informerd.repeats import Repeats, nth
from informerd.store import Store

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

PERIOD = 1.0
"""Seconds between two looks at everything."""

RETAIN = 120.0
"""Seconds for which objects are looked at that have left the store: handlers may still hold them."""

TURN = 200
"""Objects after which the event loop gets its turn."""

MOST_CHANGES = 10
"""Changed fields of one object that are told."""


class FieldChange(msgspec.Struct, frozen=True):
    """A field that is not what it was. Both values are as in JSON; a value that is no JSON is its repr."""

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.path} from {self.before!r} to {self.after!r}"


class Mutation(msgspec.Struct, frozen=True):
    """An object that was changed in the store: which, and what about it."""

    resource: str
    key: str
    resource_version: str
    changes: tuple[FieldChange, ...]

    def __str__(self) -> str:
        changed = "; ".join(map(str, self.changes))
        return f"{self.resource} {self.key} at version {self.resource_version} was changed in the store: {changed}"


MutationHandler = Callable[[Mutation], None]


class _Entry(msgspec.Struct, Generic[T]):
    obj: T
    key: str
    resource_version: str
    fields: dict[str, bytes]
    blob: bytes | None
    current: float
    """When it was last seen in the store."""


class MutationDetector(Generic[T]):
    """Compares the objects of one store with what they were when they came.

    What was changed is logged as an error and given to `on_mutation`, once for each change. Who changed it cannot be
    told; it happened since the last look, which is `period` seconds ago.
    """

    def __init__(
        self,
        resource: str,
        store: Store[T],
        *,
        clock: Clock,
        on_mutation: MutationHandler,
        period: float = PERIOD,
        retain: float = RETAIN,
    ) -> None:
        self.found: list[Mutation] = []
        """Everything so far."""
        self._resource = resource
        self._store = store
        self._clock = clock
        self._on_mutation = on_mutation
        self._repeats = Repeats(clock)
        self._period = period
        self._retain = retain
        self._entries: dict[int, _Entry[T]] = {}

    def add(self, objects: Iterable[T]) -> None:
        """Remember objects as they are. For the informer, before anybody else sees them."""
        now = self._clock.now()
        for obj in objects:
            meta = obj.metadata
            self._entries[id(obj)] = _Entry(obj, obj.key, meta.resource_version, _fields(obj), _blob(obj), now)

    async def run(self) -> None:
        """Look at everything each period until cancelled."""
        while True:
            await self._clock.sleep(self._period)
            entries = iter([*self._entries.items()])
            while turn := [*islice(entries, TURN)]:
                self._look_at(turn)
                await asyncio.sleep(0)

    def check(self) -> None:
        """Look at everything now. Raises CacheMutated where anything was ever found; for the end of a test."""
        self.look()
        if self.found:
            raise CacheMutated(tuple(map(str, self.found)))

    def look(self) -> None:
        """Look at everything now."""
        self._look_at([*self._entries.items()])

    def _look_at(self, entries: Iterable[tuple[int, _Entry[T]]]) -> None:
        now = self._clock.now()
        for identity, entry in entries:
            self._compare(entry)
            if self._store.get(entry.key) is entry.obj:
                entry.current = now
            elif now - entry.current > self._retain:
                del self._entries[identity]

    def _compare(self, entry: _Entry[T]) -> None:
        fields, blob = _fields(entry.obj), _blob(entry.obj)
        if fields == entry.fields and blob == entry.blob:
            return
        changes = [change for name in fields for change in _changes(name, entry.fields[name], fields[name])]
        if blob != entry.blob:
            changes.append(FieldChange("blob", f"{len(entry.blob or b'')} bytes", f"{len(blob or b'')} bytes"))
        entry.fields, entry.blob = fields, blob
        if changes:
            self._report(Mutation(self._resource, entry.key, entry.resource_version, tuple(changes[:MOST_CHANGES])))

    def _report(self, mutation: Mutation) -> None:
        self.found.append(mutation)
        fields = {"resource": mutation.resource, "object": mutation.key, "failures": len(self.found)}
        if number := self._repeats.count("mutation"):
            log.error("%s%s", mutation, nth(number), extra=fields)
        try:
            self._on_mutation(mutation)
        except Exception:
            if number := self._repeats.count("handler"):
                text = "the mutation handler failed on %s %s%s"
                log.exception(text, mutation.resource, mutation.key, nth(number), extra=fields)


def _fields(obj: Object) -> dict[str, bytes]:
    names = zip(obj.__struct_encode_fields__, obj.__struct_fields__, strict=True)
    return {encoded: _encoded(getattr(obj, name)) for encoded, name in names if name != "blob"}


def _blob(obj: Object) -> bytes | None:
    return None if obj.blob is None else obj.blob.data


def _encoded(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RuntimeError):  # no JSON any more, or a thread changes it right now
        return b"\0" + repr(value).encode()


def _changes(path: str, before: bytes, after: bytes) -> Iterator[FieldChange]:
    if before != after:
        yield from _differences(path, _decoded(before), _decoded(after))


def _decoded(encoded: bytes) -> Any:
    return encoded[1:].decode() if encoded.startswith(b"\0") else msgspec.json.decode(encoded)


def _differences(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    """The smallest parts that differ; None stands for what is not there."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            yield from _differences(_below(path, name), before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list):
        for place in range(max(len(before), len(after))):
            pair = [each[place] if place < len(each) else None for each in (before, after)]
            yield from _differences(f"{path}[{place}]", *pair)
    elif before != after:
        yield FieldChange(path, before, after)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if name.replace("-", "").replace("_", "").isalnum() else f'{path}["{name}"]'
