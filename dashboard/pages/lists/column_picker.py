"""Column picker of a list: the shown columns first, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.printers import list_columns
from dashboard.objects.query.list_query import Query


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """A line of the picker. `earlier_href` shows the list with this column one position earlier; empty where it is the
    first.
    """

    id: str
    header: str
    is_shown: bool
    earlier_href: str


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """Value of `columns` in lists/_column_picker.html."""

    choices: tuple[ColumnChoice, ...]
    hidden_inputs: tuple[tuple[str, str], ...]
    """Names and values of the form's hidden fields."""
    default_href: str
    """The list with its default columns; empty where it shows them."""


def column_choices(query: Query) -> ColumnChoices:
    """The column picker of a list in this state."""
    headers = {column.id: column.header for _, column in list_columns(query.key)}
    headers |= {column.id: column.header for _, column in query.visible_columns()}
    shown = [column.id for _, column in query.visible_columns()]
    others = [name for name in headers if name not in shown]
    choices = [
        ColumnChoice(name, headers[name], name in shown, _earlier(query, shown, name)) for name in (*shown, *others)
    ]
    hidden = tuple((name, value) for name, value in query.to_params() if name not in ("columns", "page"))
    return ColumnChoices(tuple(choices), hidden, query.with_(columns=()).href() if query.columns else "")


def _earlier(query: Query, shown: list[str], name: str) -> str:
    index = shown.index(name) if name in shown else 0
    if not index:
        return ""
    moved = [*shown[: index - 1], name, shown[index - 1], *shown[index + 1 :]]
    return query.with_(columns=tuple(moved)).href()
