"""Reader of one part: versions with their JSON, many objects at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Any

from dashboard.live.history.part import FOREVER, FORMAT, READABLE_FORMATS, PartConnection
from dashboard.live.history.part_rows import COUNTED, MINUTE
from dashboard.live.history.part_writer import COMPLETE
from dashboard.live.history.version import CHANGES, ENDS, ObjectName, Operation, StoredVersion, Version
from dashboard.live.history.version_codec import DamagedVersion, Template, unpack, unpack_next

OBJECT = "o.kind, o.namespace, o.name, o.uid"
VERSION = "v.time, v.operation, v.resource_version, v.manager"
ROWS = 1_000
"""Rows that are read at a time where it is not known how many are wanted."""
_OPERATIONS = {operation.value: operation for operation in Operation}
"""A lookup takes a tenth of what a call of the enum does, and lists have many thousand versions."""
_LAST = "v.time = (SELECT MAX(w.time) FROM {version} w WHERE w.object = o.id)"
_CHAINS = (
    f"SELECT o.id, {OBJECT}, {VERSION}, v.data FROM (SELECT id, kind, namespace, name, uid, (SELECT w.time "  # noqa: S608
    "FROM {version} w WHERE w.object = object.id AND w.time <= ? AND w.depth = 0 ORDER BY w.time DESC LIMIT 1) AS base "
    "FROM {object} object WHERE id IN (%s)) o "
    "JOIN {version} v ON v.object = o.id AND v.time >= o.base AND v.time <= ? ORDER BY o.id, v.time"
)
"""The versions of some objects since the last one in full, up to a moment."""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many objects of a kind and a namespace were added, modified and deleted from `begin` (Unix seconds) on."""

    begin: int
    kind: str
    namespace: str
    counts: tuple[int, int, int]


@dataclass
class PartNames:
    """What rows of a part refer to. It stays true of a part that has all it began with and is not recorded any more."""

    meta: dict[str, str] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    managers: dict[int, str] = field(default_factory=dict)
    templates: dict[int, bytes] = field(default_factory=dict)


