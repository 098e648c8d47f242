"""Versions of objects as history has them: the operation that made each, and where it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from dashboard.objects.kinds import feed_entry


class Operation(IntEnum):
    """What made a version. Numbers are stored: never give one another meaning."""

    ADDED = 1
    """The object was created."""
    MODIFIED = 2
    DELETED = 3
    """The object was deleted; the version is its final state."""
    FOUND = 4
    """The object was there when recording began, after a gap or at all."""
    DIFFERS = 5
    """It is another than before a gap: since when is not known."""
    MISSING = 6
    """It is gone since a gap: since when is not known. The version is the last one that is known."""
    UNSEEN = 7
    """Its namespace is no longer listed. The version is the last one that is known."""

    @property
    def is_end(self) -> bool:
        """Whether the object is not there, or not seen, from then on."""
        return self in ENDS

    @property
    def counts_as(self) -> feed_entry.Operation | None:
        """What the feed calls it; None where it is no change: an object was found, or may no longer be seen."""
        return _COUNTS_AS.get(self)


_COUNTS_AS: Mapping[Operation, feed_entry.Operation] = {
    Operation.ADDED: "added",
    Operation.MODIFIED: "modified",
    Operation.DIFFERS: "modified",
    Operation.DELETED: "deleted",
    Operation.MISSING: "deleted",
}
CHANGES = tuple(_COUNTS_AS)
"""Operations that are changes, see `counts_as`."""
ENDS = (Operation.DELETED, Operation.MISSING, Operation.UNSEEN)


@dataclass(frozen=True, slots=True)
class ObjectName:
    """An object of history. Another one of the same name has another uid."""

    kind: str
    """The kind's key, ``deployments.apps``."""
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version without its JSON."""

    object: ObjectName
    time: int
    """Unix microseconds at which the recorder heard of it; strictly increasing for an object."""
    operation: Operation
    resource_version: str
    manager: str
    """Field manager that wrote last, as managedFields had it; empty where they were not there."""


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version and its JSON."""

    version: Version
    json: bytes
    """Without managedFields; see dashboard.live.history.version_json."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which nothing of a kind was recorded, in Unix microseconds."""

    since: int
    until: int | None
    """None while it lasts."""
    reason: str
    """A clause, such as "no worker recorded"."""
