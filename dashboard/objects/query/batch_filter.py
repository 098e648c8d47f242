"""Filter for batches of rows, with the results of `Query.matches` but without calls for each row.

A new filter is applied to every row of a kind. One call per row and term is most of the cost of that, so each term has
a function for a batch here; where that would not be faster it is asked row by row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import ColumnTerm, Fields, LabelTerm, Term, WordTerm, cell_at

BatchPredicate = Callable[[Sequence[Row], float], list[bool]]
"""Whether a term matches each of these rows at a moment (Unix seconds)."""

NEVER = float("inf")
CACHE_SIZE = 4096
"""Different values of a column whose results are cached while a filter is applied."""
_NUMBERS = frozenset({int, float})
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class BatchFilter:
    """The filter of one query. `fields` as for `Query.matches`."""

    def __init__(self, query: Query, fields: Fields) -> None:
        self._namespaces = frozenset(query.namespaces)
        self._predicates = [_predicate_of(term, fields) for term in query.terms]
        self._ageing = [
            term
            for term in query.terms
            if isinstance(term, ColumnTerm) and term.order == "age" and isinstance(term.operand, float)
        ]

    def through(self, rows: Sequence[Row], now: float) -> list[Row]:
        """Those of `rows` that the query matches at `now` (Unix seconds), in their order."""
        if self._namespaces:
            rows = [row for row in rows if row.namespace in self._namespaces]
        for predicate in self._predicates:
            rows = list(compress(rows, predicate(rows, now)))
        return list(rows)

    def next_dues(self, rows: Sequence[Row], now: float) -> list[float]:
        """When time alone may change the result of each row, as `Query.next_due`; NEVER where it will not."""
        soonest = [NEVER] * len(rows)
        for term in self._ageing:
            moments = [value + term.operand if type(value) in _NUMBERS else NEVER for value in _cells(rows, term.index)]
            soonest = [min(one, due) if due > now else one for one, due in zip(soonest, moments, strict=True)]
        return soonest


def _predicate_of(term: Term, fields: Fields) -> BatchPredicate:
    if isinstance(term, WordTerm) and term.pattern.is_literal and "/" not in term.pattern.text:
        return _word(term)
    if isinstance(term, LabelTerm) and all(pattern.is_literal for pattern in term.values or ()):
        return _label(term)
    if isinstance(term, ColumnTerm):
        return _equals(term) if term.op == "=" else _compares(term)
    return lambda rows, now: [term.matches(row, now, fields) for row in rows]


def _word(term: WordTerm) -> BatchPredicate:
    piece = term.pattern.text.casefold()
    if term.negative:
        return lambda rows, _: [piece not in row.name.casefold() for row in rows]
    return lambda rows, _: [piece in row.name.casefold() for row in rows]


def _label(term: LabelTerm) -> BatchPredicate:
    label = term.label
    if term.values is None:
        return lambda rows, _: [(label in row.labels) != term.negative for row in rows]
    wanted = frozenset(pattern.text for pattern in term.values)
    if term.negative:
        return lambda rows, _: [row.labels.get(label) not in wanted for row in rows]
    return lambda rows, _: [row.labels.get(label) in wanted for row in rows]


def _equals(term: ColumnTerm) -> BatchPredicate:
    negative, says = term.negative, term.accepts
    if (literals := term.literals) is not None:
        answers = _Answers(term)
        return lambda rows, _: [
            (value.casefold() in literals) != negative if type(value) is str and value else answers[value]
            for value in _cells(rows, term.index)
        ]
    if len(term.values) > 1:
        return lambda rows, now: [says(value, now) for value in _cells(rows, term.index)]
    fits = term.values[0].matches
    return lambda rows, now: [
        fits(value) != negative if type(value) is str and value else says(value, now)
        for value in _cells(rows, term.index)
    ]


def _compares(term: ColumnTerm) -> BatchPredicate:
    operand, negative, compare = term.operand, term.negative, _COMPARE[term.op]
    if type(operand) in _NUMBERS and term.order == "age":
        return lambda rows, now: [
            compare(now - value, operand) != negative if type(value) in _NUMBERS else term.accepts(value, now)
            for value in _cells(rows, term.index)
        ]
    if type(operand) in _NUMBERS and term.order == "number":
        return lambda rows, now: [
            compare(value, operand) != negative if type(value) in _NUMBERS else term.accepts(value, now)
            for value in _cells(rows, term.index)
        ]
    if term.order != "age":
        answers = _Answers(term)
        return lambda rows, _: [answers[value] for value in _cells(rows, term.index)]
    return lambda rows, now: [term.accepts(value, now) for value in _cells(rows, term.index)]


class _Answers(dict[Cell, bool]):
    """Results of a term that do not depend on time, by value, each computed once while there are few."""

    def __init__(self, term: ColumnTerm) -> None:
        self._term = term

    def __missing__(self, value: Cell) -> bool:
        is_accepted = self._term.accepts(value, 0.0)
        if len(self) < CACHE_SIZE:
            self[value] = is_accepted
        return is_accepted


def _cells(rows: Sequence[Row], index: int) -> list[Any]:
    """The value of each row at a ColumnTerm's index."""
    if index >= 0:
        try:
            return [row.cells[index] for row in rows]
        except IndexError:
            pass  # some rows are from before their kind had such a column
    return [cell_at(row, index) for row in rows]
