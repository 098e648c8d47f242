"""Finalizers, which hold back a deletion until the cleanup is done (controller-runtime's controllerutil/finalizer)."""

from __future__ import annotations

from typing import TypeVar

from informerd.clock import Clock
from informerd.controller_util.manifest import Verbs, head_of
from informerd.controller_util.patch import change_object
from informerd.errors import BeingDeleted, NotFound, ObjectReplaced
from informerd.rest.request import Json

T = TypeVar("T")


def has_finalizer(obj: object, finalizer: str) -> bool:
    """Whether the object has this finalizer."""
    return finalizer in head_of(obj).finalizers


async def add_finalizer(verbs: Verbs[T], obj: T, finalizer: str, *, clock: Clock | None = None) -> T:
    """Have the object wait for `finalizer` (``example.org/name``) before it goes; it comes back as it is then.

    Nothing is sent where it does already. Raises BeingDeleted for one on its way out, which takes none any more, and
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
    """Remove `finalizer` from the object; None where the object was gone already.

    Others' finalizers stay, also those that were added since. It may be gone by the time that it comes back.
    """

    def remove(manifest: Json) -> None:
        finalizers = manifest["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            manifest["metadata"]["finalizers"] = [each for each in finalizers if each != finalizer]

    try:
        return await change_object(verbs, obj, remove, clock=clock)
    except (NotFound, ObjectReplaced):
        return None
