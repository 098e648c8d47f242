"""Interface of a database that keeps history in parts, each of which is whole by itself and is dropped whole.

SQL names the tables of a part in braces (``{version}``) and its values by question marks, for both databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

TABLES = ("meta", "kind", "manager", "object", "version", "span", "change_count")
FORMAT = "2"
"""Of the tables and of what is in them."""
READABLE_FORMATS = ("1", FORMAT)
"""Parts of format 1 have no change counts. Parts of other formats are not read, and dropped as any other."""

_COLUMNS = {
    "meta": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
    "kind": "id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, template {bytes} NOT NULL",
    "manager": "id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE",
    "object": (
        "id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL"
    ),
    "version": (
        "{id}time BIGINT NOT NULL, object INTEGER NOT NULL, depth {small} NOT NULL, operation {small} NOT NULL, "
        "manager {small} NOT NULL, resource_version TEXT NOT NULL, data {bytes} NOT NULL"
    ),
    "span": (
        "id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, "
        "since BIGINT NOT NULL, until BIGINT NOT NULL, reason TEXT NOT NULL"
    ),
    "change_count": (
        "minute INTEGER NOT NULL, kind INTEGER NOT NULL, added INTEGER NOT NULL, modified INTEGER NOT NULL, "
        "deleted INTEGER NOT NULL, namespace TEXT NOT NULL, PRIMARY KEY (minute, kind, namespace)"
    ),
}
"""``kind.template`` is a version of the kind in full: the dictionary of its versions of depth 0. ``version.depth``
counts the differences since such a one; times are in Unix microseconds, and the order of the columns saves PostgreSQL
padding. ``span`` has the times in which all changes of a kind were recorded, with the reason of the gap before each.
``change_count`` has the part's changes by Unix minute, as Operation.counts_as names them.
"""
CREATE = (
    *(f"CREATE TABLE {{{name}}} ({columns})" for name, columns in _COLUMNS.items()),
    "CREATE INDEX {object}_name ON {object} (kind, namespace, name)",
    "CREATE UNIQUE INDEX {version}_object ON {version} (object, time)",
)
"""Statements that make a part, for both databases."""
FOREVER = 2**62
"""Later than all times, in microseconds."""
VERSION_COLUMNS = ("time", "object", "depth", "operation", "manager", "resource_version", "data")


class HistoryUnavailable(Exception):
    """The database cannot be used now; the message is the database's own, on one line."""


class RowsRefused(HistoryUnavailable):
    """The database takes other rows than these: to write them again makes no sense."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A part, as the catalogue has it. Parts sort by age."""

    begin: int
    """Unix microseconds. It has all changes from then to the beginning of the next part."""
    cluster: str
    """Identity of the cluster, see dashboard.live.history.cluster_identity."""
    id: str


class PartConnection(Protocol):
    """A connection to one part, for one thread. Every method raises HistoryUnavailable."""

    part: Part

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]: ...

    def execute(self, sql: str, *values: Any) -> None: ...

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None: ...

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None: ...

    def insert_versions(self, rows: Iterable[Sequence[Any]], *, is_carried: bool) -> None:
        """Insert rows of VERSION_COLUMNS. Those that are not carried over from the part before have growing times."""

    def time_condition(self, since: int, until: int) -> tuple[str, tuple[Any, ...]]:
        """SQL condition on ``v``, a row of version, and its values: for changes since the part began whose time is
        `since` or later, and before `until`. It reads no others.
        """

    def check(self) -> list[str]:
        """What the database finds wrong with the part, as sentences."""

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...


class RecorderSession(Protocol):
    """The lock of the only recorder of a cluster, and what it may do with it. For one thread."""

    def create_part(self, begin: int) -> Part:
        """A new part with empty tables. Raises HistoryUnavailable."""

    def connect(self, part: Part) -> PartConnection:
        """A connection that may write; the one before is closed. Raises HistoryUnavailable."""

    def close(self) -> None:
        """Release the lock."""


class Parts(Protocol):
    """All parts of a database. Every method raises HistoryUnavailable."""

    def list(self, cluster: str) -> list[Part]:
        """Its parts, oldest first. Reads nothing of them."""

    def connect(self, part: Part) -> PartConnection:
        """A connection for reading."""

    def sizes(self) -> dict[Part, int]:
        """All parts of all clusters, with their bytes on the disk, indexes included."""

    def drop(self, part: Part) -> None:
        """Delete the part. Connections that read it may fail."""

    def compact(self, part: Part) -> None:
        """Write the part anew, without the free space in its tables and indexes. Not for one that is recorded into."""

    def begin_recording(self, cluster: str) -> RecorderSession | None:
        """A session; None while another recorder of the cluster has one."""

    def close(self) -> None:
        """Close what is kept open between calls."""


def set_meta(connection: PartConnection, name: str, value: str, *, is_new: bool) -> None:
    """Set a value of the table meta; `is_new` where it has none of that name. Raises HistoryUnavailable."""
    new, known = "INSERT INTO {meta} (value, name) VALUES (?, ?)", "UPDATE {meta} SET value = ? WHERE name = ?"
    connection.execute(new if is_new else known, value, name)


def one_line(error: BaseException) -> str:
    """The error's words."""
    return " ".join(str(error).split()) or type(error).__name__
