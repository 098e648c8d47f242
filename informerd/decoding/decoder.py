"""Decoder of one object's JSON to its projection: transform, decode, check the kind, store a compressed copy."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Generic, TypeVar

import msgspec

from informerd.decoding.compressor import Compressor
from informerd.decoding.decode_error_counts import DecodeErrors
from informerd.decoding.object_form import ObjectForm, whole_object_form
from informerd.decoding.projection_check import check_projection
from informerd.errors import ProjectionMismatch, UnexpectedObject
from informerd.objects import Object, ObjectMeta, OwnerReference
from informerd.resource import Resource

T = TypeVar("T", bound=Object)

Transform = Callable[[bytes], bytes]
"""Whole-object JSON in and out, before anything is decoded or stored. Applying it twice must do no harm."""

MAX_OWNERS = 10_000
"""Owners whose references are remembered, to be shared, before all are forgotten."""

_set = msgspec.structs.force_setattr


class _Head(msgspec.Struct, gc=False, rename="camel"):
    """Identity of any object, for those whose projection cannot be decoded."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()


class TransformFailed(Exception):
    """The transform raised, or what it gave is no object; `key` and `resource_version` are the object's."""

    def __init__(self, resource: str, key: str, resource_version: str) -> None:
        super().__init__(f"the transform failed on {resource} {key}")
        self.key = key
        self.resource_version = resource_version


class Decoder(Generic[T]):
    """Makes projections of type `projection` of one resource's objects, which come in that form, by default whole.

    Raises UnusableProjection for a class that is none.
    """

    def __init__(
        self,
        resource: Resource,
        projection: type[T],
        transform: Transform | None = None,
        faults: DecodeErrors | None = None,
        *,
        form: ObjectForm | None = None,
    ) -> None:
        check_projection(projection)
        form = form or whole_object_form(resource)
        self.resource = resource
        self.errors = faults or DecodeErrors(resource.key)
        """Listener for projections that do not fit; the caller of the decoder reports what it raises."""
        self._projection = projection
        self._transform = transform
        self._api_version = form.api_version
        self._kind = form.kind
        self._decode = msgspec.json.Decoder(projection).decode
        self._keeps_raw = "RawType" in repr(msgspec.inspect.type_info(projection))
        """Whether a field is msgspec.Raw, which would hold on to the whole chunk that an object came in."""
        self._head = msgspec.json.Decoder(_Head).decode
        self._pack = Compressor().compress
        self._owners: dict[str, tuple[OwnerReference, ...]] = {}
        """By the first one's uid: what one owner owns shares its references, which are a fifth of a small object."""
        self._type_members = b'"kind":%b,"apiVersion":%b' % (
            msgspec.json.encode(self._kind),
            msgspec.json.encode(self._api_version),
        )

    def decode(self, raw: bytes | memoryview) -> T:
        """The projection with its blob set.

        Raises UnexpectedObject for another kind of object or one without identity, TransformFailed, and
        msgspec.DecodeError for what is no JSON. Where the projection does not fit, its fields keep their defaults: the
        object is there, and the log says what does not fit.
        """
        if self._transform is None:
            return self._decoded(bytes(raw) if self._keeps_raw else raw)
        given = bytes(raw)
        try:
            return self._decoded(self._transform(given))
        except UnexpectedObject:
            raise
        except Exception as error:  # what it gives may be no JSON, or no bytes at all
            obj = Object(metadata=self._head(given).metadata)
            raise TransformFailed(self.resource.key, obj.key, obj.metadata.resource_version) from error

    def _decoded(self, raw: bytes | memoryview) -> T:
        try:
            obj = self._decode(raw)
        except msgspec.ValidationError as error:
            obj = self._bare(raw, error)
        if obj.kind != self._kind or obj.api_version != self._api_version:
            self.check_kind(obj.api_version, obj.kind)
        return self._finish(obj, raw)

    def _finish(self, obj: T, raw: bytes | memoryview) -> T:
        _set(obj, "blob", self._pack(raw))
        _set(obj, "kind", self._kind)  # one string for all of them
        _set(obj, "api_version", self._api_version)
        meta = obj.metadata
        if not meta.name:
            raise UnexpectedObject(f"one of {self.resource.key} has no name")
        _set(meta, "namespace", intern(meta.namespace))
        if owners := meta.owner_references:
            known = self._owners.get(owners[0].uid)
            if known == owners:
                _set(meta, "owner_references", known)
            else:
                self._remember(owners)
        return obj

    def identity(self, raw: bytes | memoryview) -> T:
        """The projection with nothing but name, namespace, uid and version: nothing that a transform is to hide.

        Raises UnexpectedObject and msgspec.DecodeError as `decode` does.
        """
        head = self._head(raw)
        self.check_kind(head.api_version, head.kind)
        meta = head.metadata
        known = ObjectMeta(
            name=meta.name, namespace=meta.namespace, uid=meta.uid, resource_version=meta.resource_version
        )
        try:
            return self._projection(api_version=head.api_version, kind=head.kind, metadata=known)
        except TypeError as error:
            raise UnexpectedObject(f"{self._projection.__name__} does not fit an object: {error}") from error

    def check_kind(self, api_version: str, kind: str) -> None:
        """Raises UnexpectedObject for another kind than the resource's, such as a Table."""
        if kind != self._kind or api_version != self._api_version:
            got = f"{api_version or '(no apiVersion)'} {kind or '(no kind)'}"
            raise UnexpectedObject(f"expected {self._api_version} {self._kind}, got {got}")

    def decode_item(self, item: memoryview) -> T:
        """A list's item: kind and apiVersion are added, which the API server leaves out of the items of built-in kinds.

        Raises what `decode` raises; of an item that is cut off always msgspec.DecodeError.
        """
        if self._transform is not None or self._keeps_raw:
            _whole(item)
            return self.decode(self._filled(item))
        try:
            obj = self._decode(item)
        except msgspec.ValidationError:
            _whole(item)
            return self.decode(self._filled(item))
        if not obj.kind and not obj.api_version:
            return self._finish(obj, self._with_type(item))
        self.check_kind(obj.api_version, obj.kind)
        return self._finish(obj, item)

    def _filled(self, item: memoryview) -> bytes | memoryview:
        try:
            head = self._head(item)
        except msgspec.ValidationError as error:
            raise UnexpectedObject(f"{self._projection.__name__} does not fit an object: {error}") from error
        return item if head.kind or head.api_version else self._with_type(item)

    def _with_type(self, item: memoryview) -> bytes:
        body = bytes(item)
        comma = b"" if body[1:].lstrip().startswith(b"}") else b","
        return b"{" + self._type_members + comma + body[1:]

    def _remember(self, owners: tuple[OwnerReference, ...]) -> None:
        if len(self._owners) >= MAX_OWNERS:
            self._owners.clear()
        self._owners[owners[0].uid] = owners

    def _bare(self, raw: bytes | memoryview, error: msgspec.ValidationError) -> T:
        """The projection with nothing but its head, for objects that do not fit it otherwise."""
        try:
            head = self._head(raw)
            obj = self._projection(api_version=head.api_version, kind=head.kind, metadata=head.metadata)
        except (msgspec.ValidationError, TypeError):
            raise UnexpectedObject(f"{self._projection.__name__} does not fit an object: {error}") from error
        self.errors.add_unfit(ProjectionMismatch(self._projection.__name__, self.resource.key, obj.key, str(error)))
        return obj


def _whole(raw: memoryview) -> None:
    """Raises msgspec.DecodeError where the text is cut off, which decoding into a type may notice too late."""
    msgspec.json.decode(raw, type=msgspec.Raw)
