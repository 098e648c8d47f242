"""Request to reconcile the object of a name, without a reason (controller-runtime's Request)."""

from __future__ import annotations

from typing import NamedTuple

from informerd.objects import Object


class Request(NamedTuple):
    """Namespace ("" for what is cluster-scoped) and name. Equal requests are one to the work queue."""

    namespace: str
    name: str

    @property
    def key(self) -> str:
        """``namespace/name``, or ``name`` for what is cluster-scoped: the key of the object in an informer's store."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return self.key

    @classmethod
    def of(cls, obj: Object) -> Request:
        """The request for an object."""
        return cls(obj.metadata.namespace, obj.metadata.name)

    @classmethod
    def from_key(cls, key: str) -> Request:
        """The request of a store's key."""
        namespace, _, name = key.rpartition("/")
        return cls(namespace, name)
