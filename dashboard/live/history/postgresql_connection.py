"""Connection to the tables of one part in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from dashboard.live.history.part import TABLES, VERSION_COLUMNS, HistoryUnavailable, Part, RowsRefused, one_line


def table_names(part: Part) -> Mapping[str, str]:
    """What stands for the names in the SQL of a part."""
    tables = {name: f"history_{int(part.id)}_{name}" for name in TABLES}
    return tables | {"bytes": "BYTEA", "small": "SMALLINT", "id": ""}


@contextmanager
def told() -> Iterator[None]:
    """Raise the database's errors as HistoryUnavailable."""
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError, UnicodeError) as error:
        raise RowsRefused(one_line(error)) from error
    except (psycopg.Error, OSError) as error:
        raise HistoryUnavailable(one_line(error)) from error


class PostgresqlConnection:
    """A part's tables over a connection, which `give_back` gets at the end."""

    def __init__(
        self,
        part: Part,
        connection: psycopg.Connection[Any],
        give_back: Callable[[psycopg.Connection[Any]], None] = lambda _: None,
    ) -> None:
        self.part = part
        self._connection = connection
        self._give_back = give_back
        self._names = table_names(part)

    def _sql(self, sql: str) -> Any:
        return sql.format_map(self._names).replace("?", "%s")

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with told():
            return self._connection.execute(self._sql(sql), values or None).fetchall()

    def execute(self, sql: str, *values: Any) -> None:
        with told():
            self._connection.execute(self._sql(sql), values or None)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with told(), self._connection.cursor() as cursor:
            cursor.executemany(self._sql(sql), rows)

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        statement: Any = f"COPY {self._names[table]} ({', '.join(columns)}) FROM STDIN"
        with told(), self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)

    def insert_versions(self, rows: Iterable[Sequence[Any]], *, is_carried: bool) -> None:  # noqa: ARG002 -- see SQLite
        self.insert("version", VERSION_COLUMNS, rows)

    def time_condition(self, since: int, until: int) -> tuple[str, tuple[Any, ...]]:
        return "v.time >= ? AND v.time < ?", (max(since, self.part.begin), until)

    def check(self) -> list[str]:
        return []  # its pages have checksums where the server has them

    def commit(self) -> None:
        with told():
            self._connection.commit()

    def rollback(self) -> None:
        with told():
            self._connection.rollback()

    def close(self) -> None:
        self._give_back(self._connection)
