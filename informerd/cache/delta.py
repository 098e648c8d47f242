"""Deltas: changes and lists from the API server, on their way to the store."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.errors import Unreadable
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class Added(msgspec.Struct, Generic[T], gc=False):
    """The API server says that it is new."""

    key: str
    object: T


class Updated(msgspec.Struct, Generic[T], gc=False):
    """The API server says that it changed."""

    key: str
    object: T


class Deleted(msgspec.Struct, Generic[T], gc=False):
    """The object was deleted; `object` is its last state, or where that is unknown its identity and version."""

    key: str
    object: T
    final_state_unknown: bool = False


class BecameUnreadable(msgspec.Struct, Generic[T], gc=False):
    """The object exists in a state that nobody can read; `object` is its identity and version."""

    key: str
    object: T
    unreadable: Unreadable


class ReplacedAll(msgspec.Struct, Generic[T]):
    """A list: these objects by key and no others exist at `resource_version`."""

    objects: dict[str, T]
    resource_version: str
    unusable: frozenset[str] = frozenset()
    """Keys of objects that exist too and could not be transformed: what the store has of them stays."""
    unreadable: dict[str, Unreadable] = {}
    """By key the objects that exist too and cannot be read: the store has them no longer."""


class SyncAll(msgspec.Struct):
    """Time for a resync: an update for each object in the store, without a call to the API server."""


class Bookmark(msgspec.Struct):
    """Everything up to `resource_version` has come."""

    resource_version: str
    ends_initial: bool = False
    """Whether it ends a streaming list (KEP-3157)."""


Change: TypeAlias = Added[T] | Updated[T] | Deleted[T] | BecameUnreadable[T]
Delta: TypeAlias = Change[T] | ReplacedAll[T] | SyncAll | Bookmark
