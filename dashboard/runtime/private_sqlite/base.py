"""Database backend (Django loads it by this module's name): SQLite in a file that only its owner can read."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.backends.sqlite3 import base

logger = logging.getLogger(__name__)

_warned: set[Path] = set()


class DatabaseWrapper(base.DatabaseWrapper):
    """Creates the database with mode 0600. SQLite gives its -wal, -shm and -journal files the mode of the database."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection to the database, whose file exists from then on. Databases in memory are left to Django."""
        name = str(conn_params["database"])
        if name != ":memory:" and not name.startswith("file:"):
            _make_private(Path(name))
        return super().get_new_connection(conn_params)


def _make_private(path: Path) -> None:
    """Create the file, and Deltaboard's folder, for their owner alone; warn once where others can read a file there."""
    try:
        if path.parent == settings.VAR_DIR:  # another one that is missing is a mistake in DATABASE_URL
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if path not in _warned and path.stat().st_mode & 0o077:
            _warned.add(path)
            logger.warning(
                "%s can be read by other accounts of this machine, with the drafts in it: run chmod 600 on it, "
                "and on its -wal and -shm beside it",
                path,
            )
    except OSError:
        pass  # Django says why it cannot be opened
