"""PartialObjectMetadata: objects for whoever asks for their metadata alone."""

from __future__ import annotations

from typing import Any

import msgspec

from devcluster.server import objects
from devcluster.server.listing import Page, list_metadata
from devcluster.server.objects import Object
from devcluster.server.store import Record

API_VERSION = "meta.k8s.io/v1"
KIND = "PartialObjectMetadata"


def wanted(accept: str) -> bool:
    """Whether an Accept header asks for metadata before anything else. Watches take the list's name too."""
    first = accept.split(",", 1)[0].replace(" ", "").split(";")
    return "g=meta.k8s.io" in first and bool({f"as={KIND}", f"as={KIND}List"} & {*first})


def partial(obj: Object) -> dict[str, Any]:
    """An object's metadata as an object."""
    return {"kind": KIND, "apiVersion": API_VERSION, "metadata": obj["metadata"]}


def partial_body(record: Record) -> bytes:
    """One object's JSON."""
    return msgspec.json.encode(partial(objects.decode(record)))


def partial_list_body(page: Page, *, custom: bool) -> bytes:
    """A list's JSON. Its items have kind and apiVersion, unlike those of whole objects."""
    items = [partial(objects.decode(record)) for record in page.records]
    head = {"kind": f"{KIND}List", "apiVersion": API_VERSION, "metadata": list_metadata(page, custom=custom)}
    return msgspec.json.encode({**head, "items": items})
