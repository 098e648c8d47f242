"""A kind's shape: its columns, the projection they are read from, and the function that reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from dashboard.live.messages import Cell, Owner, Row, Tone
from dashboard.resources.rows.column import Column
from informerd.objects import Object, OwnerReference

NAMESPACE = Column("namespace", "Namespace")
NAME = Column("name", "Name", "mono")
AGE = Column("age", "Age", "age", order="age")
STATUS = Column("status", "Status", "status", words="status")


class Facts(msgspec.Struct, frozen=True, gc=False):
    """What a kind's reader finds in an object, beside what every object has."""

    status: str
    tone: Tone
    cells: tuple[Cell, ...]
    """All columns but namespace and name, in order."""
    reason: str = ""
    since: float | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind becomes rows."""

    columns: tuple[Column, ...]
    projection: type[Object]
    read: Callable[[Any], Facts]
    """Takes an object of `projection`."""
    namespaced: bool = True
    default_sort: tuple[str, bool] = ("", False)
    """Column id and whether it is descending; an empty id means namespace and name."""

    def row(self, obj: Object) -> Row:
        """The row of one object. Never raises for whatever values the API server let in."""
        facts = self.read(obj)
        meta = obj.metadata
        head = (meta.namespace, meta.name) if self.namespaced else (meta.name,)
        deleting = seconds(meta.deletion_timestamp)
        return Row(
            uid=meta.uid,
            namespace=meta.namespace,
            name=meta.name,
            version=meta.resource_version,
            created=seconds(meta.creation_timestamp),
            status=facts.status,
            tone=facts.tone,
            cells=head + facts.cells,
            labels=meta.label_map or {},  # shared with the object: nobody changes either
            reason=facts.reason,
            since=facts.since,
            deleting=deleting,
            finalizers=meta.finalizers,
            owner=_owner(meta.owner_references),
            blob=obj.blob,
            owners=_owners(meta.owner_references),
        )


def namespaced_columns(*columns: Column) -> tuple[Column, ...]:
    """Namespace and Name before a kind's own columns."""
    return (NAMESPACE, NAME, *columns)


def cluster_columns(*columns: Column) -> tuple[Column, ...]:
    """Name before the columns of a cluster-scoped kind."""
    return (NAME, *columns)


def seconds(moment: datetime | None) -> float | None:
    """Unix seconds of a moment."""
    return None if moment is None else moment.timestamp()


def age(obj: Object) -> float | None:
    """The Age column's value: Unix seconds of the creation."""
    return seconds(obj.metadata.creation_timestamp)


def _owner(references: tuple[OwnerReference, ...]) -> tuple[str, str, str] | None:
    """The controller, else the only owner; of several without a controller none is named."""
    controller = next((reference for reference in references if reference.controller), None)
    owner = controller or (references[0] if len(references) == 1 else None)
    return (owner.kind, owner.name, owner.uid) if owner is not None else None


def _owners(references: tuple[OwnerReference, ...]) -> tuple[Owner, ...]:
    """None where one says all: most objects have a controller that waits for them, and take no more room than that."""
    if not references or (len(references) == 1 and references[0].controller and references[0].block_owner_deletion):
        return ()
    return tuple(map(_named, references))


def _named(one: OwnerReference) -> Owner:
    group = one.api_version.rpartition("/")[0]
    return Owner(group, one.kind, one.name, one.uid, one.controller, one.block_owner_deletion)
