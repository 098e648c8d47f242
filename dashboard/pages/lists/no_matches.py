"""What may have been meant where nothing matches: parts of the filter that no row of the kind has, and what it has.

Rows are not gone through for that: `RowValues` knows what there is. A part that some rows have is never spoken of: then
it is the parts together that nothing has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dashboard.live.row_values import Cells, ColumnValues, Labels, RowValues, Source
from dashboard.resources.filter_text import read_filter
from dashboard.resources.kinds import KindInfo
from dashboard.resources.pattern import Pattern
from dashboard.resources.query import Query
from dashboard.resources.rows import columns_for
from dashboard.resources.terms import ColumnTerm, LabelTerm, Term, Word, operand_for

OFFERED = 8
"""Values that are offered instead."""
MOST_SOURCES = 8
"""Columns and labels that are asked for at most: a filter may name very many, and other lists need theirs."""
_COMPARED = {"age": "a time ago", "number": "a number", "fraction": "a fraction or a number"}
"""Orders of columns whose values are amounts, in words: none is near another by its spelling."""


@dataclass(frozen=True, slots=True)
class Instead:
    """Another part of a filter, and the list with it."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Hint:
    """`part` of a filter, why nothing matches it, and what would."""

    part: str
    words: str
    instead: tuple[Instead, ...] = ()
    meant: bool = False
    """Whether `instead` is what was probably meant, and not just what there is."""


class Hints:
    """Of one kind's rows."""

    def __init__(self, kind: KindInfo, query: Query, values: RowValues, told: Callable[[], None]) -> None:
        """`told` is called when more is known than what `found` said."""
        self._kind = kind
        self._query = query
        self._values = values
        self._told = told
        self._asked: set[Source] = set()

    def found(self) -> tuple[Hint, ...]:
        """A hint for each part that no row has, as far as that is known by now."""
        return tuple(self._all())

    def _all(self) -> Iterator[Hint]:
        for term in self._query.terms:
            match term:
                case ColumnTerm(op="=", negative=False) if term.order in _COMPARED:
                    yield from self._of_amounts(term)
                case ColumnTerm(op="=", negative=False):
                    if all(pattern.is_literal for pattern in term.values):
                        yield from self._of_column(term)
                case LabelTerm(negative=False):
                    yield from self._of_label(term)
                case Word(negative=False):
                    yield from self._of_word(term)

    def _of_column(self, term: ColumnTerm) -> Iterator[Hint]:
        there = self._ask(Cells(term.index))
        if there is None or any(there.texts.has(pattern.text) for pattern in term.values if pattern.text):
            return
        title = self._kind.title
        if term.values[0].text:
            words = f"None of the {title} has the {term.column} {_named(term.values)}."
        else:
            words = f"All {title} have a {term.column}."
        yield self._offering(term, words, there)

    def _of_amounts(self, term: ColumnTerm) -> Iterator[Hint]:
        if any(pattern.text and operand_for(term.order, pattern.text) is None for pattern in term.values):
            yield Hint(str(term), f"What {self._kind.title} have as {term.column} is {_COMPARED[term.order]}.")

    def _of_label(self, term: LabelTerm) -> Iterator[Hint]:
        names = self._ask(Labels())
        if names is None:
            return
        if not names.texts.has(term.label):
            near = names.texts.nearest(term.label)
            other = (self._with(term, replace(term, label=near)),) if near else ()
            yield Hint(str(term), f"None of the {self._kind.title} has a label {term.label}.", other, meant=bool(near))
            return
        values = term.values or ()
        there = self._ask(Labels(term.label)) if values and all(pattern.is_literal for pattern in values) else None
        if there is None or any(there.texts.has(pattern.text) for pattern in values):
            return
        named = _named(values)
        words = f"None of the {self._kind.title} has the label {term.label} {f'with {named}' if named else 'empty'}."
        yield self._offering(term, words, there)

    def _of_word(self, term: Word) -> Iterator[Hint]:
        """``app:web``, as others write labels."""
        name, colon, value = term.pattern.text.partition(":") if term.pattern.is_literal else ("", "", "")
        if not (name and colon and value):
            return
        read = read_filter(f"label:{name}={Pattern((value,)).written()}", columns_for(self._kind.key), self._kind.title)
        if read.terms:
            words = f"No name has {term.pattern.text} in it."
            yield Hint(term.pattern.text, words, (self._with(term, read.terms[0]),), meant=True)

    def _ask(self, source: Source) -> ColumnValues | None:
        """The values, once they have been counted; None also where there is no room to count them."""
        if source not in self._asked and len(self._asked) == MOST_SOURCES:
            return None
        self._asked.add(source)
        column = self._values.use(source)
        if column is None or column.ready:
            return column
        column.told.add(self._told)
        return None

    def _offering(self, term: ColumnTerm | LabelTerm, words: str, there: ColumnValues) -> Hint:
        """A hint with the value most like the first that is asked for, or else the commonest."""
        wanted = term.values[0].text if term.values else ""
        near = there.texts.nearest(wanted) if wanted else ""
        offered = [near] if near else [each.value for each in there.texts.commonest("")[:OFFERED]]
        instead = tuple(self._with(term, replace(term, values=(Pattern((text,)),))) for text in offered)
        return Hint(str(term), words, instead, meant=bool(near))

    def _with(self, old: Term, new: Term) -> Instead:
        terms = tuple(new if term == old else term for term in self._query.terms)
        return Instead(str(new), self._query.with_(terms=terms).href())


def _named(patterns: tuple[Pattern, ...]) -> str:
    return " or ".join(pattern.text for pattern in patterns)
