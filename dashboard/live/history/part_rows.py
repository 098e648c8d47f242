"""Rows of a batch on their way into a part, with the numbers that stand for objects and field managers."""

from __future__ import annotations

from dashboard.live.history.object_states import KindStates, ObjectState
from dashboard.live.history.part import PartConnection
from dashboard.live.history.version import Operation, Version
from dashboard.objects.kinds import feed_entry

MINUTE = 60_000_000
"""Microseconds."""
COUNTED: tuple[feed_entry.Operation, ...] = ("added", "modified", "deleted")
"""Columns of change_count."""
_ADD_COUNTS = (
    "INSERT INTO {change_count} AS c (minute, kind, namespace, added, modified, deleted) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (minute, kind, namespace) DO UPDATE SET added = c.added + excluded.added, "
    "modified = c.modified + excluded.modified, deleted = c.deleted + excluded.deleted"
)
OBJECT_COLUMNS = ("id", "kind", "namespace", "name", "uid")
MAX_MANAGERS = 10_000
"""Most field managers that a part names; of others a version says none."""


class PartRows:
    """Gathers rows until `insert`. After an exception it must be made anew."""

    def __init__(self, connection: PartConnection) -> None:
        self._connection = connection
        self._managers = {name: number for number, name in connection.query("SELECT id, name FROM {manager}")}
        self._next_object = (connection.query("SELECT MAX(id) FROM {object}")[0][0] or 0) + 1
        self._objects: list[tuple[object, ...]] = []
        self._versions: list[tuple[object, ...]] = []
        self._carried: list[tuple[object, ...]] = []
        self._counts: dict[tuple[int, int, str], list[int]] = {}
        """Changes that are added, modified and deleted, by Unix minute, kind and namespace."""

    def add_object(self, states: KindStates, state: ObjectState, uid: str) -> None:
        """Give an object a number in this part."""
        state.id, self._next_object = self._next_object, self._next_object + 1
        self._objects.append((state.id, states.id, state.namespace, state.name, uid))

    def add_version(
        self, states: KindStates, state: ObjectState, operation: Operation, manager: str, data: bytes
    ) -> None:
        """The version that `state` is of now. Its time is later than that of any before it."""
        if operation.counts_as is not None:
            group = state.time // MINUTE, states.id, state.namespace
            self._counts.setdefault(group, [0, 0, 0])[COUNTED.index(operation.counts_as)] += 1
        number = self._manager(manager)
        self._versions.append((state.time, state.id, state.depth, int(operation), number, state.version, data))

    def carry(self, number: int, version: Version, data: bytes) -> None:
        """A version in full, of the part before."""
        manager = self._manager(version.manager)
        row = (version.time, number, 0, int(version.operation), manager, version.resource_version, data)
        self._carried.append(row)

    def insert(self) -> None:
        """Insert all that has gathered."""
        if self._objects:
            self._connection.insert("object", OBJECT_COLUMNS, self._objects)
        if self._versions:
            self._connection.insert_versions(self._versions, is_carried=False)
        if self._carried:
            self._connection.insert_versions(self._carried, is_carried=True)
        if self._counts:
            self._connection.execute_many(_ADD_COUNTS, [(*group, *counts) for group, counts in self._counts.items()])
        self._objects, self._versions, self._carried, self._counts = [], [], [], {}

    def _manager(self, name: str) -> int:
        number = self._managers.get(name)
        if number is None:
            name = name if len(self._managers) < MAX_MANAGERS else ""
            number = self._managers.get(name)
        if number is None:
            number = self._managers[name] = max(self._managers.values(), default=0) + 1
            self._connection.insert("manager", ("id", "name"), [(number, name)])
        return number
