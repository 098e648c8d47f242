"""Version of the library."""

VERSION = "0.1.0"
"""The distribution's, too: informerd/pyproject.toml reads it here."""
