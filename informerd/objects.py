"""Base classes of projections: msgspec structs with the few fields of a kind that columns, filters and controllers
read.

A projection is an ordinary frozen struct that extends `Object`; msgspec skips every field that it does not name, so
decoding one costs a tenth of decoding the whole object. The whole object remains available: `full()` decodes the
compressed copy that the reflector stores with each projection. `managedFields` are in the copy, never in projections.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

import msgspec
import zstandard

from informerd.errors import UNREADABLE, MalformedAnswer
from informerd.zstd_dictionaries import Dictionary, decompress_plain


class Blob(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One whole object as JSON, compressed with zstandard. Equal to another with the same JSON, however packed.

    One that was damaged on its way, and cannot be unpacked any more, is equal to none that was packed otherwise.
    """

    data: bytes
    dictionary: Dictionary | None = None
    """The dictionary that `data` was compressed with; None for none."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Blob):
            return NotImplemented
        if self.dictionary is other.dictionary:
            return self.data == other.data
        try:
            return self.json() == other.json()
        except zstandard.ZstdError:
            return False

    def json(self) -> bytes:
        """The object's JSON, as the API server sent it. May be called from any thread."""
        return decompress_plain(self.data) if self.dictionary is None else self.dictionary.decompress(self.data)


_NOTHING: Mapping[str, str] = MappingProxyType({})


class OwnerReference(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """metav1.OwnerReference: an object that this one belongs to, and with `controller` the one that manages it."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False
    block_owner_deletion: bool = False


class ObjectMeta(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """metav1.ObjectMeta without managedFields. Times are RFC 3339, UTC."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: int | None = None
    label_map: dict[str, str] | None = msgspec.field(default=None, name="labels")
    """For construction; read `labels`, which nobody can change."""
    annotation_map: dict[str, str] | None = msgspec.field(default=None, name="annotations")
    """For construction; read `annotations`."""
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels, read-only: objects are shared by all who read a store."""
        return MappingProxyType(self.label_map) if self.label_map else _NOTHING

    @property
    def annotations(self) -> Mapping[str, str]:
        """The annotations, read-only."""
        return MappingProxyType(self.annotation_map) if self.annotation_map else _NOTHING


class Object(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Base of every projection; also the projection for kinds that need no more fields.

    Extend it for a kind of your own; give every field a default, because the API server leaves empty ones out. Objects
    are trees, never cycles, so the garbage collector need not track them (gc=False).
    """

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()
    blob: Blob | None = msgspec.field(default=None, name="-blob")
    """The compressed whole object, set by the reflector; never read from the wire."""

    @property
    def key(self) -> str:
        """``namespace/name``, or ``name`` for cluster-scoped objects (client-go's MetaNamespaceKeyFunc)."""
        meta = self.metadata
        return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name

    def full(self) -> dict[str, Any]:
        """The whole object as a new plain dict.

        Raises ValueError where there is no full copy, and MalformedAnswer where a part that the projection skips cannot
        be read, such as text that is no UTF-8.
        """
        if self.blob is None:
            raise ValueError(f"there is no full copy of {self.key}")
        try:
            decoded: dict[str, Any] = msgspec.json.decode(self.blob.json())
        except UNREADABLE as error:
            raise MalformedAnswer(f"{self.kind} {self.key} cannot be read whole: {error}") from error
        return decoded


def is_same_state(one: Object, other: Object) -> bool:
    """Whether two objects are equal, whole copies included, however these are compressed and spaced."""
    if one.blob == other.blob:
        return one == other
    if one.blob is None or other.blob is None:
        return False
    if msgspec.structs.replace(one, blob=None) != msgspec.structs.replace(other, blob=None):
        return False
    whole, other_whole = one.blob.json(), other.blob.json()
    return whole == other_whole or bool(msgspec.json.decode(whole) == msgspec.json.decode(other_whole))
