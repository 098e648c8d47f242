"""Form in which objects are requested, by the Accept header: whole, or PartialObjectMetadata."""

from __future__ import annotations

import msgspec

from informerd.resource import Resource


class ObjectForm(msgspec.Struct, frozen=True):
    """The form to request, and the kind of the objects in it."""

    api_version: str
    kind: str
    list_accept: str = "application/json"
    object_accept: str = "application/json"


def whole_object_form(resource: Resource) -> ObjectForm:
    """The objects as they are."""
    return ObjectForm(resource.api_version, resource.kind)


METADATA_FORM = ObjectForm(
    api_version="meta.k8s.io/v1",
    kind="PartialObjectMetadata",
    list_accept="application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    object_accept="application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
)
"""Metadata and nothing else, of any kind (metav1.PartialObjectMetadata): a fraction of the bytes of most kinds.

An API server that cannot give it answers 406.
"""
