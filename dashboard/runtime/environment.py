"""Reader of environment variables, with error messages for the person who sets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")

DATABASES = ("sqlite", "postgres", "postgresql")
"""Schemes of DATABASE_URL."""
TRUE_WORDS = ("on", "true", "yes", "y", "1")
FALSE_WORDS = ("off", "false", "no", "n", "0", "")
"""Accepted words of a switch, in upper or lower case."""


class Environment(environ.Env):  # type: ignore[misc]
    """django-environ, with errors that name the variable and are an ImproperlyConfigured.

    Values are literal: a leading dollar sign is no reference to another variable (secrets may begin with one), spaces
    around a value or an entry of a list are ignored, and a switch is on or off.
    """

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        """The variable's value as `cast`; `default` as it is where the variable is not set."""
        if var not in self.ENVIRON:
            return super().get_value(var, cast=cast, default=default, parse_default=parse_default)
        try:
            return self.parse_value(self.ENVIRON[var].strip(), cast)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}") from error

    @classmethod
    def parse_value(cls, value: str, cast: Any) -> Any:
        """The value of a variable that is set. Raises ValueError where it is invalid."""
        if cast is bool:
            return _switch(value)
        if cast is int:
            return _whole(value)
        if cast is list:
            return [entry.strip() for entry in value.split(",") if entry.strip()]
        return super().parse_value(value, cast)

    def database(self, var: str, *, default: str) -> Any:
        """Django's settings of one database. A wrong address is never repeated in a message: it may hold a password."""
        if self.str(var, default=default).partition(":")[0] in DATABASES:
            try:
                return self.db_url(var, default=default)
            except ValueError:  # it quotes what it cannot read
                pass
        raise ImproperlyConfigured(
            f"{var} is not a database address: write sqlite:///path or postgres://user:password@host/name"
        )

    def read(self, var: str, reader: Callable[[str], T], *, default: str) -> T:
        """The result of `reader` for the text; its ValueError is reported."""
        try:
            return reader(self.str(var, default=default))
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}") from None

    def one_of(self, var: str, choices: Iterable[str], *, default: str) -> str:
        """One of `choices`, in upper or lower case."""
        value: str = self.str(var, default=default)
        for choice in choices:
            if value.lower() == choice.lower():
                return choice
        raise ImproperlyConfigured(f"{var} is {value!r}, but must be one of {', '.join(filter(None, choices))}")


def read_address(value: str, example: str = "http://prometheus.monitoring:9090") -> str:
    """An address of a server, such as `example`, without a slash at its end; empty for none. Raises ValueError."""
    if not value:
        return ""
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(f"{value!r} is not an address such as {example}")
    return value.rstrip("/")


def read_listen_address(value: str) -> str:
    """Where to listen, ``host:port`` or ``:port`` for all interfaces; empty for nowhere. Raises ValueError."""
    if not value:
        return ""
    try:
        parts = urlsplit(f"//{value}")
        is_address = bool(parts.port) and value == parts.netloc and "@" not in value
    except ValueError:
        is_address = False
    if not is_address:
        raise ValueError(f"{value!r} is not host:port, such as 127.0.0.1:9100, nor :9100 for all interfaces")
    return value


def read_positive(value: str) -> int:
    """A whole number from 1. Raises ValueError where it is invalid."""
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"{value!r} is not a whole number from 1")
    return number


def read_limit(value: str) -> int:
    """A whole number from 1, or 0 for no limit. Raises ValueError for anything else."""
    if value.strip() == "0":
        return 0
    try:
        return read_positive(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a whole number from 1, nor 0 for no limit") from None


def read_seconds(value: str) -> int:
    """A number of seconds, from 0. Raises ValueError for anything else."""
    seconds = _whole(value)
    if seconds < 0:
        raise ValueError(f"{value!r} is less than 0 seconds")
    return seconds


def _whole(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a whole number") from None


def _switch(value: str) -> bool:
    word = value.lower()
    if word not in TRUE_WORDS + FALSE_WORDS:
        raise ValueError(f"{value!r} is neither on nor off")
    return word in TRUE_WORDS
