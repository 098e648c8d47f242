"""Folders of the templates, the static files and the state, in a checkout or of an installed wheel."""

from __future__ import annotations

from pathlib import Path

import platformdirs

PROJECT = Path(__file__).resolve().parents[2]
"""Folder of the package `dashboard`."""
IS_CHECKOUT = (PROJECT / "manage.py").is_file()
"""Whether this is a checkout of the project. A wheel has no manage.py."""
_FILES = PROJECT if IS_CHECKOUT else PROJECT / "dashboard" / "files"
TEMPLATES = _FILES / "templates"
STATIC = _FILES / "static"
COMMAND = "manage.py" if IS_CHECKOUT else "deltaboard manage"
"""What a person types before the name of a command."""


def default_state_folder() -> Path:
    """Folder of database, secrets and history where DELTABOARD_VAR names none: ``var`` of a checkout, else the user's
    folder for the state of programs (on Linux ``~/.local/state/deltaboard``).
    """
    return PROJECT / "var" if IS_CHECKOUT else platformdirs.user_state_path("deltaboard", appauthor=False)
