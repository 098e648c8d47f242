"""Queries: the state of a list as its address carries it; every address gives a valid query."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dashboard.objects.kinds.catalog import find_kind
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers import NO_CELL, IndexedColumns, default_sort, list_columns
from dashboard.objects.printers.printer import path_column
from dashboard.objects.query.params import Params, param_values, read_columns, read_namespaces, read_page, read_sort
from dashboard.objects.query.parser import parse_filter
from dashboard.objects.query.row_order import ByCell, SortKey, by_name, by_path, by_usage
from dashboard.objects.query.terms import ColumnTerm, Fields, LabelTerm, PathTerm, Term, UsageTerm, WordTerm, read_field
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.objects.query.url_state import Pairs, UrlState
from dashboard.objects.query.wildcard import Pattern

__all__ = ["Query", "QueryProblem"]

MOST_PATHS = 10
"""Maximum number of fields by path that a list filters, sorts and shows; a field with several uses counts once."""

_ORDER = {WordTerm: 0, ColumnTerm: 1, UsageTerm: 1, LabelTerm: 2, PathTerm: 3}


@dataclass(frozen=True, kw_only=True)
class Query(UrlState):
    """State of a list. Equal states are equal, hash alike and have one address; see `to_params`."""

    key: str
    namespaces: tuple[str, ...] = ()
    """Sorted; empty means all."""
    terms: tuple[Term, ...] = ()
    sort: tuple[str, bool] = ("", False)
    """Column id or path and whether it is descending; an empty id means namespace and name."""
    page: int = 1
    columns: tuple[str, ...] = ()
    """Ids and paths of the columns to show, in order; empty means the usual ones."""
    input_text: str = field(default="", compare=False)
    """The filter's text as it came, mistakes included; positions of problems refer to it."""
    problems: tuple[QueryProblem, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, params: Params, key: str) -> Query:
        """The query of an address's parameters. Malformed parts are reported in `problems` and left out."""
        problems: list[QueryProblem] = []
        indexed, title = list_columns(key), _title(key)
        columns = tuple([column for _, column in indexed])
        typed = " ".join(param_values(params, "q")).strip()
        parsed = parse_filter(typed, indexed, title)
        problems.extend(parsed.problems)
        namespaces = parsed.namespaces or read_namespaces(params, problems)
        if namespaces and not any(column.id == "namespace" for column in columns):
            problems.append(QueryProblem("namespace", 0, 0, f"{title} belong to no namespace."))
            namespaces = ()
        query = cls(
            key=key,
            namespaces=tuple(sorted(set(namespaces))),
            terms=_in_order(parsed.terms),
            sort=read_sort(params, key, title, problems),
            page=read_page(params, problems),
            columns=read_columns(params, columns, title, problems),
            input_text=typed,
        )
        return replace(query.with_fewer_paths(MOST_PATHS, problems), input_text=typed, problems=tuple(problems))

    @property
    def hidden_inputs(self) -> tuple[tuple[str, str], ...]:
        """Names and values of hidden inputs in a filter form: everything but the filter and the page."""
        return tuple((name, value) for name, value in self.to_params() if name not in ("q", "page"))

    def all_params(self) -> Pairs:
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
        return replace(self, input_text="", problems=(), **changes)

    def with_sort(self, column: str) -> Query:
        """Sorted by that column, amounts with the largest first; in reverse order where it is sorted by it already."""
        is_amount = any(each.id == column and each.order == "number" for _, each in list_columns(self.key))
        return self.with_(sort=(column, not self.sort[1] if self.sort[0] == column else is_amount))

    @property
    def statuses(self) -> frozenset[str]:
        """The statuses that the filter selects, case-folded."""
        return frozenset(p.text.casefold() for term in self.terms if _asks_status(term) for p in term.values)  # type: ignore[union-attr]

    def with_status(self, status: str) -> Query:
        """With that status added to the selected ones, or removed where it is among them."""
        others = [term for term in self.terms if not _asks_status(term)]
        patterns = {p.text.casefold(): p for term in self.terms if _asks_status(term) for p in term.values}  # type: ignore[union-attr]
        if patterns.pop(status.casefold(), None) is None:
            patterns[status.casefold()] = Pattern((status,))
        if patterns:
            others.append(_status_term(self.key, tuple(patterns[name] for name in sorted(patterns))))
        return self.with_(terms=tuple(others))

    def without_statuses(self) -> Query:
        """The query without its choice of statuses, with which facets are counted."""
        return self.with_(terms=tuple(term for term in self.terms if not _asks_status(term)), page=self.page)

    def matches(self, row: Row, now: float, fields: Fields = read_field) -> bool:
        """Whether the row belongs to the list at `now` (Unix seconds)."""
        if self.namespaces and row.namespace not in self.namespaces:
            return False
        for term in self.terms:  # noqa: SIM110 - all() would make a generator for each of many entries
            if not term.matches(row, now, fields):
                return False
        return True

    def next_due(self, row: Row, now: float) -> float | None:
        """The next moment (Unix seconds) at which time alone may change `matches`; None: never."""
        if not self.is_time_dependent:
            return None
        return min((due for term in self.terms if (due := term.next_due(row, now)) is not None), default=None)

    # --- fields by path ---

    @cached_property
    def filter_paths(self) -> tuple[FieldPath, ...]:
        """Paths whose values all rows need before they can be filtered."""
        return tuple(dict.fromkeys(term.path for term in self.terms if isinstance(term, PathTerm)))

    @cached_property
    def sort_path(self) -> FieldPath | None:
        """The path whose values all rows need before they can be sorted; None where their cells have them."""
        return FieldPath(self.sort[0]) if is_path(self.sort[0]) else None

    @cached_property
    def required_paths(self) -> tuple[FieldPath, ...]:
        """Paths whose values all rows need before the list is complete."""
        sort = (self.sort_path,) if self.sort_path is not None else ()
        return tuple(dict.fromkeys((*self.filter_paths, *sort)))

    @cached_property
    def paths(self) -> tuple[FieldPath, ...]:
        """All paths that it filters, sorts and shows by, each once."""
        return tuple(dict.fromkeys((*self.required_paths, *self.column_paths)))

    @cached_property
    def column_paths(self) -> tuple[FieldPath, ...]:
        """The paths that it shows as columns."""
        return tuple(FieldPath(name) for name in self.columns if is_path(name))

    def with_fewer_paths(self, most: int, problems: list[QueryProblem]) -> Query:
        """The same query with the first `most` paths of filter, order and columns; the others become problems."""
        if len(self.paths) <= most:
            return self
        left = {path.text for path in self.paths[most:]}
        problems += [
            QueryProblem("paths", 0, 0, f"{path} is left out: a list has {most} fields by path at most.")
            for path in self.paths[most:]
        ]
        return self.without_paths(left)

    def with_path(self, path: FieldPath, instead_of: FieldPath) -> Query:
        """The same query with one path in the place of another."""
        sort, descending = self.sort
        return self.with_(
            terms=tuple(
                replace(term, path=path) if isinstance(term, PathTerm) and term.path == instead_of else term
                for term in self.terms
            ),
            sort=(path.text if sort == instead_of.text else sort, descending),
            columns=tuple(dict.fromkeys(path.text if name == instead_of.text else name for name in self.columns)),
        )

    def without_paths(self, paths: Collection[str]) -> Query:
        """The same query without filters, order and columns of these paths."""
        return self.with_(
            terms=tuple(term for term in self.terms if not (isinstance(term, PathTerm) and term.path.text in paths)),
            sort=self.sort if self.sort[0] not in paths else default_sort(self.key),
            columns=tuple(name for name in self.columns if name not in paths),
            page=self.page,
        )

    # --- order and columns ---

    @cached_property
    def is_time_dependent(self) -> bool:
        """Whether time alone can change which rows match."""
        return any(isinstance(term, ColumnTerm) and term.order == "age" and term.op != "=" for term in self.terms)

    @cached_property
    def sort_key(self) -> SortKey:
        """As `sort_key_by`, with fields by path read from each row."""
        return self.sort_key_by(read_field)

    def sort_key_by(self, fields: Fields) -> SortKey:
        """A key for ascending order: missing values last, ties by namespace, name and uid, whatever the direction."""
        column_id, descending = self.sort
        if not column_id:
            return by_name
        if self.sort_path is not None:
            return by_path(self.sort_path, descending, fields)
        index, column = next(each for each in list_columns(self.key) if each[1].id == column_id)
        if column.usage is not None:
            return by_usage(column.usage, descending, fields)
        return ByCell(index, column.order, descending)

    @cached_property
    def sorts_by_usage(self) -> bool:
        """Whether the order is that of a column of usage."""
        return any(column.id == self.sort[0] and column.usage is not None for _, column in list_columns(self.key))

    @cached_property
    def filters_by_usage(self) -> bool:
        """Whether usage decides which rows match."""
        return any(isinstance(term, UsageTerm) for term in self.terms)

    def visible_columns(self) -> IndexedColumns:
        """The columns to show, each with its cell's index in a row; NO_CELL where it has none."""
        numbered = list_columns(self.key)
        if not self.columns:
            return tuple((index, column) for index, column in numbered if column.priority < 2)
        by_id = {column.id: (index, column) for index, column in numbered}
        return tuple(by_id[name] if name in by_id else (NO_CELL, path_column(FieldPath(name))) for name in self.columns)


def is_path(name: str) -> bool:
    """Whether the name of a column in a query is a field's path."""
    return name.startswith(".")


def _title(key: str) -> str:
    kind = find_kind(key)
    return kind.title if kind is not None else key


def _in_order(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms in one order for equal filters: words, columns, labels, paths, each by its text."""
    return tuple(sorted(dict.fromkeys(terms), key=lambda term: (_ORDER[type(term)], str(term))))


def _asks_status(term: Term) -> bool:
    """Whether it selects statuses: not negated, without wildcards."""
    return (
        isinstance(term, ColumnTerm)
        and term.column == "status"
        and not term.negative
        and all(pattern.is_literal for pattern in term.values)
    )


def _status_term(key: str, values: tuple[Pattern, ...]) -> ColumnTerm:
    index = next((i for i, column in list_columns(key) if column.id == "status"), -1)
    return ColumnTerm("status", index, "text", "=", values)
