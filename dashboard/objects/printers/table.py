"""Shapes as tables: each column beside what fills it, and one function that judges how the object is.

A column is filled by the dotted path of a field of the projection, or by a function where kubectl makes words of
several. The columns are those of the API server's tables, which ``kubectl get -o wide`` prints; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from dashboard.live.messages import Cell, Tone
from dashboard.resources.rows.column import CellKind, Column, Order
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import (
    AGE,
    STATUS,
    Facts,
    Shape,
    age,
    cluster_columns,
    namespaced_columns,
    seconds,
)
from informerd.objects import Object


class Standing(NamedTuple):
    """How an object is: its word, its tone, what is wrong in words, and since when (Unix seconds)."""

    status: str = "Current"
    tone: Tone = "idle"
    reason: str = ""
    since: float | None = None


class Shown(NamedTuple):
    """A column and what fills it."""

    column: Column
    read: Callable[[Any], Any]
    """Takes an object of the kind's projection."""


def shown(
    name: str,
    header: str,
    source: str | Callable[[Any], Any],
    kind: CellKind = "text",
    *,
    order: Order | None = None,
    priority: int = 0,
    told: bool = True,
) -> Shown:
    """A column called `name`, filled from `source`; `told`: its changes are worth a feed line."""
    orders: dict[str, Order] = {"number": "number", "duration": "number", "age": "age"}
    words = header.lower() if told and kind != "age" else ""
    column = Column(name, header, kind, priority, order or orders.get(kind, "natural"), words)
    return Shown(column, attrgetter(source) if isinstance(source, str) else source)


STATUS_SHOWN = Shown(STATUS, lambda _: None)
"""Stands where the status word goes."""
AGE_SHOWN = Shown(AGE, age)


def current(_: Object) -> Standing:
    """Of kinds that only are: Current is kstatus's word for what is not on its way anywhere."""
    return Standing()


def declare(
    projection: type[Object], *cells: Shown, judge: Callable[[Any], Standing] = current, namespaced: bool = True
) -> Shape:
    """The shape of a kind with these columns after its name. What is being deleted is Terminating, whatever else."""
    readers = [None if cell is STATUS_SHOWN else cell.read for cell in cells]

    def read(obj: Object) -> Facts:
        standing = judge(obj) if obj.metadata.deletion_timestamp is None else terminating(obj)
        values = tuple([standing.status if reader is None else plain(reader(obj)) for reader in readers])
        return Facts(standing.status, standing.tone, values, standing.reason, standing.since)

    columns = (namespaced_columns if namespaced else cluster_columns)(*(cell.column for cell in cells))
    return Shape(columns, projection, read, namespaced)


def terminating(obj: Object) -> Standing:
    """Of what is being deleted; finalizers are named, for they hold it."""
    held = ", ".join(obj.metadata.finalizers)
    reason = f"being deleted, held by finalizers: {held}" if held else ""
    return Standing("Terminating", "busy", reason, seconds(obj.metadata.deletion_timestamp))


def plain(value: Any) -> Cell:
    """A field as a cell: empty ones are nothing, several are joined by commas, moments are Unix seconds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(value) or None
    if isinstance(value, datetime):
        return seconds(value)
    return None if value == "" else value


def some(items: Iterable[str], most: int, *, between: str = ",", spaced: bool = True) -> str | None:
    """The first of them, and how many more there are, as kubectl shortens: ``a,b,c + 2 more...``."""
    found = list(items)
    more = f"{' ' if spaced else ''}+ {len(found) - most} more..." if len(found) > most else ""
    return between.join(found[:most]) + more or None


def labels_text(labels: Mapping[str, str]) -> str | None:
    """Labels in the order of their names, ``a=1,b=2``."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items())) or None


def condition(conditions: Iterable[Condition], name: str, status: str = "") -> Condition | None:
    """The condition of that type; with `status`, only if it is that."""
    return next((c for c in conditions if c.type == name and status in ("", c.status)), None)


def said(found: Condition) -> str:
    """What a condition says of itself, shortest form that is worth reading."""
    return found.message or found.reason or f"{found.type} is {found.status}"


def since(found: Condition | None) -> float | None:
    """Unix seconds of a condition's last transition."""
    return seconds(found.last_transition_time) if found is not None else None
