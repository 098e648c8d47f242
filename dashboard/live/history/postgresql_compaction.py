"""Compaction of a part in PostgreSQL: its tables are copied without their free space, and the copies take their place.

Nothing is written to such a part. Readers and whoever drops it have it meanwhile: no statement holds a lock for long.
"""

from __future__ import annotations

import time
from typing import Any

import psycopg

from dashboard.live.history.part import HistoryUnavailable, Part

COPIED_PAGES = 2_000
"""Pages that a statement copies: whoever drops the part waits for one at most."""
SWAP_TRIES = 60
SWAP_LOCK_MS = 100
"""Milliseconds for which a try waits for readers of any of the tables: so long other readers may wait behind it."""
SWAP_PAUSE = 1.0
"""Seconds between two tries."""
_PART_TABLES = (
    "SELECT c.relname, array_to_string(c.reloptions, ', '), "
    "pg_relation_size(c.oid) / current_setting('block_size')::int FROM pg_class c "
    "WHERE c.relkind = 'r' AND pg_table_is_visible(c.oid) AND starts_with(c.relname, 'history_' || %s || '_')"
)
_COPIES = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) "
    "AND starts_with(relname, 'history_copy_')"
)
"""None of these counts as a table of a part, for what parts take."""


def compact_tables(connection: psycopg.Connection[Any], part: Part) -> None:
    """Copy the part's tables over an autocommit connection, and have the copies take their place; nothing happens where
    the part is dropped meanwhile. Not for two at the same time. Raises psycopg.Error, and HistoryUnavailable where
    readers leave no moment for that: then the tables are what they were.
    """
    connection.execute("SET synchronize_seqscans = off")
    _drop_copies(connection)
    tables = {
        name: (name.replace("history_", "history_copy_", 1), options, pages)
        for name, options, pages in connection.execute(_PART_TABLES, (part.id,)).fetchall()
    }
    try:
        for table, (copy, options, pages) in tables.items():
            _run(connection, f"CREATE TABLE {copy} (LIKE {table} INCLUDING ALL)")
            if options:
                _run(connection, f"ALTER TABLE {copy} SET ({options})")
            for page in range(0, pages, COPIED_PAGES):  # in their order, for the index by time
                rows = f"ctid >= '({page},0)' AND ctid < '({page + COPIED_PAGES},0)'"
                _run(connection, f"INSERT INTO {copy} SELECT * FROM {table} WHERE {rows}")  # noqa: S608 -- ours
            _run(connection, f"REINDEX TABLE {copy}")
            _run(connection, f"ANALYZE {copy}")
        if tables:
            _swap(connection, {table: copy for table, (copy, *_) in tables.items()})
    except psycopg.errors.UndefinedTable:
        return
    finally:
        if not connection.closed:
            _drop_copies(connection)


def _swap(connection: psycopg.Connection[Any], copies: dict[str, str]) -> None:
    for left in reversed(range(SWAP_TRIES)):
        try:
            with connection.transaction():
                _run(connection, f"SET LOCAL statement_timeout = {SWAP_LOCK_MS}")
                _run(connection, f"LOCK TABLE {', '.join(copies)} IN ACCESS EXCLUSIVE MODE")
                _run(connection, "SET LOCAL statement_timeout = 0")
                _run(connection, f"DROP TABLE {', '.join(copies)}")
                for table, copy in copies.items():
                    _run(connection, f"ALTER TABLE {copy} RENAME TO {table}")
        except psycopg.errors.QueryCanceled as error:
            if not left:
                raise HistoryUnavailable("it was read all the time") from error
            time.sleep(SWAP_PAUSE)
        else:
            return


def _drop_copies(connection: psycopg.Connection[Any]) -> None:
    """Also those that a compaction has left that was killed."""
    if copies := [name for (name,) in connection.execute(_COPIES).fetchall()]:
        _run(connection, f"DROP TABLE {', '.join(copies)}")


def _run(connection: psycopg.Connection[Any], statement: str) -> None:
    connection.execute(statement.encode())
