"""Adoption of objects that an owner selects, and release of those that it selects no longer.

Source: kube-controller-manager's controller_ref_manager.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from devcluster.workload import object_builders as object_makers
from devcluster.workload.cluster_client import ORPHANS_INDEX, KindClient
from informerd.cache.index import NAMESPACE
from informerd.controller.request import Request
from informerd.objects import Object
from informerd.selectors.label_selector import LabelSelector

OwnerT = TypeVar("OwnerT", bound=Object)
"""An owner with a selector: Deployments, ReplicaSets and Jobs."""
T = TypeVar("T", bound=Object)


class Adoption(Generic[OwnerT, T]):
    """Adoption of objects of one kind by owners of another. `is_claimable` says which objects an owner still counts."""

    def __init__(
        self, owners: KindClient[OwnerT], objects: KindClient[T], is_claimable: Callable[[T], bool] = lambda _: True
    ) -> None:
        self._owners = owners
        self._objects = objects
        self._is_claimable = is_claimable
        self._selectors: dict[str, LabelSelector] = {}
        """By the owner's uid: a selector never changes."""

    def owners_of_orphan(self, obj: T) -> Iterable[Request]:
        """The owners that select an object which nobody controls."""
        meta = obj.metadata
        if any(each.controller for each in meta.owner_references) or not self._minds(obj):
            return ()
        there = self._owners.by_index(NAMESPACE, meta.namespace)
        return [Request.of(owner) for owner in there if self._selector(owner).matches(meta.labels)]

    async def adopt_and_release(self, owner: OwnerT) -> None:
        """Release objects that it owns and does not select; adopt those that it selects and nobody controls."""
        selector, meta = self._selector(owner), owner.metadata
        for obj in self._objects.owned_by(meta.uid):
            if not selector.matches(obj.metadata.labels) and self._minds(obj):
                await self._objects.merge(obj, {"ownerReferences": [{"$patch": "delete", "uid": meta.uid}]})
        for obj in self._objects.informer.store.by_index(ORPHANS_INDEX, meta.namespace):
            if selector.matches(obj.metadata.labels) and self._minds(obj):
                await self._objects.merge(obj, {"ownerReferences": [object_makers.controller_reference(owner)]})

    def forget(self, owner: OwnerT) -> None:
        """Drop the records of a deleted object."""
        self._selectors.pop(owner.metadata.uid, None)

    def _minds(self, obj: T) -> bool:
        return obj.metadata.deletion_timestamp is None and self._is_claimable(obj)

    def _selector(self, owner: Any) -> LabelSelector:
        uid = owner.metadata.uid
        selector = self._selectors.get(uid)
        if selector is None:
            selector = self._selectors[uid] = LabelSelector.from_manifest(owner.spec.selector)
        return selector
