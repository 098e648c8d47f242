"""Parts as SQLite files: one folder a cluster, one file a part, named by its beginning.

The changes of a part have the ids 1, 2, 3… in the order of their times. What a part begins with has negative ones.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dashboard.live.history.part import (
    CREATE,
    FORMAT,
    TABLES,
    VERSION_COLUMNS,
    HistoryUnavailable,
    Part,
    PartConnection,
    RowsRefused,
    one_line,
)

BUSY_SECONDS = 5.0
"""Seconds for which a call waits for a lock of the file."""
CACHE_KIB = 24 * 1024
CHECKPOINT_PAGES = 4_000
"""Pages of the log of writes (WAL) after which they are written to the file: those of the index are written to again
and again, so that fewer would cost more.
"""
_SUFFIX = ".sqlite3"
_SIDE_FILES = ("-wal", "-shm", "-journal")
_NAMES = {name: name for name in TABLES} | {"bytes": "BLOB", "small": "INTEGER", "id": "id INTEGER PRIMARY KEY, "}


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeError) as error:
        raise RowsRefused(one_line(error)) from error
    except (sqlite3.Error, OSError) as error:
        raise HistoryUnavailable(one_line(error)) from error


class SqliteConnection:
    """A connection to one file."""

    def __init__(self, part: Part, path: Path, *, write: bool) -> None:
        self.part = part
        with _told():
            uri = f"{path.absolute().as_uri()}?mode={'rw' if write else 'ro'}"
            self._connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
            try:
                if write:
                    self._connection.execute("PRAGMA journal_mode=WAL")
                    self._connection.execute("PRAGMA synchronous=NORMAL")
                    self._connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
                    self._connection.execute(f"PRAGMA journal_size_limit={16 * 2**20}")
                self._connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
            except BaseException:
                self._connection.close()
                raise

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with _told():
            return self._connection.execute(sql.format_map(_NAMES), values).fetchall()

    def execute(self, sql: str, *values: Any) -> None:
        with _told():
            self._connection.execute(sql.format_map(_NAMES), values)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with _told():
            self._connection.executemany(sql.format_map(_NAMES), rows)

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        marks = ", ".join("?" * len(columns))
        with _told():
            self._connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)  # noqa: S608

    def insert_versions(self, rows: Iterable[Sequence[Any]], *, is_carried: bool) -> None:
        least, most = self.query("SELECT MIN(id), MAX(id) FROM {version}")[0]
        ids = itertools.count(min(least or 0, 0) - 1, -1) if is_carried else itertools.count(max(most or 0, 0) + 1)
        self.insert(
            "version", ("id", *VERSION_COLUMNS), ((number, *row) for number, row in zip(ids, rows, strict=False))
        )

    def time_condition(self, since: int, until: int) -> tuple[str, tuple[Any, ...]]:
        last = self.query("SELECT MAX(id) FROM {version}")[0][0] or 0
        return "v.id >= ? AND v.id < ?", (self._first_id(since, last), self._first_id(until, last))

    def _first_id(self, time: int, last: int) -> int:
        """The id of the first change at `time` or later: ids grow with times."""
        low, high = 1, last + 1
        while low < high:
            middle = (low + high) // 2
            found = self.query("SELECT time FROM {version} WHERE id >= ? ORDER BY id LIMIT 1", middle)
            if found and found[0][0] < time:
                low = middle + 1
            else:
                high = middle
        return low

    def check(self) -> list[str]:
        found = [str(text) for (text,) in self.query("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else [f"SQLite: {text}." for text in found]

    def commit(self) -> None:
        with _told():
            self._connection.commit()

    def rollback(self) -> None:
        with _told():
            self._connection.rollback()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()


class SqliteSession:
    """The lock of a cluster's folder, by flock(2): it ends with the process, whatever ends that."""

    def __init__(self, folder: Path, cluster: str, lock: int) -> None:
        self._folder = folder
        self._cluster = cluster
        self._lock = lock
        self._connection: SqliteConnection | None = None

    def create_part(self, begin: int) -> Part:
        part = Part(begin, self._cluster, str(begin))
        path = self._path(part)
        unfinished = path.with_suffix(".new")
        with _told():
            _remove(unfinished)
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            connection = sqlite3.connect(unfinished, timeout=BUSY_SECONDS)
            try:
                for statement in CREATE:
                    connection.execute(statement.format_map(_NAMES))
                connection.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
                connection.commit()
            finally:
                connection.close()
            unfinished.rename(path)
        return part

    def connect(self, part: Part) -> PartConnection:
        if self._connection is not None:
            self._connection.close()
        self._connection = SqliteConnection(part, self._path(part), write=True)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        os.close(self._lock)

    def _path(self, part: Part) -> Path:
        return self._folder / f"{part.id}{_SUFFIX}"


class SqliteParts:
    """All parts below a folder, which is made with its first part, for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self, cluster: str) -> list[Part]:
        with _told():
            names = [path.stem for path in (self._folder / cluster).glob(f"*{_SUFFIX}")]
        return sorted(Part(int(name), cluster, name) for name in names if name.isdecimal())

    def connect(self, part: Part) -> PartConnection:
        return SqliteConnection(part, self._path(part), write=False)

    def sizes(self) -> dict[Part, int]:
        with _told():
            folders = sorted(self._folder.iterdir()) if self._folder.exists() else []
            found = [part for folder in folders if folder.is_dir() for part in self.list(folder.name)]
            return {part: self._size(part) for part in found}

    def _size(self, part: Part) -> int:
        total, path = 0, self._path(part)
        for each in (path, path.with_name(path.name + "-wal")):
            with suppress(FileNotFoundError):
                total += each.stat().st_size
        return total

    def drop(self, part: Part) -> None:
        with _told():
            _remove(self._path(part))

    def compact(self, part: Part) -> None:
        path = self._path(part)
        compacted = path.with_suffix(".new")
        with _told():
            _remove(compacted)
            os.close(os.open(compacted, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.execute("VACUUM INTO ?", (str(compacted),))
            finally:
                connection.close()
            compacted.replace(path)
            for suffix in _SIDE_FILES:
                path.with_name(path.name + suffix).unlink(missing_ok=True)

    def begin_recording(self, cluster: str) -> SqliteSession | None:
        folder = self._folder / cluster
        with _told():
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(folder / "recorder.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return None
            except BaseException:
                os.close(lock)
                raise
        return SqliteSession(folder, cluster, lock)

    def close(self) -> None:
        """Nothing is kept open."""

    def _path(self, part: Part) -> Path:
        return self._folder / part.cluster / f"{part.id}{_SUFFIX}"


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
