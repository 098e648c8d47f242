"""Rows for tests of replication, with or without their packed objects."""

from __future__ import annotations

import msgspec

from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from informerd.decoding.compressor import Compressor
from informerd.objects import Blob
from informerd.zstd_dictionaries import Dictionary, train_dictionary


def row(name: str, version: int = 1, *, namespace: str = "default", uid: str = "", blob: Blob | None = None) -> Row:
    return Row(
        uid=uid or f"uid-{namespace}-{name}",
        namespace=namespace,
        name=name,
        version=str(version),
        created=1000.0,
        status="Running",
        tone="ok",
        cells=(name, version),
        labels={"app": name},
        blob=blob,
    )


def object_of(name: str, version: int = 1) -> bytes:
    """The JSON of an object that names the row it belongs to."""
    labels = {f"example.org/label-{number}": f"{name}-{number}" for number in range(6)}
    metadata = {"name": name, "namespace": "default", "resourceVersion": str(version), "labels": labels}
    return msgspec.json.encode({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": name}})


def dictionary(kind: str) -> Dictionary:
    """The dictionary that a worker trains on the objects of a kind; two of the same kind have equal ids."""
    trained = train_dictionary([object_of(f"{kind}-{number}") for number in range(200)])
    assert trained
    return trained


def packed_row(name: str, version: int = 1, packer: Compressor | Dictionary | None = None) -> Row:
    """A row with its whole object, packed as `packer` packs now."""
    raw = object_of(name, version)
    if isinstance(packer, Dictionary):
        return row(name, version, blob=Blob(packer.compress(raw), packer))
    return row(name, version, blob=(packer or Compressor()).compress(raw))


def tells_of_itself(row: Row) -> bool:
    """Whether the whole object of a packed row is that row's, and no other's nor an older one."""
    metadata = row.decode_object()["metadata"]
    return (metadata["name"], metadata["resourceVersion"]) == (row.name, row.version)


def words_of(entries: list[Entry]) -> list[str]:
    return [entry.words for entry in entries]
