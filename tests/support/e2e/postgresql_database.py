"""Separate database for a test on the installed PostgreSQL, which can be taken away for a while."""

from __future__ import annotations

import uuid

import psycopg

from tests.support.skip_if_missing import postgresql_url


class Database:
    """`create` before use, `drop` after it."""

    def __init__(self) -> None:
        self._server = postgresql_url()
        self._name = f"deltaboard_{uuid.uuid4().hex[:12]}"

    @property
    def url(self) -> str:
        return f"{self._server.rsplit('/', 1)[0]}/{self._name}"

    def create(self) -> None:
        """Create the database."""
        self._do(f'CREATE DATABASE "{self._name}"')

    def drop(self) -> None:
        """Drop the database, even while clients are connected."""
        self._do(f'DROP DATABASE IF EXISTS "{self._name}" WITH (FORCE)')

    def shut(self) -> None:
        """End its connections and refuse new ones, as a server that is stopped does. (The server is not ours alone.)"""
        self._do(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS false')
        self._do(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._name}'")

    def reopen(self) -> None:
        """Allow connections again."""
        self._do(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS true')

    def _do(self, command: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(command.encode())
