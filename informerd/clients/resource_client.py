"""Verbs of one resource, with objects in the form that the caller chose: dicts, projections or official models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import msgspec

from informerd.clients.resource_reader import ResourceReader, selectors
from informerd.clients.subresource_client import SubresourceClient, WriteOptions
from informerd.errors import InvalidCall, MalformedAnswer
from informerd.resource import Resource
from informerd.resource_version import is_precondition
from informerd.rest.request import PatchType
from informerd.rest.response import Response
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from informerd.unstructured import Json, metadata_of

T = TypeVar("T")


class DeleteOptions(TypedDict, total=False):
    """Options of a deletion."""

    propagation_policy: Literal["Background", "Foreground", "Orphan"]
    """Treatment of dependents: deleted afterwards, before, or left alone. The default is the resource's own."""
    grace_period: int
    """Seconds until it is ended by force; 0 is at once."""
    dry_run: bool


class _Head(msgspec.Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    details: Any = None
    """Of a Status: the object that it is about; of a custom resource any value."""

    @property
    def is_status(self) -> bool:
        """Whether it is a metav1.Status; a custom resource may have that kind's name."""
        return self.kind == "Status" and self.api_version in {"", "v1"}

    @property
    def uid(self) -> str:
        """The uid that a Status names, if it does."""
        uid = self.details.get("uid") if isinstance(self.details, dict) else None
        return uid if isinstance(uid, str) else ""


class ResourceClient(ResourceReader[T]):
    """The verbs of one resource, in one namespace or in all.

    Every one raises the errors of `informerd.errors` and no others: an ApiError where the server refused (Conflict,
    NotFound, Invalid…), Unreachable where it gave no answer, InvalidCall and MalformedSelector where nothing was sent,
    UnknownResource where discovery does not know the name, MalformedAnswer and UnexpectedObject where what came is not
    what was asked for. The API server's warnings go to `on_warning`, if there is one, and to the client's own.
    """

    def in_namespace(self, namespace: str) -> ResourceClient[T]:
        """The same verbs in that namespace; "" is all of them, or none for what is cluster-scoped."""
        if namespace == self.namespace:
            return self
        return ResourceClient(self._client, self._requested, self._make_codec, namespace, on_warning=self._on_warning)

    async def create(self, obj: T | Json, **options: Unpack[WriteOptions]) -> T:
        """POST a new object. Raises AlreadyExists and Invalid."""
        body = await self._body(obj)
        place = self.namespace or metadata_of(body).get("namespace", "")
        return await self._write(lambda r: self._client.create(r, _typed(body, r), place, **options), options, place)

    async def update(self, obj: T | Json, *, overwrite: bool = False, **options: Unpack[WriteOptions]) -> T:
        """PUT an object as it was read and then changed. Raises Conflict where somebody else has changed it since.

        `obj` must carry the resource version that it was read with (InvalidCall); `overwrite` omits that check and
        replaces any present version. Fields that a dict leaves out are deleted; so are fields that an official model
        does not know.
        """
        return await self._put(obj, "", options, overwrite=overwrite)

    async def update_status(self, obj: T | Json, *, overwrite: bool = False, **options: Unpack[WriteOptions]) -> T:
        """PUT the status of `obj`; its other fields are ignored. Raises as `update` does."""
        return await self._put(obj, "status", options, overwrite=overwrite)

    async def patch(
        self,
        name: str,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        subresource: Literal["", "status"] = "",
        **options: Unpack[WriteOptions],
    ) -> T:
        """PATCH an object: ``merge`` (RFC 7396), ``json`` (RFC 6902), or ``strategic`` for built-in kinds.

        A patch that names metadata.resourceVersion or uid (a ``test`` in a JSON patch) raises Conflict (Invalid) where
        they have passed; one that does not is laid over whatever is there.
        """
        if patch_type == "apply":
            raise InvalidCall("use apply() for server-side apply")
        place = self.namespace
        return await self._write(
            lambda r: self._client.patch(r, name, place, patch, patch_type, subresource=subresource, **options),
            options,
            place,
        )

    async def apply(
        self,
        obj: T | Json,
        *,
        force: bool = False,
        subresource: Literal["", "status"] = "",
        **options: Unpack[WriteOptions],
    ) -> T:
        """Server-side apply: set the fields of `obj`, and remove those that this manager set before and `obj` lacks.

        Creates the object where there is none. Raises Conflict, whose causes name fields and owners, where another
        manager has set one otherwise; `force` takes it over.
        """
        body = await self._body(obj)
        meta = metadata_of(body)
        place = self.namespace or meta.get("namespace", "")
        name = meta.get("name", "")
        return await self._write(
            lambda r: self._client.patch(
                r, name, place, _typed(body, r), "apply", subresource=subresource, force=force, **options
            ),
            options,
            place,
        )

    async def scale(self, name: str, replicas: int, **options: Unpack[WriteOptions]) -> int:
        """PATCH the object's scale subresource. Returns the desired number of replicas as stored."""
        scaled = await self.subresource("scale").patch(name, {"spec": {"replicas": replicas}}, **options)
        try:
            return int(scaled["spec"].get("replicas", 0))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedAnswer(f"the scale of {name} has no number of replicas") from error

    async def delete(
        self,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        **options: Unpack[DeleteOptions],
    ) -> T | None:
        """DELETE an object; with `uid` or `resource_version` only that very one, else Conflict.

        Raises InvalidCall for an empty one, which would be no precondition.

        The object where it is still there, waiting for its finalizers or its grace period; None where it is gone.
        """
        resource, codec = await self._ready(self.namespace, needs_namespace=True)
        answer = await self._warned(
            self._client.delete(resource, name, self.namespace, uid=uid, resource_version=resource_version, **options)
        )
        head: _Head = answer.decode(_Head)
        left = None if head.is_status else codec.decode(answer.body)
        if options.get("dry_run", False):
            return left
        if left is not None:
            return await self._stored(left)
        await self._deleted(name, head.uid or uid)
        return None

    async def delete_collection(
        self,
        *,
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        everything: bool = False,
        **options: Unpack[DeleteOptions],
    ) -> None:
        """DELETE the objects that the selectors match, one by one: some may be deleted already where an error is
        raised.

        Without any selector that is every object, which needs `everything`, so that an accidentally empty selector
        deletes nothing.
        """
        query = selectors({"label_selector": label_selector, "field_selector": field_selector})
        if not (everything or any(query.values())):
            raise InvalidCall("a selector is needed to delete a collection, or everything=True to delete all of it")
        resource, _ = await self._ready(self.namespace, needs_namespace=True)
        labels, fields = query["labelSelector"], query["fieldSelector"]
        await self._warned(
            self._client.delete_collection(
                resource, self.namespace, label_selector=labels, field_selector=fields, **options
            )
        )

    def subresource(self, name: str) -> SubresourceClient:
        """Another subresource than status, such as ``scale`` or ``eviction``; its objects are plain dicts."""
        return SubresourceClient(self._client, self._call, self.namespace, name)

    async def _put(self, obj: T | Json, subresource: str, options: WriteOptions, *, overwrite: bool) -> T:
        body = await self._body(obj)
        meta = metadata_of(body)
        if not overwrite and not is_precondition(meta.get("resourceVersion")):
            problem = "an update without resourceVersion would overwrite the changes of others"
            raise InvalidCall(f"{problem}: read the object first, or pass overwrite=True")
        place = self.namespace or meta.get("namespace", "")
        return await self._write(
            lambda r: self._client.update(r, _typed(body, r), place, subresource=subresource, **options), options, place
        )

    async def _write(self, call: Callable[[Resource], Awaitable[Response]], options: WriteOptions, place: str) -> T:
        """The object that a write answers; `place` is its namespace."""
        written = await self._object(call, place)
        return written if options.get("dry_run", False) else await self._stored(written)

    async def _stored(self, obj: T) -> T:
        """Called with what a write stored, before the verb returns it."""
        return obj

    async def _deleted(self, name: str, uid: str | None) -> None:
        """Called when an object is gone, before the verb returns; with its uid, if that is known."""

    async def _body(self, obj: T | Json) -> Json:
        """The body to send for `obj`. Raises InvalidCall."""
        if isinstance(obj, dict):
            return obj
        requested = self._requested
        resource = requested if isinstance(requested, Resource) else await requested()
        return self._make_codec(resource).encode(obj)


def _typed(body: Json, resource: Resource) -> Json:
    """With kind and apiVersion, which custom resources and server-side applies must say."""
    return {"apiVersion": resource.api_version, "kind": resource.kind, **body}
