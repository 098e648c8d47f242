"""Decoder of one object's JSON to its projection: transform, decode, check the kind, store a compressed copy."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any, Generic, TypeVar, cast

import msgspec

from informerd.clock import Clock, SystemClock
from informerd.decoding.compressor import Compressor
from informerd.decoding.decode_error_counts import DecodeErrors
from informerd.decoding.json_members import json_members
from informerd.decoding.null_removal import without_nulls
from informerd.decoding.projection_validation import check_projection
from informerd.decoding.requested_object_form import ObjectForm, whole_object_form
from informerd.errors import UNREADABLE, ProjectionMismatch, UnexpectedObject, Unreadable, UnreadableObject
from informerd.objects import Object, ObjectMeta, OwnerReference
from informerd.resource import Resource

T = TypeVar("T", bound=Object)

Transform = Callable[[bytes], bytes]
"""Whole-object JSON in and out, before anything is decoded or stored. Applying it twice must do no harm."""
Reduce = Callable[[Any], Object]
"""What a store keeps of a decoded object: one with the same metadata and blob. client-go's SetTransform."""

MAX_OWNERS = 10_000
"""Owners whose references are remembered, to be shared, before all are forgotten."""

_set = msgspec.structs.force_setattr


class _Type(msgspec.Struct, gc=False, rename="camel"):
    api_version: str | None = None
    kind: str | None = None


