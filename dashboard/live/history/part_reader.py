"""Reader of one part: versions with their JSON, many objects at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from dashboard.live.history.part import FORMAT, PartConnection
from dashboard.live.history.part_writer import COMPLETE
from dashboard.live.history.version import ObjectName, Operation, StoredVersion, Version
from dashboard.live.history.version_codec import DamagedVersion, unpack, unpack_next

OBJECT = "o.kind, o.namespace, o.name, o.uid"
VERSION = "v.time, v.operation, v.resource_version, v.manager"
_CHAINS = (
    f"SELECT o.id, {OBJECT}, {VERSION}, v.data FROM (SELECT id, kind, namespace, name, uid, (SELECT w.time "  # noqa: S608
    "FROM {version} w WHERE w.object = object.id AND w.time <= ? AND w.depth = 0 ORDER BY w.time DESC LIMIT 1) AS base "
    "FROM {object} object WHERE id IN (%s)) o "
    "JOIN {version} v ON v.object = o.id AND v.time >= o.base AND v.time <= ? ORDER BY o.id, v.time"
)
"""The versions of some objects since the last one in full, up to a moment."""


class PartReader:
    """Reads a part. Every method raises HistoryUnavailable, and those that return JSON DamagedVersion."""

    def __init__(self, connection: PartConnection) -> None:
        self.connection = connection
        self.part = connection.part
        self._templates: dict[int, bytes] = {}

    @cached_property
    def _meta(self) -> dict[str, str]:
        return dict(self.connection.query("SELECT name, value FROM {meta}"))

    @property
    def is_known_format(self) -> bool:
        """Whether this version of the program can read the part."""
        return self._meta.get("format") == FORMAT

    @property
    def is_complete(self) -> bool:
        """Whether the part has all that existed when it began."""
        return COMPLETE in self._meta

    @cached_property
    def kinds(self) -> dict[int, str]:
        return dict(self.connection.query("SELECT id, name FROM {kind}"))

    @cached_property
    def managers(self) -> dict[int, str]:
        return dict(self.connection.query("SELECT id, name FROM {manager}"))

    def kind_id(self, key: str) -> int | None:
        """The number that the part has for a kind; None where it has nothing of it."""
        return next((number for number, name in self.kinds.items() if name == key), None)

    def object_ids(self, condition: str, *values: Any) -> list[int]:
        """Ids of the objects (``o``) that a condition is true of, in their order."""
        sql = "SELECT o.id FROM {object} o WHERE " + condition + " ORDER BY o.id"  # noqa: S608 -- ours
        return [number for (number,) in self.connection.query(sql, *values)]

    def states_at(self, ids: Sequence[int], time: int) -> Iterator[tuple[int, StoredVersion]]:
        """The last version of each object at a moment or before, where it has one; its id first."""
        if not ids:
            return
        rows = self.connection.query(_CHAINS % ", ".join("?" * len(ids)), time, *ids, time)
        for number, group in groupby(rows, key=lambda row: row[0]):
            chain = list(group)
            name = self.name(chain[0][1:5])
            json = unpack([self.template(chain[0][1]), *(bytes(row[9]) for row in chain)])
            yield number, StoredVersion(self.version(name, chain[-1][5:9]), json)

    def chain(self, number: int) -> Iterator[tuple[Version, int, bytes | None, DamagedVersion | None]]:
        """Every version of an object, oldest first, with its depth and its JSON or why that cannot be read."""
        sql = f"SELECT {OBJECT}, {VERSION}, v.depth, v.data FROM {{object}} o JOIN {{version}} v ON v.object = o.id "  # noqa: S608
        json: bytes | None = None
        for row in self.connection.query(sql + "WHERE o.id = ? ORDER BY v.time", number):
            error: DamagedVersion | None = None
            try:
                before = unpack_next(self.template(row[0])) if row[8] == 0 else json
                json = unpack_next(bytes(row[9]), before)
            except DamagedVersion as damage:
                json, error = None, damage
            yield self.version(self.name(row[:4]), row[4:8]), row[8], json, error

    def template(self, kind: int) -> bytes:
        """Packed template of a kind."""
        if kind not in self._templates:
            ((template,),) = self.connection.query("SELECT template FROM {kind} WHERE id = ?", kind)
            self._templates[kind] = bytes(template)
        return self._templates[kind]

    def name(self, row: Sequence[Any]) -> ObjectName:
        """Of the columns OBJECT."""
        kind = self.kinds.get(row[0])
        if kind is None:
            del self.kinds
            kind = self.kinds[row[0]]
        return ObjectName(kind, row[1], row[2], row[3])

    def version(self, name: ObjectName, row: Sequence[Any]) -> Version:
        """Of the columns VERSION."""
        time, operation, resource_version, manager = row
        if manager not in self.managers:
            del self.managers
        return Version(name, time, Operation(operation), resource_version, self.managers.get(manager, ""))
