"""Finalizers, which hold back a deletion until the cleanup is done (controller-runtime's controllerutil/finalizer)."""

from __future__ import annotations

from typing import TypeVar

from informerd.clock import Clock
from informerd.controller_util.change_object import change_object
from informerd.controller_util.manifest_and_identity import Verbs, head_of
from informerd.errors import BeingDeleted, NotFound, ObjectReplaced
from informerd.unstructured import Json

T = TypeVar("T")


def has_finalizer(obj: object, finalizer: str) -> bool:
    """Whether the object has this finalizer."""
    return finalizer in head_of(obj).finalizers


async def add_finalizer(verbs: Verbs[T], obj: T, finalizer: str, *, clock: Clock | None = None) -> T:
    """Add `finalizer` (``example.org/name``), for which a deletion waits; returns the object as stored.

    Nothing is sent where the object has it. Raises BeingDeleted where the object is being deleted and has it not, and
    what `change_object` raises: NotFound and ObjectReplaced where it is gone.
    """

    def add(manifest: Json) -> None:
        finalizers = manifest["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            return
        if manifest["metadata"].get("deletionTimestamp"):
            raise BeingDeleted(str(head_of(manifest)), f"the finalizer {finalizer} can no longer be added")
        manifest["metadata"]["finalizers"] = [*finalizers, finalizer]

    return await change_object(verbs, obj, add, clock=clock)


async def remove_finalizer(verbs: Verbs[T], obj: T, finalizer: str, *, clock: Clock | None = None) -> T | None:
    """Remove `finalizer`; returns the object as stored, or None where it was gone already.

    Other finalizers stay, also those that were added since. The object may be gone by the time that this returns.
    """

    def remove(manifest: Json) -> None:
        finalizers = manifest["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            manifest["metadata"]["finalizers"] = [each for each in finalizers if each != finalizer]

    try:
        return await change_object(verbs, obj, remove, clock=clock)
    except (NotFound, ObjectReplaced):
        return None
