"""Adoption and release of objects by a controller's selector.

Source: kubernetes' pkg/controller/controller_ref_manager.go (BaseControllerRefManager.ClaimObject).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from informerd.clock import Clock
from informerd.controller_util.change_object import change_object
from informerd.controller_util.manifest_and_identity import Verbs, check_same, head_of, manifest_of
from informerd.controller_util.owner_references import (
    controller_of,
    is_controlled_by,
    owner_reference,
    remove_owner_reference,
    set_controller_reference,
)
from informerd.errors import BeingDeleted, NotFound, ObjectReplaced
from informerd.selectors.label_selector import LabelSelector, as_label_selector
from informerd.unstructured import Json, metadata_of

T = TypeVar("T")


async def adopt(verbs: Verbs[T], obj: T, owner: object, owners: Verbs[Any], *, clock: Clock | None = None) -> T:
    """Make `owner` the controller of an orphan object; returns the object after the write.

    `owners` reads the owner first: one from a cache may have been deleted, and its adopted objects would be collected
    immediately. Raises ObjectReplaced, BeingDeleted or NotFound where it was (or the object), AlreadyOwned where
    another owner was faster.
    """
    await check_owner(owner, owners)
    return await _adopt(verbs, obj, owner, clock)


async def release(verbs: Verbs[T], obj: T, owner: object, *, clock: Clock | None = None) -> T | None:
    """Remove `owner` from the object's owners; other owners stay. None where the object was gone already."""
    try:
        return await change_object(verbs, obj, lambda manifest: remove_owner_reference(owner, manifest), clock=clock)
    except (NotFound, ObjectReplaced):
        return None


async def check_owner(owner: object, owners: Verbs[Any]) -> None:
    """Read the owner afresh. Raises NotFound, ObjectReplaced or BeingDeleted where it may take in nothing more."""
    head = head_of(owner)
    owner_reference(owner)  # refuses one without uid, which could be anybody
    fresh = head_of(await owners.in_namespace(head.namespace).get(head.name))
    check_same(head, fresh)
    if fresh.deletion_timestamp:
        raise BeingDeleted(str(head), "it cannot adopt more objects")


class ControllerRefManager(Generic[T]):
    """Objects of one kind that one owner has. Make one for each reconcile."""

    def __init__(
        self,
        verbs: Verbs[T],
        owner: object,
        owners: Verbs[Any],
        selector: LabelSelector | str,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._verbs = verbs
        self._owner = owner
        self._owners = owners
        self._selector = as_label_selector(selector)
        self._clock = clock
        self._checked = False

    async def claim(self, objects: Iterable[T]) -> list[T]:
        """The owner's objects: its own ones that the selector matches, and matching orphans, which are adopted.

        Its own objects that the selector does not match are released, unless the owner is being deleted: then the
        garbage collector handles them. Objects of other controllers are left alone. Raises what `adopt` raises for the
        owner; an object that is gone by then is left out.
        """
        return [claimed for obj in objects if (claimed := await self._claim(obj)) is not None]

    async def _claim(self, obj: T) -> T | None:
        manifest = manifest_of(obj)
        fits = self._selector.matches(metadata_of(manifest).get("labels") or {})
        deleting = bool(head_of(self._owner).deletion_timestamp)
        if controller_of(manifest) is not None:
            if not is_controlled_by(manifest, self._owner):
                return None
            if fits:
                return obj
            if not deleting:
                await release(self._verbs, obj, self._owner, clock=self._clock)
            return None
        if not fits or deleting or head_of(manifest).deletion_timestamp or not self._is_near(manifest):
            return None
        return await self._take_in(obj)

    async def _take_in(self, obj: T) -> T | None:
        if not self._checked:  # once is enough: what it takes in meanwhile is collected with it
            await check_owner(self._owner, self._owners)
            self._checked = True
        try:
            return await _adopt(self._verbs, obj, self._owner, self._clock)
        except (NotFound, ObjectReplaced):
            return None

    def _is_near(self, manifest: Json) -> bool:
        """Owners are in the same namespace, or in none."""
        return head_of(self._owner).namespace in {"", head_of(manifest).namespace}


async def _adopt(verbs: Verbs[T], obj: T, owner: object, clock: Clock | None) -> T:
    def take(manifest: Json) -> None:
        if manifest["metadata"].get("deletionTimestamp"):
            raise BeingDeleted(str(head_of(manifest)), "it cannot be adopted")
        set_controller_reference(owner, manifest)

    return await change_object(verbs, obj, take, clock=clock)
