"""Shared objects of one process, found by typed keys.

They travel in the ASGI scope, so nothing is global. A package declares its key beside the class it names (``HUB:
Key[Hub] = Key("hub")``), and `dashboard.server.wiring.web` fills them. The idea is aiohttp's ``web.AppKey``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

from django.http import HttpRequest

from informerd.clock import Clock

T = TypeVar("T")

SCOPE_KEY = "deltaboard"
"""Key of the ASGI scope for the state."""


class Key(Generic[T]):
    """Names one object of the state, and its type. Two keys are never equal, whatever they are called."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<Key {self.name}>"


CLOCK: Key[Clock] = Key("clock")


class AppState:
    """The shared objects of a process, by key."""

    def __init__(self, objects: Mapping[Key[Any], object]) -> None:
        self._objects = dict(objects)

    def __getitem__(self, key: Key[T]) -> T:
        """The object of this key. Raises LookupError where the process has none."""
        try:
            return cast("T", self._objects[key])
        except KeyError:
            raise LookupError(
                f"this process has no {key.name}; dashboard.server.wiring.web has to add it to the state"
            ) from None

    def with_object(self, key: Key[T], value: T) -> AppState:
        """The same state with another object of this key."""
        return AppState({**self._objects, key: value})


def state_of(carrier: HttpRequest | Mapping[str, Any]) -> AppState:
    """The state that belongs to a request or an ASGI scope.

    Raises LookupError where the application was not wired, as in a test that calls a view with a bare request.
    """
    scope = scope_of(carrier)
    try:
        return cast("AppState", scope[SCOPE_KEY])
    except KeyError:
        raise LookupError("this scope has no state; dashboard.server.wiring.web has to add it") from None


def scope_of(carrier: HttpRequest | Mapping[str, Any]) -> Mapping[str, Any]:
    """The ASGI scope of a request; a scope is returned as it is."""
    if isinstance(carrier, HttpRequest):
        return cast("Mapping[str, Any]", getattr(carrier, "scope", {}))
    return carrier
