"""Secret key that is generated once and kept in a file only its owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def load_or_create_secret(path: Path) -> str:
    """The secret in `path`; created (mode 0600, its folder too) where there is none yet.

    Two processes that start at the same time get the same secret: the first to create the file wins.
    """
    if secret := _read(path):
        return secret
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    try:
        os.link(temporary, path)
    except FileExistsError:
        if not _read(path):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(path)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return ""
