"""Separate database for tests, with the tables in it, next to Django's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import environ
from django.core.management import call_command
from django.db import connections
from pytest_django import DjangoDbBlocker


@contextmanager
def in_file(alias: str, folder: Path, blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file in `folder`, which tests may ask in spite of pytest-django's `blocker`."""
    with blocker.unblock(), migrated(alias, f"sqlite:///{folder / 'tests.sqlite3'}") as made:
        yield made


@contextmanager
def migrated(alias: str, url: str) -> Iterator[str]:
    """The alias of the database at `url`, migrated; tests reach it in any thread.

    One that there is under this alias is taken as it is: packages of tests share a session's.
    """
    if alias in connections.databases:
        yield alias
        return
    connections.databases[alias] = {**connections.databases["default"], "OPTIONS": {}, **environ.Env.db_url_config(url)}
    try:
        migrate_elsewhere(alias)
        yield alias
    finally:
        with suppress(AttributeError):  # nobody in this thread has asked it
            del connections[alias]  # or this thread would take the next of this alias for the one that is gone
        del connections.databases[alias]


def _migrate(alias: str) -> None:
    call_command("migrate", database=alias, verbosity=0)
    connections[alias].close()


def migrate_elsewhere(alias: str) -> None:
    """Migrate in a thread of its own: where a browser is open, Django takes this thread for an event loop's."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_migrate, alias).result()
