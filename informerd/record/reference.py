"""Object references of events (v1.ObjectReference; client-go's tools/reference)."""

from __future__ import annotations

import msgspec

from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.unstructured import Json, metadata_of


class ObjectReference(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One object, or a part of it, by name and uid. Equal references are one to the recorder."""

    kind: str
    namespace: str = ""
    name: str
    uid: str = ""
    api_version: str = ""
    resource_version: str = ""
    field_path: str = ""
    """Of the part that is meant, such as ``spec.containers{nginx}``."""

    @classmethod
    def to(cls, about: Object | Json | ObjectReference, *, field_path: str = "") -> ObjectReference:
        """The reference to an object. Raises InvalidCall for one without a kind or a name, which nobody could find."""
        if isinstance(about, cls):
            return msgspec.structs.replace(about, field_path=field_path) if field_path else about
        ref = _of_object(about) if isinstance(about, Object) else _of_manifest(about)
        if not ref.kind or not ref.name:
            raise InvalidCall(
                f"{ref.kind or 'an object'} {ref.name!r} needs a kind and a name, so that an event can refer to it"
            )
        return msgspec.structs.replace(ref, field_path=field_path)


def _of_object(obj: Object) -> ObjectReference:
    meta = obj.metadata
    return ObjectReference(
        kind=obj.kind,
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        api_version=obj.api_version,
        resource_version=meta.resource_version,
    )


def _of_manifest(obj: object) -> ObjectReference:
    if not isinstance(obj, dict):
        raise InvalidCall(f"{type(obj).__name__} is not an object that an event can refer to")
    meta = metadata_of(obj)
    texts = {
        "kind": obj.get("kind"),
        "namespace": meta.get("namespace"),
        "name": meta.get("name"),
        "uid": meta.get("uid"),
        "api_version": obj.get("apiVersion"),
        "resource_version": meta.get("resourceVersion"),
    }
    return ObjectReference(**{field: text if isinstance(text, str) else "" for field, text in texts.items()})
