"""Mutation detector: reports when a program changes an object of a store, which all its readers share.

Objects are frozen, but a dict or list in a projection is not, and force_setattr circumvents it. For development and
tests, because it holds a second copy of every object's fields (client-go's CacheMutationDetector, which ends the
process).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from informerd.cache.store import Store
from informerd.clock import Clock
from informerd.errors import CacheMutated
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.objects import Object

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

PERIOD = 1.0
"""Seconds between two checks of all objects."""

RETAIN = 120.0
"""Seconds for which objects that have left the store are checked: handlers may still hold them."""

OBJECTS_PER_TURN = 200
"""Objects after which the event loop gets its turn."""

MOST_CHANGES = 10
"""Maximum number of changed fields that are reported for one object."""


class FieldChange(msgspec.Struct, frozen=True):
    """A changed field. Both values are as in JSON; a value that is not JSON is its repr."""

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.path} from {self.before!r} to {self.after!r}"


class Mutation(msgspec.Struct, frozen=True):
    """An object that was changed in the store, and its changed fields."""

    resource: str
    key: str
    resource_version: str
    changes: tuple[FieldChange, ...]

    def __str__(self) -> str:
        changed = "; ".join(map(str, self.changes))
        return f"{self.resource} {self.key} at version {self.resource_version} was changed in the store: {changed}"


_NO_JSON = (TypeError, ValueError, RuntimeError)
"""Errors of encoding a value that is no longer JSON, or that a thread is changing."""

MutationHandler = Callable[[Mutation], None]
"""Called with each object in a store that somebody has changed."""


class _Entry(msgspec.Struct, Generic[T]):
    obj: T
    key: str
    resource_version: str
    state: _State
    blob: bytes | None
    current: float
    """When it was last seen in the store."""


class MutationDetector(Generic[T]):
    """Compares the objects of one store with their original state.

    A change is logged as an error and passed to `on_mutation`, once. The author of the change is unknown; it happened
    since the last check, `period` seconds ago.
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
        self.mutations_found: list[Mutation] = []
        """All mutations found so far."""
        self._resource = resource
        self._store = store
        self._clock = clock
        self._on_mutation = on_mutation
        self._repeats = LogThrottle(clock)
        self._period = period
        self._retain = retain
        self._entries: dict[int, _Entry[T]] = {}

    def add(self, objects: Iterable[T]) -> None:
        """Remember objects as they are. For the informer, before anybody else sees them.

        What is remembered already stays as it was: a relist may hand over what the store has.
        """
        now = self._clock.now()
        for obj in objects:
            if id(obj) not in self._entries:  # which holds the object, so that no other one can have its id
                version = obj.metadata.resource_version
                self._entries[id(obj)] = _Entry(obj, obj.key, version, _state(obj), _blob(obj), now)

    async def run(self) -> None:
        """Check all objects each period until cancelled."""
        while True:
            await self._clock.sleep(self._period)
            entries = iter([*self._entries.items()])
            while turn := [*islice(entries, OBJECTS_PER_TURN)]:
                self._look_at(turn)
                await asyncio.sleep(0)

    def check(self) -> None:
        """Check all objects now. Raises CacheMutated where any mutation was ever found; for the end of a test."""
        self.compare_all()
        if self.mutations_found:
            raise CacheMutated(tuple(map(str, self.mutations_found)))

    def compare_all(self) -> None:
        """Check all objects now."""
        self._look_at([*self._entries.items()])

    def _look_at(self, entries: Iterable[tuple[int, _Entry[T]]]) -> None:
        now = self._clock.now()
        for identity, entry in entries:
            self._compare(entry)
            if self._store.get(entry.key) is entry.obj:
                entry.current = now
            elif now - entry.current > self._retain:
                self._entries.pop(identity, None)

    def _compare(self, entry: _Entry[T]) -> None:
        state, blob = _state(entry.obj), _blob(entry.obj)
        if state == entry.state and blob == entry.blob:
            return
        fields = zip(_json_names(entry.obj), _parts(entry.state), _parts(state), strict=True)
        changes = [change for name, before, after in fields for change in _differences(name, before, after)]
        if blob != entry.blob:
            changes.append(FieldChange("blob", f"{len(entry.blob or b'')} bytes", f"{len(blob or b'')} bytes"))
        entry.state, entry.blob = state, blob
        if changes:
            self._report(Mutation(self._resource, entry.key, entry.resource_version, tuple(changes[:MOST_CHANGES])))

    def _report(self, mutation: Mutation) -> None:
        self.mutations_found.append(mutation)
        fields = {"resource": mutation.resource, "object": mutation.key, "failures": len(self.mutations_found)}
        if number := self._repeats.count("mutation"):
            log.error("%s%s", mutation, repeat_suffix(number), extra=fields)
        try:
            self._on_mutation(mutation)
        except Exception:
            if number := self._repeats.count("handler"):
                text = "the mutation handler failed on %s %s%s"
                log.exception(text, mutation.resource, mutation.key, repeat_suffix(number), extra=fields)


_State = bytes | tuple[bytes, ...]
"""An object's fields but the blob, as one JSON list; or one by one, where a field is no JSON."""


def _state(obj: Object) -> _State:
    values = [getattr(obj, name) for name in obj.__struct_fields__ if name != "blob"]
    try:
        return msgspec.json.encode(values)
    except _NO_JSON:
        return tuple(map(_encoded, values))


def _parts(state: _State) -> list[Any]:
    """The value of each field."""
    if isinstance(state, bytes):
        values: list[Any] = msgspec.json.decode(state)
        return values
    return [*map(_decoded, state)]


def _json_names(obj: Object) -> list[str]:
    names = zip(obj.__struct_encode_fields__, obj.__struct_fields__, strict=True)
    return [encoded for encoded, name in names if name != "blob"]


def _blob(obj: Object) -> bytes | None:
    return None if obj.blob is None else obj.blob.data


def _encoded(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except _NO_JSON:
        return b"\0" + repr(value).encode()


def _decoded(encoded: bytes) -> Any:
    return encoded[1:].decode() if encoded.startswith(b"\0") else msgspec.json.decode(encoded)


def _differences(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    """The smallest parts that differ; None stands for a missing value."""
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
