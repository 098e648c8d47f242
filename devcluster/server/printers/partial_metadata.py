"""PartialObjectMetadata, for clients that ask for metadata only."""

from __future__ import annotations

from typing import Any

import msgspec

from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.listing import Page, list_metadata
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record

API_VERSION = "meta.k8s.io/v1"
KIND = "PartialObjectMetadata"


def accepts_partial_metadata(accept: str) -> bool:
    """Whether an Accept header asks for metadata before anything else. Watches take the list's name too."""
    first = accept.split(",", 1)[0].replace(" ", "").split(";")
    return "g=meta.k8s.io" in first and bool({f"as={KIND}", f"as={KIND}List"} & {*first})


def to_partial_metadata(obj: Object) -> dict[str, Any]:
    """An object's metadata as an object."""
    return {"kind": KIND, "apiVersion": API_VERSION, "metadata": obj["metadata"]}


def partial_body(record: Record) -> bytes:
    """One object's JSON."""
    return msgspec.json.encode(to_partial_metadata(objects.decode(record)))


def partial_list_body(page: Page, *, custom: bool) -> bytes:
    """A list's JSON. Its items have kind and apiVersion, unlike those of whole objects."""
    items = [to_partial_metadata(objects.decode(record)) for record in page.records]
    head = {"kind": f"{KIND}List", "apiVersion": API_VERSION, "metadata": list_metadata(page, custom=custom)}
    return msgspec.json.encode({**head, "items": items})
