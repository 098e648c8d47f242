"""Listers: reading an informer's store by name, namespace and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from informerd.errors import NotFound, Status, StatusDetails
from informerd.index import NAMESPACE
from informerd.objects import Object
from informerd.resource import Resource
from informerd.store import Store

T = TypeVar("T", bound=Object)


class Lister(Generic[T]):
    """Answers from the store, without a call to the API server: as fresh as the informer's health says.

    The objects are shared; do not change what hangs below them.
    """

    def __init__(self, resource: Resource, store: Store[T]) -> None:
        self._resource = resource
        self._store = store

    def get(self, name: str, namespace: str = "") -> T:
        """The object of that name. Raises NotFound, as the API server would."""
        obj = self._store.get(f"{namespace}/{name}" if namespace else name)
        if obj is None:
            raise NotFound(
                Status(
                    code=404,
                    reason="NotFound",
                    message=f'{self._resource.key} "{name}" not found',
                    details=StatusDetails(name=name, group=self._resource.group, kind=self._resource.plural),
                )
            )
        return obj

    def list(self, namespace: str = "", *, where: Callable[[T], bool] | None = None) -> list[T]:
        """The objects of a namespace (all of them without one) for which `where` holds, in no particular order."""
        found: Iterable[T] = self._store.by_index(NAMESPACE, namespace) if namespace else self._store
        return [obj for obj in found if where is None or where(obj)]