class _Head(msgspec.Struct, gc=False, rename="camel"):
    """Identity of any object, for those whose projection cannot be decoded."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()


class NotSelected(UnexpectedObject):
    """An object that `selects` does not select; `resource_version` is the object's."""

    def __init__(self, resource_version: str) -> None:
        super().__init__("it is not selected")
        self.resource_version = resource_version


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
        clock: Clock | None = None,
        selects: Callable[[ObjectMeta], bool] | None = None,
        reduce: Reduce | None = None,
    ) -> None:
        """`selects` says by its metadata whether an object is wanted; `reduce` makes of it what `decode` gives."""
        check_projection(projection)
        form = form or whole_object_form(resource)
        self._clock = clock or SystemClock()
        self._selects = selects
        self._reduce = reduce
        self.resource = resource
        self.errors = faults or DecodeErrors(resource.key)
        """Listener for projections that do not fit; the caller of the decoder reports what it raises."""
        self._projection = projection
        self._transform = transform
        self._api_version = form.api_version
        self._kind = form.kind
        self._decode = msgspec.json.Decoder(projection).decode
        self._type = msgspec.inspect.type_info(projection)
        self._keeps_raw = "RawType" in repr(self._type)
        """Whether a field is msgspec.Raw, which would hold on to the whole chunk that an object came in."""
        self._head = msgspec.json.Decoder(_Head).decode
        self._pack = Compressor().compress
        self._owners: dict[str, tuple[tuple[OwnerReference, ...], dict[str, str] | None]] = {}
        """References and labels by the first owner's uid: what one owner owns shares both, which are more than half of
        a small object.
        """
        self._type_members = b'"kind":%b,"apiVersion":%b' % (
            msgspec.json.encode(self._kind),
            msgspec.json.encode(self._api_version),
        )

    def decode(self, raw: bytes | memoryview) -> T:
        """The projection with its blob set.

        Raises UnexpectedObject for another kind of object or one without identity, NotSelected for one that is not
        selected, UnreadableObject for one whose metadata are none, TransformFailed, and UNREADABLE for what cannot be
        decoded (`unreadable` says of which object that is). Where the projection does not fit, its fields keep their
        defaults: the object is there, and the log says what does not fit. A null is as good as absent.
        """
        if self._transform is None:
            return self._decoded(bytes(raw) if self._keeps_raw else raw)
        given = bytes(raw)
        try:
            return self._decoded(self._transform(given))
        except (UnexpectedObject, TransformFailed):
            raise
        except Exception as error:  # what it gives may be no JSON, or no bytes at all
            _whole(given)
            obj = self.identity(given)
            raise TransformFailed(self.resource.key, obj.key, obj.metadata.resource_version) from error

    def _decoded(self, raw: bytes | memoryview) -> T:
        try:
            obj = self._decode(raw)
        except msgspec.ValidationError as error:
            obj = self._lenient(raw, error)
        if obj.kind != self._kind or obj.api_version != self._api_version:
            self.check_kind(obj.api_version, obj.kind)
        return self._finish(obj, raw)

    def _finish(self, obj: T, raw: bytes | memoryview) -> T:
        meta = obj.metadata
        if not meta.name:
            raise UnexpectedObject(f"one of {self.resource.key} has no name")
        if self._selects is not None and not self._selects(meta):
            raise NotSelected(meta.resource_version)
        _set(obj, "blob", self._pack(raw))
        _set(obj, "kind", self._kind)  # one string for all of them
        _set(obj, "api_version", self._api_version)
        _set(meta, "namespace", intern(meta.namespace))
        if owners := meta.owner_references:
            known = self._owners.get(owners[0].uid)
            if known is None or known[0] != owners:
                self._remember(owners, meta.label_map)
            else:
                _set(meta, "owner_references", known[0])
                if meta.label_map == known[1]:
                    _set(meta, "label_map", known[1])
        return obj if self._reduce is None else self._reduced(obj, self._reduce)

    def _reduced(self, obj: T, reduce: Reduce) -> T:
        try:
            return cast("T", reduce(obj))
        except Exception as error:
            raise TransformFailed(self.resource.key, obj.key, obj.metadata.resource_version) from error

    def identity(self, raw: bytes | memoryview) -> T:
        """The projection with nothing but name, namespace, uid and version: nothing that a transform is to hide.

        Of an object that cannot be decoded, too. Raises UnexpectedObject for another kind or where it has no name,
        NotSelected, and ValueError for what is no JSON object.
        """
        head = json_members(raw, b"apiVersion", b"kind", b"metadata")
        if b"apiVersion" in head or b"kind" in head:  # items of lists may have neither
            self.check_kind(_text(head, b"apiVersion"), _text(head, b"kind"))
        names = (b"name", b"namespace", b"uid", b"resourceVersion")
        meta = json_members(head.get(b"metadata", b"{}"), *names)
        name, namespace, uid, version = (_text(meta, each) for each in names)
        if not name or (not namespace and meta.get(b"namespace", b"null") not in (b"null", b'""')):
            raise UnexpectedObject(f"one of {self.resource.key} has no name")
        known = ObjectMeta(name=name, namespace=intern(namespace), uid=uid, resource_version=version)
        if self._selects is not None and not self._selects(known):
            raise NotSelected(version)
        try:
            return self._projection(api_version=self._api_version, kind=self._kind, metadata=known)
        except TypeError as error:
            raise UnexpectedObject(f"{self._projection.__name__} does not fit an object: {error}") from error

    def unreadable(self, raw: bytes | memoryview, error: Exception) -> tuple[T, UnreadableObject]:
        """The identity of an object that `decode` could not decode because of `error`, and what to say of it.

        Raises as `identity` does.
        """
        obj = self.identity(raw)
        meta = obj.metadata
        problem = error.problem if isinstance(error, UnreadableObject) else _problem(error)
        record = Unreadable(obj.key, meta.resource_version, problem, self._clock.time(), meta.uid)
        return obj, UnreadableObject(self.resource.key, record)

    def check_kind(self, api_version: str, kind: str) -> None:
        """Raises UnexpectedObject for another kind than the resource's, such as a Table."""
        if kind != self._kind or api_version != self._api_version:
            got = f"{api_version or '(no apiVersion)'} {kind or '(no kind)'}"
            raise UnexpectedObject(f"expected {self._api_version} {self._kind}, got {got}")

    def decode_item(self, item: memoryview) -> T:
        """A list's item: kind and apiVersion are added, which the API server leaves out of the items of built-in kinds.

        Raises what `decode` raises; of an item that is cut off always one of UNREADABLE.
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
            head = _type(item)
        except msgspec.ValidationError as error:
            raise UnexpectedObject(f"{self._projection.__name__} does not fit an object: {error}") from error
        return item if head.kind or head.api_version else self._with_type(item)

    def _with_type(self, item: memoryview) -> bytes:
        body = bytes(item)
        comma = b"" if body[1:].lstrip().startswith(b"}") else b","
        return b"{" + self._type_members + comma + body[1:]

    def _remember(self, owners: tuple[OwnerReference, ...], labels: dict[str, str] | None) -> None:
        if len(self._owners) >= MAX_OWNERS:
            self._owners.clear()
        self._owners[owners[0].uid] = owners, labels

    def _lenient(self, raw: bytes | memoryview, error: msgspec.ValidationError) -> T:
        """The projection of an object that does not fit it as it is: without its nulls, or else with its head only."""
        if b"null" in bytes(raw):
            raw = msgspec.json.encode(without_nulls(msgspec.json.decode(raw), self._type))
            try:
                return self._decode(raw)
            except msgspec.ValidationError as left:
                error = left
        return self._bare(raw, error)

    def _bare(self, raw: bytes | memoryview, error: msgspec.ValidationError) -> T:
        """The projection with nothing but its head, for objects that do not fit it otherwise."""
        try:
            head = self._head(raw)
            self.check_kind(head.api_version, head.kind)
            obj = self._projection(api_version=head.api_version, kind=head.kind, metadata=head.metadata)
        except (msgspec.ValidationError, TypeError) as problem:
            raise self.unreadable(raw, problem)[1] from error
        self.errors.add_unfit(ProjectionMismatch(self._projection.__name__, self.resource.key, obj.key, str(error)))
        return obj


_type = msgspec.json.Decoder(_Type).decode


def _whole(raw: bytes | memoryview) -> None:
    """Raises one of UNREADABLE where the text is cut off, which decoding into a type may notice too late, or where no
    type would help."""
    msgspec.json.decode(raw, type=msgspec.Raw)


def _text(members: dict[bytes, bytes], name: bytes) -> str:
    """A member, empty where it is no text."""
    try:
        return msgspec.json.decode(members.get(name, b'""'), type=str)
    except UNREADABLE:
        return ""


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, msgspec.ValidationError | TypeError):
        return f"its metadata do not fit: {error}"
    return f"its JSON is broken: {error}"
