"""Errors of the write helpers, raised before anything was sent, where a write would be wrong."""

from __future__ import annotations

from informerd.errors.base import InformerdError


class AlreadyOwned(InformerdError):
    """Another controller owns the object; `owner` says which, `uid` is its uid. There can be one only."""

    def __init__(self, obj: str, owner: str, uid: str) -> None:
        super().__init__(f"{obj} is controlled by {owner} (uid {uid}) already")
        self.owner = owner
        self.uid = uid


class ObjectReplaced(InformerdError):
    """The object was deleted, and another one has its name now: a write to the first must not reach the second."""

    def __init__(self, obj: str, uid: str, other: str) -> None:
        super().__init__(f"{obj} was deleted and created again: its uid was {uid} and is {other}")
        self.uid = uid
        self.other = other


class BeingDeleted(InformerdError):
    """The object is being deleted and takes no new finalizer, or may own nothing more."""

    def __init__(self, obj: str, what: str) -> None:
        super().__init__(f"{obj} is being deleted: {what}")
