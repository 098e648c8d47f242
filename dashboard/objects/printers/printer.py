"""Printer of a kind: its columns, its projection, and the function that reads the cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import builtin_group
from dashboard.objects.kinds.row import Cell, Owner, Row, Tone
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.usage.usage_field import UsageField
from informerd.objects import Object, OwnerReference

CellKind = Literal["text", "mono", "status", "number", "age", "duration", "usage"]
"""Display of a cell. text, mono: unchanged · status: the word with its tone · number: tabular figures · age: Unix
seconds of a moment, shown as the time since · duration: seconds · usage: an amount with its share as a bar.
"""


Order = Literal["text", "natural", "number", "fraction", "ip", "age", "path"]
"""Order of values: natural sorts node-10 after node-9, number reads quantities such as 10Gi, fraction reads 1/2, age
has the newest moment first, path goes by the type of each value, see path_order.py.
"""


_PLAIN_FIELD = re.compile(r"\.spec(\.[A-Za-z][A-Za-z0-9_-]{0,62}){1,10}")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list. `id` is its name in addresses and filters."""

    id: str
    header: str
    kind: CellKind = "text"
    priority: int = 0
    """0: always shown · 1: where there is room (kubectl's wide columns) · 2: only on request."""
    order: Order = "text"
    words: str = ""
    """Its name in feed lines, such as ``spec.port``; empty: its changes alone make no line."""
    path: FieldPath | None = None
    """The requested field, of whole objects; None where the rows' cells have it."""
    usage: UsageField | None = None
    """The requested value of what objects use; None where the rows' cells have it."""
    field: str = ""
    """The plain field of spec that it shows unchanged, such as ``.spec.port``: it can be edited in place."""
    has_group: bool = False
    """Whether the next column has the API group of what it names: two kinds of one name are told apart in its cells."""

    @property
    def numeric(self) -> bool:
        """Whether cells are aligned right."""
        return self.kind in ("number", "age", "duration", "usage")

    @property
    def css(self) -> str:
        """The last part of its cells' class: its id, but one word for all fields by path."""
        return self.id if self.path is None else "path"

    @property
    def wide(self) -> bool:
        """Whether narrow screens hide it."""
        return self.priority > 0


def path_column(path: FieldPath) -> Column:
    """The column of a field by path. Its id and header are the path."""
    field = path.text if plain_field(path.text) else ""
    return Column(path.text, path.text, "mono", order="path", path=path, field=field)


def plain_field(path: str) -> tuple[str, ...]:
    """The names in a path such as ``.spec.template.port``; empty where it is not a plain field of spec."""
    return tuple(path.removeprefix(".").split(".")) if _PLAIN_FIELD.fullmatch(path) else ()


NAMESPACE_COLUMN = Column("namespace", "Namespace")
NAME_COLUMN = Column("name", "Name", "mono")
AGE_COLUMN = Column("age", "Age", "age", order="age")
STATUS_COLUMN = Column("status", "Status", "status", words="status")
HEALTH_COLUMN = Column("status", "Health", "status", words="health")
"""Deltaboard's own verdict on a custom resource. Filters and addresses call it status, as with every kind."""


MAX_TEXT_LENGTH = 32_000
"""Characters of a row's reason and cells, for filters and files; lists show less. A field of a custom resource
may be as long as the object, whose page has all of it.
"""
MAX_STATUS_LENGTH = 1_000
"""The same of its status, which is a word and counted in many places."""


class PrintedRow(msgspec.Struct, frozen=True, gc=False):
    """What a kind's reader finds in an object, beside the parts that every object has."""

    status: str
    tone: Tone
    cells: tuple[Cell, ...]
    """All columns but namespace and name, in order."""
    reason: str = ""
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Printer:
    """Turns objects of one kind into rows."""

    columns: tuple[Column, ...]
    projection: type[Object]
    read: Callable[[Any], PrintedRow]
    """Takes an object of `projection`."""
    namespaced: bool = True
    default_sort: tuple[str, bool] = ("", False)
    """Column id and whether it is descending; an empty id means namespace and name."""

    def row(self, obj: Object) -> Row:
        """The row of one object. Never raises, whatever values the object has."""
        facts = self.read(obj)
        meta = obj.metadata
        head = (meta.namespace, meta.name) if self.namespaced else (meta.name,)
        deleting = to_unix_seconds(meta.deletion_timestamp)
        return Row(
            uid=meta.uid,
            namespace=meta.namespace,
            name=meta.name,
            version=meta.resource_version,
            created=to_unix_seconds(meta.creation_timestamp),
            status=limit_text(facts.status, MAX_STATUS_LENGTH),
            tone=facts.tone,
            cells=head + tuple(map(_limited, self.columns[len(head) :], facts.cells)),
            labels=meta.label_map or {},  # shared with the object: nobody changes either
            reason=limit_text(facts.reason, MAX_TEXT_LENGTH),
            since=facts.since,
            deleting=deleting,
            finalizers=meta.finalizers,
            owner=_owner(meta.owner_references),
            blob=obj.blob,
            owners=_owners(meta.owner_references),
            until=facts.until,
        )


def _limited(column: Column, cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return limit_text(cell, MAX_STATUS_LENGTH if column.id == STATUS_COLUMN.id else MAX_TEXT_LENGTH)


def namespaced_columns(*columns: Column) -> tuple[Column, ...]:
    """Namespace and Name before a kind's own columns."""
    return (NAMESPACE_COLUMN, NAME_COLUMN, *columns)


def cluster_columns(*columns: Column) -> tuple[Column, ...]:
    """Name before the columns of a cluster-scoped kind."""
    return (NAME_COLUMN, *columns)


def to_unix_seconds(moment: datetime | None) -> float | None:
    """Unix seconds of a moment."""
    return None if moment is None else moment.timestamp()


def created_at(obj: Object) -> float | None:
    """The Age column's value: Unix seconds of the creation."""
    return to_unix_seconds(obj.metadata.creation_timestamp)


def _owner(references: tuple[OwnerReference, ...]) -> tuple[str, str, str] | None:
    """The controller, else the only owner; None for several owners without a controller."""
    controller = next((reference for reference in references if reference.controller), None)
    owner = controller or (references[0] if len(references) == 1 else None)
    return (owner.kind, owner.name, owner.uid) if owner is not None else None


def _owners(references: tuple[OwnerReference, ...]) -> tuple[Owner, ...]:
    """All owners; empty where `Row.owner` says it all, as in most objects, which saves memory."""
    owners = tuple(map(_parse_owner, references))
    is_plain = len(owners) == 1 and owners[0].is_controller and owners[0].blocks_owner_deletion
    return () if is_plain and builtin_group(owners[0].kind) == owners[0].group else owners


def _parse_owner(reference: OwnerReference) -> Owner:
    group = reference.api_version.rpartition("/")[0]
    return Owner(
        group, reference.kind, reference.name, reference.uid, reference.controller, reference.block_owner_deletion
    )
