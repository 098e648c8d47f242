"""Last recorded version of each object of a kind in one part, as the recorder must know it to write the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dashboard.live.history.part import PartConnection
from dashboard.live.history.version import ENDS, Operation
from dashboard.live.history.version_codec import Template, unpack
from informerd.objects import Blob
from informerd.resource_version import has_reached

RECENT_END = 3_600_000_000
"""Microseconds for which objects that have ended are remembered, so that their end is not written twice."""
LAST_VERSIONS = (
    "SELECT o.id, o.uid, o.namespace, o.name, v.time, v.depth, v.operation, v.resource_version FROM {object} o "
    "JOIN {version} v ON v.object = o.id AND v.time = (SELECT MAX(w.time) FROM {version} w WHERE w.object = o.id) "
    "WHERE o.kind = ? AND o.id > ? AND (v.operation NOT IN (?, ?, ?) OR v.time > ?) ORDER BY o.id LIMIT ?"
)
STEP = 2_000


@dataclass(slots=True)
class ObjectState:
    """The last version that was written of an object."""

    id: int
    """In the part; 0 where the part does not have the object yet."""
    namespace: str
    name: str
    time: int
    version: str
    """Its resourceVersion."""
    depth: int
    blob: Blob | None = None
    """The whole object of that version. None: the database must be asked, because this process did not write it."""
    is_confirmed: bool = True
    """Whether this process has seen the object in the state that was recorded, or wrote that itself."""
    ended: Operation | None = None
    """How it ended; None while it exists."""

    @property
    def key(self) -> str:
        """``namespace/name``, or ``name``."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def is_recorded(self, operation: Operation, version: str) -> bool:
        """Whether a change to that resourceVersion, or a later one, has been written before. An object of a list that
        is as it was recorded is confirmed by that.
        """
        if self.ended is not None:
            return operation.is_end or (self.ended is Operation.DELETED and has_reached(self.version, version))
        if operation.is_end:
            return False
        if operation is Operation.FOUND and self.version == version:
            self.is_confirmed = True
            return True
        return not self.is_confirmed and has_reached(self.version, version)


@dataclass(slots=True)
class KindStates:
    """Objects of one kind."""

    id: int
    """Of the kind, in the part."""
    template: Template
    """With which versions of depth 0 are packed."""
    by_uid: dict[str, ObjectState] = field(default_factory=dict)
    missing: dict[str, ObjectState] | None = None
    """While a list comes: the objects that it has not had yet."""


def load_states(connection: PartConnection, kind: int, *, all_ended: bool = False) -> Iterator[dict[str, ObjectState]]:
    """What a part has of a kind, in steps: objects that exist, and those that ended lately, or all."""
    newest = connection.query("SELECT MAX(until) FROM {span} WHERE kind = ?", kind)[0][0] or 0
    ended_after = 0 if all_ended else newest - RECENT_END
    after = 0
    while rows := connection.query(LAST_VERSIONS, kind, after, *map(int, ENDS), ended_after, STEP):
        after = rows[-1][0]
        yield {
            uid: ObjectState(
                id=number,
                namespace=namespace,
                name=name,
                time=time,
                version=version,
                depth=depth,
                is_confirmed=False,
                ended=Operation(operation) if operation in ENDS else None,
            )
            for number, uid, namespace, name, time, depth, operation, version in rows
        }


def read_last(connection: PartConnection, state: ObjectState, template: Template) -> bytes:
    """JSON of the last recorded version. Raises DamagedVersion."""
    rows = connection.query(
        "SELECT data FROM {version} WHERE object = ? AND time <= ? ORDER BY time DESC LIMIT ?",
        state.id,
        state.time,
        state.depth + 1,
    )
    return unpack([bytes(data) for (data,) in reversed(rows)], template)
