"""The environment, read with a sentence for whoever set it wrongly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

DATABASES = ("sqlite", "postgres", "postgresql")
"""Schemes of DATABASE_URL."""


class Environment(environ.Env):  # type: ignore[misc]
    """django-environ, whose every complaint names the variable and is an ImproperlyConfigured."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().get_value(var, *args, **kwargs)
        except ImproperlyConfigured:
            raise
        except Exception as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}") from error

    def database(self, var: str, *, default: str) -> Any:
        """Django's settings of one database. A wrong address is never repeated: it may hold a password."""
        if self.str(var, default=default).partition(":")[0] not in DATABASES:
            raise ImproperlyConfigured(
                f"{var} is no database address: write sqlite:///path or postgres://user:password@host/name"
            )
        return self.db_url(var, default=default)

    def one_of(self, var: str, choices: Iterable[str], *, default: str) -> str:
        """One of `choices`, in whatever case it is written."""
        value: str = self.str(var, default=default)
        for choice in choices:
            if value.lower() == choice.lower():
                return choice
        raise ImproperlyConfigured(f"{var} is {value!r}, but must be one of {', '.join(filter(None, choices))}")
