"""Secrets that are generated once and kept in a file only its owner can read."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path


class NotPrivate(Exception):
    """Other accounts can read a secret's file, or made it; the message is a sentence that says what to do."""


def load_or_create_secret(path: Path) -> str:
    """The secret in `path`; created (mode 0600, its folder 0700) where there is none yet.

    Raises NotPrivate for a file that other accounts can read or that is not ours, and OSError. Two processes that start
    at the same time get the same secret: the first to create the file wins.
    """
    _check_private(path)
    secret = _read(path) or _create(path)
    _check_private(path)
    return secret


def _create(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(
        prefix=f"{path.name}.", dir=path.parent
    )  # mode 0600, and never a file of others
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        _link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(path)


def _check_private(path: Path) -> None:
    """Raise NotPrivate unless `path` is missing or a file of this account that nobody else can read."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise NotPrivate(f"{path} is not a file, but a secret is kept there. Delete it, and start Deltaboard again.")
    if found.st_uid != os.geteuid():
        raise NotPrivate(
            f"{path} belongs to another account, which knows the secret in it. Delete it and start Deltaboard again, "
            "or name a folder of your own in DELTABOARD_VAR."
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise NotPrivate(
            f"{path} can be read by other accounts of this machine, so the secret in it may be known. "
            "Delete it and start Deltaboard again, which makes a new one."
        )


def _link(temporary: Path, path: Path) -> None:
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        if not _read(path):
            temporary.replace(path)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return ""
