"""Queries: the state of a list as its address carries it. Whatever stands there, a query comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dashboard.live.messages import Row
from dashboard.resources.addressed import Addressed, Pairs
from dashboard.resources.filter_text import read_filter
from dashboard.resources.kinds import find_kind
from dashboard.resources.params import Params, read_columns, read_namespaces, read_page, read_sort, values_of
from dashboard.resources.pattern import Pattern
from dashboard.resources.rows import Column, columns_for, default_sort
from dashboard.resources.terms import ColumnTerm, LabelTerm, PathTerm, Term, Word
from dashboard.resources.tokens import Problem
from dashboard.resources.values import comparable
from dashboard.resources.values import descending as turned

__all__ = ["Problem", "Query"]

_ORDER = {Word: 0, ColumnTerm: 1, LabelTerm: 2, PathTerm: 3}


@dataclass(frozen=True, kw_only=True)
class Query(Addressed):
    """What a list shows. Equal states are equal, hash alike and have one address; see `to_params`."""

    key: str
    namespaces: tuple[str, ...] = ()
    """Sorted; empty means all."""
    terms: tuple[Term, ...] = ()
    sort: tuple[str, bool] = ("", False)
    """Column id and whether it is descending; an empty id means namespace and name."""
    page: int = 1
    columns: tuple[str, ...] = ()
    """Ids of the columns to show, in order; empty means the usual ones."""
    typed: str = field(default="", compare=False)
    """The filter's text as it came, mistakes included; problems' places refer to it."""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, params: Params, key: str) -> Query:
        """The query of an address's parameters. Malformed parts are reported in `problems` and left out."""
        problems: list[Problem] = []
        columns, title = columns_for(key), _title(key)
        typed = " ".join(values_of(params, "q")).strip()
        found = read_filter(typed, columns, title)
        problems.extend(found.problems)
        namespaces = found.namespaces or read_namespaces(params, problems)
        if namespaces and not any(column.id == "namespace" for column in columns):
            problems.append(Problem("namespace", 0, 0, f"{title} belong to no namespace"))
            namespaces = ()
        return cls(
            key=key,
            namespaces=tuple(sorted(set(namespaces))),
            terms=_in_order(found.terms),
            sort=read_sort(params, key, title, problems),
            page=read_page(params, problems),
            columns=read_columns(params, columns, title, problems),
            typed=typed,
            problems=tuple(problems),
        )

    @property
    def hidden(self) -> tuple[tuple[str, str], ...]:
        """Names and values that a filter form has to carry along: everything but the filter and the page."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("q", "page"))

    def every_param(self) -> Pairs:
        return (
            ("namespace", ",".join(self.namespaces)),
            ("q", self.canonical),
            ("sort", ("-" if self.sort[1] else "") + self.sort[0] if self.sort != default_sort(self.key) else ""),
            ("columns", ",".join(self.columns)),
            ("page", str(self.page) if self.page > 1 else ""),
        )

    def href(self) -> str:
        """Address of the list in this state."""
        encoded = self.query_string()
        return f"/resources/{self.key}/" + (f"?{encoded}" if encoded else "")

    def with_(self, **changes: Any) -> Query:
        """The same query with other `namespaces`, `terms`, `sort`, `columns` or `page`; back on page 1 unless given."""
        changes.setdefault("page", 1)
        if "namespaces" in changes:
            changes["namespaces"] = tuple(sorted(set(changes["namespaces"])))
        if "terms" in changes:
            changes["terms"] = _in_order(changes["terms"])
        return replace(self, typed="", problems=(), **changes)

    def with_sort(self, column: str) -> Query:
        """Sorted by that column; the other way round where it is already."""
        return self.with_(sort=(column, not self.sort[1] if self.sort[0] == column else False))

    @property
    def statuses(self) -> frozenset[str]:
        """The statuses that the filter asks for, case-folded."""
        return frozenset(p.text.casefold() for term in self.terms if _asks_status(term) for p in term.values)  # type: ignore[union-attr]

    def with_status(self, status: str) -> Query:
        """That status added to those that are asked for, or taken away where it is among them."""
        others = [term for term in self.terms if not _asks_status(term)]
        asked = {p.text.casefold(): p for term in self.terms if _asks_status(term) for p in term.values}  # type: ignore[union-attr]
        if asked.pop(status.casefold(), None) is None:
            asked[status.casefold()] = Pattern((status,))
        if asked:
            others.append(_status_term(self.key, tuple(asked[name] for name in sorted(asked))))
        return self.with_(terms=tuple(others))

    def without_statuses(self) -> Query:
        """The query that facets are counted with: everything but the choice of statuses."""
        return self.with_(terms=tuple(term for term in self.terms if not _asks_status(term)), page=self.page)

    def matches(self, row: Row, now: float) -> bool:
        """Whether the row belongs to the list at `now` (Unix seconds)."""
        if self.namespaces and row.namespace not in self.namespaces:
            return False
        if not self.terms:
            return True
        whole = _whole(row) if self._reads_whole else _nothing
        for term in self.terms:  # noqa: SIM110 - all() would make a generator for each of many rows
            if not term.matches(row, now, whole):
                return False
        return True

    def next_due(self, row: Row, now: float) -> float | None:
        """The next moment (Unix seconds) at which time alone may change `matches`; None: never."""
        if not self.ages:
            return None
        return min((due for term in self.terms if (due := term.due(row, now)) is not None), default=None)

    @cached_property
    def _reads_whole(self) -> bool:
        return any(isinstance(term, PathTerm) for term in self.terms)

    @cached_property
    def ages(self) -> bool:
        """Whether time alone can change which rows match."""
        return any(isinstance(term, ColumnTerm) and term.order == "age" and term.op != "=" for term in self.terms)

    @cached_property
    def sort_key(self) -> Callable[[Row], tuple[Any, ...]]:
        """A key for ascending order: missing values last, ties by namespace, name and uid, whatever the direction."""
        column_id, descending = self.sort
        if not column_id:
            return _name_key
        index, column = next((i, c) for i, c in enumerate(columns_for(self.key)) if c.id == column_id)
        order = column.order

        def key_of(row: Row) -> tuple[Any, ...]:
            value = row.cells[index] if index < len(row.cells) else None
            if value is None:
                return (1, row.namespace, row.name, row.uid)
            key = comparable(order, value)
            return (0, turned(key) if descending else key, row.namespace, row.name, row.uid)

        return key_of

    def shown_columns(self) -> tuple[tuple[int, Column], ...]:
        """The columns to show, each with its cell's place in a row."""
        numbered = list(enumerate(columns_for(self.key)))
        if not self.columns:
            return tuple((index, column) for index, column in numbered if column.priority < 2)
        by_id = {column.id: (index, column) for index, column in numbered}
        return tuple(by_id[name] for name in self.columns)


def _name_key(row: Row) -> tuple[str, ...]:
    return (row.namespace, row.name, row.uid)


def _title(key: str) -> str:
    kind = find_kind(key)
    return kind.title if kind is not None else key


def _in_order(terms: Iterable[Term]) -> tuple[Term, ...]:
    """One order for equal filters: words, columns, labels, paths, each by its text."""
    return tuple(sorted(dict.fromkeys(terms), key=lambda term: (_ORDER[type(term)], str(term))))


def _asks_status(term: Term) -> bool:
    """Whether it chooses statuses: a positive one, without wildcards."""
    return (
        isinstance(term, ColumnTerm)
        and term.column == "status"
        and not term.negative
        and all(pattern.is_literal for pattern in term.values)
    )


def _status_term(key: str, values: tuple[Pattern, ...]) -> ColumnTerm:
    index = next((i for i, column in enumerate(columns_for(key)) if column.id == "status"), -1)
    return ColumnTerm("status", index, "text", "=", values)


def _nothing() -> None:
    """For terms that look at the row alone."""


def _whole(row: Row) -> Callable[[], Any]:
    decoded: list[Any] = []

    def whole() -> Any:
        if not decoded:
            decoded.append(row.whole())
        return decoded[0]

    return whole
