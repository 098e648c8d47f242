"""Suggestions for a filter that matches nothing: the parts that no row of the kind matches, and existing values.

No rows are searched for that: `ValueCounts` knows the values. A part that matches some rows gets no suggestion: then
only the combination matches nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dashboard.live.index.value_counts import ColumnSource, LabelSource, ValueCounter, ValueCounts, ValueSource
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.path_suggestions import sample_objects, suggest_path
from dashboard.objects.printers import list_columns
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.parser import parse_filter
from dashboard.objects.query.terms import ColumnTerm, LabelTerm, Term, WordTerm, parse_operand
from dashboard.objects.query.wildcard import Pattern

MAX_ALTERNATIVES = 8
"""Most values that are suggested."""
MAX_SOURCES = 8
"""Most columns and labels that are counted for one filter, so that other lists get theirs."""
_COMPARED = {"age": "a time ago", "number": "a number", "fraction": "a fraction or a number"}
"""Orders of columns whose values are amounts, in words: similar spelling means nothing for them."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another part for a filter, and the list with it."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`part` of a filter, why nothing matches it, and what would match."""

    part: str
    words: str
    alternatives: tuple[Alternative, ...] = ()
    is_likely: bool = False
    """Whether `alternatives` are the probable intention, and not only the existing values."""


class Suggester:
    """Suggestions from the rows of one kind."""

    def __init__(self, kind: KindInfo, query: Query, values: ValueCounts, on_update: Callable[[], None]) -> None:
        """`on_update` is called when more values are known than before."""
        self._kind = kind
        self._query = query
        self._values = values
        self._on_update = on_update
        self._listened_sources: set[ValueSource] = set()

    def suggestions(self) -> tuple[Suggestion, ...]:
        """A suggestion for each part that no row matches, as far as is known now."""
        return tuple(self._all())

    def _all(self) -> Iterator[Suggestion]:
        for term in self._query.terms:
            match term:
                case ColumnTerm(op="=", negative=False) if term.order in _COMPARED:
                    yield from self._of_amounts(term)
                case ColumnTerm(op="=", negative=False):
                    if all(pattern.is_literal for pattern in term.values):
                        yield from self._of_column(term)
                case LabelTerm(negative=False):
                    yield from self._of_label(term)
                case WordTerm(negative=False):
                    yield from self._of_word(term)

    def _of_column(self, term: ColumnTerm) -> Iterator[Suggestion]:
        there = self._ask(ColumnSource(term.index))
        if there is None or any(there.texts.has(pattern.text) for pattern in term.values if pattern.text):
            return
        title = self._kind.title
        if term.values[0].text:
            words = f"None of the {title} has the {term.column} {_column_text(term.values)}."
        else:
            words = f"All {title} have a {term.column}."
        yield self._offering(term, words, there)

    def _of_amounts(self, term: ColumnTerm) -> Iterator[Suggestion]:
        if any(pattern.text and parse_operand(term.order, pattern.text) is None for pattern in term.values):
            yield Suggestion(str(term), f"The value of {term.column} is {_COMPARED[term.order]}.")

    def _of_label(self, term: LabelTerm) -> Iterator[Suggestion]:
        names = self._ask(LabelSource())
        if names is None:
            return
        if not names.texts.has(term.label):
            near = names.texts.nearest(term.label)
            other = (self._with(term, replace(term, label=near)),) if near else ()
            yield Suggestion(
                str(term), f"None of the {self._kind.title} has a label {term.label}.", other, is_likely=bool(near)
            )
            return
        values = term.values or ()
        there = self._ask(LabelSource(term.label)) if values and all(pattern.is_literal for pattern in values) else None
        if there is None or any(there.texts.has(pattern.text) for pattern in values):
            return
        named = _column_text(values)
        words = f"None of the {self._kind.title} has the label {term.label} {f'with {named}' if named else 'empty'}."
        yield self._offering(term, words, there)

    def _of_word(self, term: WordTerm) -> Iterator[Suggestion]:
        """Suggestion for ``app:web``, a common notation of labels."""
        name, colon, value = term.pattern.text.partition(":") if term.pattern.is_literal else ("", "", "")
        if not (name and colon and value):
            return
        read = parse_filter(
            f"label:{name}={Pattern((value,)).written()}", list_columns(self._kind.key), self._kind.title
        )
        if read.terms:
            words = f"No name contains {term.pattern.text}."
            yield Suggestion(term.pattern.text, words, (self._with(term, read.terms[0]),), is_likely=True)

    def _ask(self, source: ValueSource) -> ValueCounter | None:
        """The values, once they have been counted; None also where there is no room to count them."""
        if source not in self._listened_sources and len(self._listened_sources) == MAX_SOURCES:
            return None
        self._listened_sources.add(source)
        column = self._values.use(source)
        if column is None or column.ready:
            return column
        column.listeners.add(self._on_update)
        return None

    def _offering(self, term: ColumnTerm | LabelTerm, words: str, there: ValueCounter) -> Suggestion:
        """A suggestion with the value most similar to the first requested one, or else the most frequent."""
        wanted = term.values[0].text if term.values else ""
        near = there.texts.nearest(wanted) if wanted else ""
        offered = [near] if near else [each.value for each in there.texts.most_common("")[:MAX_ALTERNATIVES]]
        instead = tuple(self._with(term, replace(term, values=(Pattern((text,)),))) for text in offered)
        return Suggestion(str(term), words, instead, is_likely=bool(near))

    def _with(self, old: Term, new: Term) -> Alternative:
        terms = tuple(new if term == old else term for term in self._query.terms)
        return Alternative(str(new), self._query.with_(terms=terms).href())


def _column_text(patterns: tuple[Pattern, ...]) -> str:
    return " or ".join(pattern.text for pattern in patterns)


@dataclass(frozen=True, slots=True)
class UnknownPath:
    """A path that no object has; `href` is the list with `suggested_path` instead. Both are empty if none is near."""

    path: str
    suggested_path: str = ""
    href: str = ""


def find_unknown_paths(query: Query, paths: Iterable[FieldPath], rows: Mapping[str, Row]) -> tuple[UnknownPath, ...]:
    """Suggestions for `paths`, which no object has. `rows` are those of the kind; some of them are searched."""
    wanted = tuple(paths)
    if not wanted:
        return ()
    objects = sample_objects(rows.values())
    return tuple([_absent(query, path, suggest_path(path, objects)) for path in wanted])


def _absent(query: Query, path: FieldPath, suggested: FieldPath | None) -> UnknownPath:
    if suggested is None:
        return UnknownPath(path.text)
    return UnknownPath(path.text, suggested.text, query.with_path(suggested, path).href())
