"""Forms: whole objects, or only their metadata, as whoever lists and watches asks the API server for them."""

from __future__ import annotations

import msgspec

from informerd.resource import Resource


class Form(msgspec.Struct, frozen=True):
    """What to ask for, and as what kind the objects come."""

    api_version: str
    kind: str
    list_accept: str = "application/json"
    watch_accept: str = "application/json"


def whole(resource: Resource) -> Form:
    """The objects as they are."""
    return Form(resource.api_version, resource.kind)


METADATA = Form(
    api_version="meta.k8s.io/v1",
    kind="PartialObjectMetadata",
    list_accept="application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    watch_accept="application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
)
"""Metadata and nothing else, of whatever kind (metav1.PartialObjectMetadata): a fraction of the bytes of most kinds.

An API server that cannot give it answers 406.
"""
