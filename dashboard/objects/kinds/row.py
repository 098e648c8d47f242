"""One object as a row of a list, and how its cells are described, as the worker makes them and pages show them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import zstandard

from dashboard.objects.kinds.value_hashes import without_value_hashes
from informerd.objects import Blob

Tone = Literal["ok", "busy", "warn", "bad", "idle"]


Cell = str | int | float | None
"""A column's value, for sorting and comparing; durations and times are Unix seconds, quantities base units."""


class PrinterColumn(msgspec.Struct, frozen=True, array_like=True):
    """A column that the definition of a custom resource prints."""

    name: str
    column_type: str
    """integer, number, string, boolean or date."""
    path: str
    """JSONPath."""
    priority: int = 0
    """More than 0: shown only where there is room, as with ``-o wide``."""


class TableDefinition(msgspec.Struct, frozen=True, array_like=True):
    """Cells of a kind whose columns are not known beforehand: both ends make the same columns from it."""

    namespaced: bool
    printer_columns: tuple[PrinterColumn, ...] = ()
    version: str = ""
    """API version that is followed. Empty for a worker that does not send it."""


class Owner(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One of an object's owners."""

    group: str
    kind: str
    name: str
    uid: str
    is_controller: bool = False
    """Whether it is the object's controller; one of them at most."""
    blocks_owner_deletion: bool = False
    """Whether a foreground deletion of the owner waits for the object (blockOwnerDeletion)."""


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One object as lists show it. New fields are added at the end only: a process of another version reads those it
    knows.
    """

    uid: str
    namespace: str
    name: str
    version: str
    """resourceVersion, opaque."""
    created: float | None
    """Unix seconds."""
    status: str
    """One word, as kubectl prints it: Running, CrashLoopBackOff, Ready."""
    tone: Tone
    cells: tuple[Cell, ...]
    """In the order of the kind's columns, see dashboard.objects.printers.columns_for."""
    labels: dict[str, str]
    reason: str = ""
    """What is wrong, in words; empty when nothing is."""
    since: float | None = None
    """Unix seconds since when it is wrong or waiting."""
    deleting: float | None = None
    """Unix seconds of deletionTimestamp; None where the object is not being deleted."""
    finalizers: tuple[str, ...] = ()
    owner: tuple[str, str, str] | None = None
    """Kind, name and uid of its controller; without a controller, of its only owner."""
    blob: Blob | None = None
    """The whole object as the worker keeps it, Secrets' values masked. Its dictionary is not sent with each row."""
    owners: tuple[Owner, ...] = ()
    """All owners, in the object's order; empty where `owner` is the only one, controls it and waits for it, and where
    its Kind and group are those of a kind of the static table (catalog.builtin_group).
    """
    until: float | None = None
    """Unix seconds until when it is among the problems though it may be well: a pod that runs after a crash loop."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def json_size(self) -> int:
        """Bytes of the whole object's JSON, unpacked; 0 where none is kept."""
        if self.blob is None:
            return 0
        try:
            return max(zstandard.frame_content_size(self.blob.data), len(self.blob.data))
        except zstandard.ZstdError:
            return len(self.blob.data)

    def json_text(self) -> str:
        """The whole object's JSON, managedFields included; ``{}`` where none is kept."""
        return without_value_hashes(self.blob.json()).decode() if self.blob is not None else "{}"

    def decode_object(self) -> dict[str, Any]:
        """The whole object as a new plain dict, empty where none is kept. May be called from any thread.

        Raises RecursionError where it is nested too deeply.
        """
        decoded = msgspec.json.decode(without_value_hashes(self.blob.json())) if self.blob is not None else {}
        return decoded if isinstance(decoded, dict) else {}
