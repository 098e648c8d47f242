"""One list of a kind that no worker follows, as a replica shows it."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.kinds.row import Row, TableDefinition


@dataclass(frozen=True, slots=True)
class KindList:
    """The answer to one list request."""

    at: float
    """Unix seconds at which the API server had these objects."""
    rows: tuple[Row, ...]
    table: TableDefinition | None
    """Meaning of the rows' cells; None where the kind's columns are known beforehand."""
    is_complete: bool = True
    """Whether no object is left out."""
    remaining: int | None = None
    """Number of objects that are left out, where the API server says so."""
    namespaces: tuple[str, ...] = ()
    """Namespaces that were listed, where the account may not list all."""
    forbidden_namespaces: tuple[str, ...] = ()
    """Namespaces that were to be listed, too, and may not be."""


@dataclass(frozen=True, slots=True)
class ListedOnce:
    """What a page says of rows that no worker keeps current."""

    at: float
    """Unix seconds of the list, or of the first object that was read."""
    reason: str
    """Why no worker follows the kind, as a clause."""
    problem: str = ""
    """Why the kind could not be listed; then its rows are those objects that were read one by one."""
    is_complete: bool = True
    """Whether the rows are all objects of that moment."""
    remaining: int | None = None
    """Number of objects that are left out, where the API server says so."""
