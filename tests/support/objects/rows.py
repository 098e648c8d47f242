"""Rows as the worker makes them of objects, and objects to make them of."""

from __future__ import annotations

from typing import Any

import msgspec
import zstandard

from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import build_row, columns_for, mask_secret, projection_for
from informerd.objects import Blob

Json = dict[str, Any]
CREATED = "2026-11-01T08:00:00Z"


def row_of(key: str, obj: Json) -> Row:
    """The row that the worker would make of an object."""
    raw = msgspec.json.encode(obj)
    if key == "secrets":
        raw = mask_secret(raw)
    decoded = msgspec.json.decode(raw, type=projection_for(key))
    packed = msgspec.structs.replace(decoded, blob=Blob(zstandard.compress(raw)))
    return build_row(key, packed)


def cells_of(key: str, row: Row) -> dict[str, Any]:
    """A row's cells by column id."""
    return dict(zip([column.id for column in columns_for(key)], row.cells, strict=True))


def made(kind: str, name: str, *, namespace: str = "shop", api_version: str = "v1", **parts: Any) -> Json:
    """An object; `metadata` is merged, other parts are taken as they are."""
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{namespace}-{name}", "resourceVersion": "7"}
    metadata = {key: value for key, value in metadata.items() if value}
    metadata |= {"creationTimestamp": CREATED, **parts.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