class PartReader:
    """Reads a part. Every method raises HistoryUnavailable, and those that return JSON DamagedVersion."""

    def __init__(self, connection: PartConnection, names: PartNames | None = None) -> None:
        """`names`: those that another reader of the part has read."""
        self.connection = connection
        self.part = connection.part
        self.names = names or PartNames()
        self._templates: dict[int, Template] = {}
        if names is None:
            self.names.meta = dict(connection.query("SELECT name, value FROM {meta}"))
            self._read_names()

    def _read_names(self) -> None:
        self.names.kinds = dict(self.connection.query("SELECT id, name FROM {kind}"))
        self.names.managers = dict(self.connection.query("SELECT id, name FROM {manager}"))

    @property
    def is_known_format(self) -> bool:
        """Whether this version of the program can read the part."""
        return self.names.meta.get("format") in READABLE_FORMATS

    @property
    def is_complete(self) -> bool:
        """Whether the part has all that existed when it began."""
        return COMPLETE in self.names.meta

    @property
    def kinds(self) -> dict[int, str]:
        """Keys of the kinds, by their numbers in the part."""
        return self.names.kinds

    def kind_id(self, key: str) -> int | None:
        """The number that the part has for a kind; None where it has nothing of it."""
        return next((number for number, name in self.kinds.items() if name == key), None)

    def object_ids(self, condition: str, *values: Any) -> list[int]:
        """Ids of the objects (``o``) that a condition is true of, in their order."""
        sql = "SELECT o.id FROM {object} o WHERE " + condition + " ORDER BY o.id"  # noqa: S608 -- ours
        return [number for (number,) in self.connection.query(sql, *values)]

    def ids_of(self, kind: str, namespace: str, name: str, uid: str = "") -> list[int]:
        """Ids of the objects of a name, of the one with `uid` where that is given."""
        number = self.kind_id(kind)
        if number is None:
            return []
        condition = "o.kind = ? AND o.namespace = ? AND o.name = ?"
        values = (number, namespace, name)
        return self.object_ids(condition + " AND o.uid = ?" if uid else condition, *values, *([uid] if uid else []))

    def versions(self, kind: str, namespace: str, name: str, since: int, until: int) -> list[Version]:
        """The versions of the objects of a name from `since` and before `until`, in no order."""
        number = self.kind_id(kind)
        if number is None:
            return []
        sql = (
            f"SELECT {OBJECT}, {VERSION} FROM {{object}} o JOIN {{version}} v ON v.object = o.id "  # noqa: S608
            "WHERE o.kind = ? AND o.namespace = ? AND o.name = ? AND v.time >= ? AND v.time < ?"
        )
        rows = self.connection.query(sql, number, namespace, name, since, until)
        names = {row[3]: self.name(row[:4]) for row in rows}
        return [self.version(names[row[3]], row[4:]) for row in rows]

    def first_of(self, name: ObjectName, resource_version: str, since: int) -> Version | None:
        """The first version of an object with that resourceVersion, at a moment or later; None where there is none."""
        sql = (
            f"SELECT {VERSION} FROM {{version}} v "  # noqa: S608
            "WHERE v.object = ? AND v.time >= ? AND v.resource_version = ? ORDER BY v.time LIMIT 1"
        )
        for number in self.ids_of(name.kind, name.namespace, name.name, name.uid):
            for row in self.connection.query(sql, number, since, resource_version):
                return self.version(name, row)
        return None

    def last_of(self, kind: str, namespace: str, name: str, time: int, uid: str = "") -> StoredVersion | None:
        """The last version at a moment or before of the object that had the name then; None where there is none."""
        ids = self.ids_of(kind, namespace, name, uid)
        if not ids:
            return None
        marks = ", ".join("?" * len(ids))
        sql = (
            "SELECT v.object, MAX(v.time) FROM {version} v "  # noqa: S608 -- question marks
            "WHERE v.time <= ? AND v.object IN (" + marks + ") GROUP BY 1"
        )
        last = max(self.connection.query(sql, time, *ids), key=lambda row: row[1], default=None)
        return next((stored for _, stored in self.states_at([last[0]], time)), None) if last else None

    def ended(self, text: str, kind: int | None = None) -> Iterator[Version]:
        """The last versions of objects that are not there any more and have `text` in their names, of one kind or all,
        the newest first.
        """
        pattern = "%" + text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        sql = (
            f"SELECT {OBJECT}, {VERSION} FROM {{object}} o JOIN {{version}} v ON v.object = o.id AND {_LAST} "  # noqa: S608
            "WHERE LOWER(o.name) LIKE ? ESCAPE ? AND v.operation IN (?, ?, ?)"
        )
        condition, values = (" AND o.kind = ?", (kind,)) if kind is not None else ("", ())
        rows = self._all_rows(f"{sql}{condition} ORDER BY v.time DESC", (pattern, "\\", *map(int, ENDS), *values))
        return (self.version(self.name(row[:4]), row[4:]) for row in rows)

    def _all_rows(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, some at a time, read as they are taken."""
        for offset in count(0, ROWS):
            rows = self.connection.query(f"{sql} LIMIT {ROWS} OFFSET {offset}", *values)
            yield from rows
            if len(rows) < ROWS:
                return

    def states_at(self, ids: Sequence[int], time: int) -> Iterator[tuple[int, StoredVersion]]:
        """The last version of each object at a moment or before, where it has one; its id first."""
        if not ids:
            return
        rows = self.connection.query(_CHAINS % ", ".join("?" * len(ids)), time, *ids, time)
        for number, group in groupby(rows, key=lambda row: row[0]):
            chain = list(group)
            name = self.name(chain[0][1:5])
            json = unpack([bytes(row[9]) for row in chain], self.template(chain[0][1]))
            yield number, StoredVersion(self.version(name, chain[-1][5:9]), json)

    def last_versions(self, ids: Sequence[int], time: int) -> list[tuple[int, Version]]:
        """The last version of each object at a moment or before, where it has one; its id first."""
        sql = (
            f"SELECT o.id, {OBJECT}, {VERSION} FROM {{object}} o JOIN {{version}} v ON v.object = o.id AND v.time = "  # noqa: S608
            "(SELECT MAX(w.time) FROM {version} w WHERE w.object = o.id AND w.time <= ?) "
            f"WHERE o.id IN ({', '.join('?' * len(ids))})"
        )
        rows = self.connection.query(sql, time, *ids)
        return [(row[0], self.version(self.name(row[1:5]), row[5:])) for row in rows]

    def last_of_each(self, names: Sequence[ObjectName], time: int) -> dict[str, Version]:
        """By uid the last version at a moment or before of those of these objects that the part has."""
        wanted, last = {name.uid for name in names}, dict[str, Version]()
        for (kind, namespace), group in groupby(sorted(names, key=_place), key=_place):
            number, own = self.kind_id(kind), sorted({name.name for name in group})
            for at in range(0, len(own) if number is not None else 0, ROWS):
                some = own[at : at + ROWS]
                ids = self.object_ids(
                    f"o.kind = ? AND o.namespace = ? AND o.name IN ({_marks(some)})", number, namespace, *some
                )
                for start in range(0, len(ids), ROWS):
                    for _, version in self.last_versions(ids[start : start + ROWS], time):
                        uid = version.object.uid  # one that ended and was found again is there twice
                        if uid in wanted and (uid not in last or last[uid].time < version.time):
                            last[uid] = version
        return last

    def chain(self, number: int) -> Iterator[tuple[Version, int, bytes | None, DamagedVersion | None]]:
        """Every version of an object, oldest first, with its depth and its JSON or why that cannot be read."""
        sql = f"SELECT {OBJECT}, {VERSION}, v.depth, v.data FROM {{object}} o JOIN {{version}} v ON v.object = o.id "  # noqa: S608
        json: bytes | None = None
        for row in self.connection.query(sql + "WHERE o.id = ? ORDER BY v.time", number):
            error: DamagedVersion | None = None
            try:
                json = self.template(row[0]).unpack(bytes(row[9])) if row[8] == 0 else unpack_next(bytes(row[9]), json)
            except DamagedVersion as damage:
                json, error = None, damage
            yield self.version(self.name(row[:4]), row[4:8]), row[8], json, error

    def newest(self, ids: Sequence[int], before: int, limit: int) -> list[Version]:
        """The newest versions of some objects before a moment, newest first, `limit` at most."""
        if not ids:
            return []
        sql = (
            f"SELECT {OBJECT}, {VERSION} FROM {{version}} v JOIN {{object}} o ON o.id = v.object "  # noqa: S608
            f"WHERE v.object IN ({', '.join('?' * len(ids))}) AND v.time < ? ORDER BY v.time DESC LIMIT {int(limit)}"
        )
        rows = self.connection.query(sql, *ids, before)
        return [self.version(self.name(row[:4]), row[4:]) for row in rows]

    def oldest(self, ids: Sequence[int], since: int) -> Version | None:
        """The oldest version of some objects from a moment on; None where there is none."""
        if not ids:
            return None
        sql = (
            f"SELECT {OBJECT}, {VERSION} FROM {{version}} v JOIN {{object}} o ON o.id = v.object "  # noqa: S608
            f"WHERE v.object IN ({_marks(ids)}) AND v.time >= ? ORDER BY v.time LIMIT 1"
        )
        return next(
            (self.version(self.name(row[:4]), row[4:]) for row in self.connection.query(sql, *ids, since)), None
        )

    def states_between(self, number: int, since: int, until: int) -> Iterator[StoredVersion]:
        """The versions of an object from `since` and before `until`, and those before that they are made of."""
        sql = (
            f"SELECT {OBJECT}, {VERSION}, v.depth, v.data FROM {{object}} o JOIN {{version}} v ON v.object = o.id "  # noqa: S608
            "WHERE o.id = ? AND v.time < ? AND v.time >= COALESCE((SELECT MAX(w.time) FROM {version} w "
            "WHERE w.object = ? AND w.time <= ? AND w.depth = 0), 0) ORDER BY v.time"
        )
        json = b""
        for row in self.connection.query(sql, number, until, number, since):
            json = self.template(row[0]).unpack(bytes(row[9])) if row[8] == 0 else unpack_next(bytes(row[9]), json)
            yield StoredVersion(self.version(self.name(row[:4]), row[4:8]), json)

    def has_more_than(self, number: int, since: int, until: int) -> bool:
        """Whether there were more changes than that from `since` and before `until`, in whole minutes. A part that has
        no counts is taken for a busy one.
        """
        if self.names.meta.get("format") != FORMAT:
            return True
        sql = "SELECT SUM(added + modified + deleted) FROM {change_count} WHERE minute >= ? AND minute < ?"
        ((total,),) = self.connection.query(sql, since // MINUTE, -(-until // MINUTE))
        return int(total or 0) > number

    def span_of_changes(self, since: int, until: int) -> tuple[int, int] | None:
        """The span without the minutes at its beginning and its end in which nothing has changed, whatever was only
        found; None where nothing has changed in all of it. A part that has no counts is taken for a busy one.
        """
        if self.names.meta.get("format") != FORMAT:
            return since, until
        sql = (
            "SELECT (SELECT MIN(minute) FROM {change_count} WHERE minute >= ? AND minute < ?), "
            "(SELECT MAX(minute) FROM {change_count} WHERE minute >= ? AND minute < ?)"
        )
        minutes = since // MINUTE, -(-until // MINUTE)
        ((first, last),) = self.connection.query(sql, *minutes, *minutes)
        return None if first is None else (max(since, first * MINUTE), min(until, (last + 1) * MINUTE))

    def changes(
        self, since: int, until: int, kinds: Sequence[int], limit: int, operations: Sequence[Operation] = ()
    ) -> list[Version]:
        """The newest versions of some kinds from `since` and before `until`, newest first, `limit` at most.
        `operations`: made by these only.
        """
        condition, values = self.connection.time_condition(since, until)
        made_by = f"AND v.operation IN ({_marks(operations)})" if operations else ""
        sql = (
            f"SELECT {OBJECT}, {VERSION} FROM {{version}} v JOIN {{object}} o ON o.id = v.object "  # noqa: S608
            f"WHERE {condition} {made_by} AND o.kind IN ({_marks(kinds)}) ORDER BY v.time DESC LIMIT {int(limit)}"
        )
        rows = self.connection.query(sql, *values, *map(int, operations), *kinds)
        return [self.version(self.name(row[:4]), row[4:]) for row in rows]

    def change_counts(self, since: int, until: int, step: int, kinds: Sequence[int]) -> list[ChangeCounts]:
        """How many changes of some kinds there were from `since` and before `until`, in steps of `step` seconds. Whole
        minutes come from what the recorder has counted, where steps consist of these; others are counted now.
        """
        if (span := self.span_of_changes(since, until)) is None:
            return []
        since, until = span
        first, last = -(-since // MINUTE), until // MINUTE
        is_kept = self.names.meta.get("format") == FORMAT and step % 60 == 0 and first < last
        if not is_kept:
            return self._count(since, until, step, kinds)
        minutes = step // 60
        sql = (
            "SELECT c.minute / ?, c.kind, c.namespace, SUM(c.added), SUM(c.modified), SUM(c.deleted) "  # noqa: S608
            f"FROM {{change_count}} c WHERE c.minute >= ? AND c.minute < ? AND c.kind IN ({_marks(kinds)}) "
            "GROUP BY 1, 2, 3"
        )
        kept = [
            ChangeCounts(begin * step, self.kinds[kind], namespace, (int(added), int(modified), int(deleted)))
            for begin, kind, namespace, added, modified, deleted in self.connection.query(
                sql, minutes, first, last, *kinds
            )
        ]
        before = self._count(since, first * MINUTE, step, kinds) if since < first * MINUTE else []
        after = self._count(last * MINUTE, until, step, kinds) if last * MINUTE < until < FOREVER else []
        return [*before, *kept, *after]

    def wrong_counts(self) -> Iterator[str]:
        """Minutes whose kept counts are not those of the changes that the part has, as sentences."""
        if self.names.meta.get("format") != FORMAT:
            return
        columns = "c.minute, c.kind, c.namespace, c.added, c.modified, c.deleted"
        kept = {
            (minute, self.kinds[kind], namespace): (added, modified, deleted)
            for minute, kind, namespace, added, modified, deleted in self.connection.query(
                f"SELECT {columns} FROM {{change_count}} c"  # noqa: S608
            )
        }
        counted: dict[tuple[int, str, str], tuple[int, int, int]] = {}
        for each in self._count(self.part.begin, FOREVER, 60, [*self.kinds]) if self.kinds else []:
            group = each.begin // 60, each.kind, each.namespace
            added, modified, deleted = counted.get(group, (0, 0, 0))
            counted[group] = added + each.counts[0], modified + each.counts[1], deleted + each.counts[2]
        for group in sorted(kept.keys() | counted.keys()):
            if kept.get(group) != counted.get(group):
                minute, kind, namespace = group
                what = f"Of {kind} in {namespace or 'no namespace'} in minute {minute}"
                yield f"{what} it has counted {kept.get(group)}, and has {counted.get(group)} changes."

    def _count(self, since: int, until: int, step: int, kinds: Sequence[int]) -> list[ChangeCounts]:
        condition, values = self.connection.time_condition(since, until)
        sql = (
            "SELECT v.time / ?, o.kind, o.namespace, v.operation, COUNT(*) "  # noqa: S608
            "FROM {version} v JOIN {object} o ON o.id = v.object "
            f"WHERE {condition} AND v.operation IN ({_marks(CHANGES)}) AND o.kind IN ({_marks(kinds)}) "
            "GROUP BY 1, 2, 3, 4"
        )
        rows = self.connection.query(sql, step * 1_000_000, *values, *map(int, CHANGES), *kinds)
        found: list[ChangeCounts] = []
        for begin, kind, namespace, number, total in rows:
            counted = Operation(number).counts_as
            added, modified, deleted = (total if counted == each else 0 for each in COUNTED)
            found.append(ChangeCounts(begin * step, self.kinds[kind], namespace, (added, modified, deleted)))
        return found

    def template(self, kind: int) -> Template:
        """Template of a kind. Raises DamagedVersion."""
        if kind not in self._templates:
            packed = self.names.templates
            if kind not in packed:
                ((template,),) = self.connection.query("SELECT template FROM {kind} WHERE id = ?", kind)
                packed[kind] = bytes(template)
            self._templates[kind] = Template(unpack([packed[kind]]))
        return self._templates[kind]

    def name(self, row: Sequence[Any]) -> ObjectName:
        """Of the columns OBJECT."""
        if row[0] not in self.names.kinds:  # it came meanwhile
            self._read_names()
        return ObjectName(self.names.kinds[row[0]], row[1], row[2], row[3])

    def version(self, name: ObjectName, row: Sequence[Any]) -> Version:
        """Of the columns VERSION."""
        time, operation, resource_version, manager = row
        if manager not in self.names.managers:
            self._read_names()
        return Version(name, time, _OPERATIONS[operation], resource_version, self.names.managers.get(manager, ""))


def _place(name: ObjectName) -> tuple[str, str]:
    return name.kind, name.namespace


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
