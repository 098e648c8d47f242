"""Parser of a filter's text: terms, and mistakes with their position and what was expected.

The grammar, terms separated by spaces and all of them needed::

    web                 names that contain it; web-* names that begin so; shop/web with the namespace
    status=Running,Error    one of these; * stands for anything, case does not matter
    cpu>500m  memory>80%    what objects use, and its share of what they may use; cpu= is not known
    restarts>3  age<1h  ready<1     numbers, ages and fractions compare by = != > < >= <=
    ns=team-1  node=node-3  any column by its name; node= has none
    label:app=web  label:app    a label's value; that it is there
    .spec.ip=10.0.0.1   any field by its path; < and > for numbers, durations, addresses and dates
    .spec.containers[*].image=*nginx*   .status.conditions[?(@.type==Ready)].status=True   .spec.nodeName: it is there
    -status=Running     not; the same as status!=Running; and == as kubectl takes it for =
    "a b"               quotation marks keep spaces, commas and stars together
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from dashboard.objects.paths.field_path import FieldPath, InvalidPath, looks_like_path
from dashboard.objects.printers import IndexedColumns
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.terms import (
    VIRTUAL_COLUMNS,
    ColumnTerm,
    LabelTerm,
    Op,
    PathTerm,
    Term,
    UsageTerm,
    WordTerm,
    parse_operand,
    usage_operand,
)
from dashboard.objects.query.tokenizer import FilterSyntaxError, QueryProblem, Token, tokenize
from dashboard.objects.query.wildcard import Pattern
from dashboard.objects.usage.usage_field import UsageField
from informerd.selectors.label_requirement import label_key_problem
from informerd.suggest import suggest_names

_LABEL = "label:"
_ALIASES = {"ns": "namespace", "tone": "health"}
_EXPECTED = {
    "age": "an age such as 90s, 15m, 1h30m or 2d",
    "number": "a number",
    "fraction": "a fraction or a number, such as 1/2 or 0.5",
}
_SIGNS = {
    "!": "Write a dash before what you do not want, as in -status=Running.",
}
"""Characters that no column's name begins with, and what to write instead."""
MOST_TERMS = 50
MAX_FILTER_LENGTH = 2000
"""Maximum characters of a filter that are read."""


@dataclass(frozen=True, slots=True)
class ParsedFilter:
    """The meaning of a filter's text. `namespaces` come from ``ns=`` and belong in the address."""

    terms: tuple[Term, ...]
    namespaces: tuple[str, ...]
    problems: tuple[QueryProblem, ...]


def parse_filter(text: str, columns: IndexedColumns, title: str) -> ParsedFilter:
    """The parsed filter for a kind with these columns; `title` is its name for messages. Never raises."""
    terms: dict[Term, None] = {}
    namespaces: dict[str, None] = {}
    problems: list[QueryProblem] = []
    reader = TermParser(columns, title)
    for token in tokenize(text[:MAX_FILTER_LENGTH], problems):
        try:
            term = reader.read(token)
        except FilterSyntaxError as mistake:
            problems.append(QueryProblem("q", mistake.start, mistake.end, mistake.message))
            continue
        if _is_choice_of_namespaces(term):
            namespaces.update(dict.fromkeys(p.text for p in cast("ColumnTerm", term).values))
        elif len(terms) < MOST_TERMS:
            terms[term] = None
        else:
            problems.append(QueryProblem("q", token.start, len(text), f"Only the first {MOST_TERMS} parts are used."))
            break
    if len(text) > MAX_FILTER_LENGTH:
        problems.append(
            QueryProblem("q", MAX_FILTER_LENGTH, len(text), f"Only the first {MAX_FILTER_LENGTH} characters are read.")
        )
    return ParsedFilter(tuple(terms), tuple(namespaces), tuple(sorted(problems, key=lambda problem: problem.start)))


class TermParser:
    """Makes terms of tokens for one kind."""

    def __init__(self, columns: IndexedColumns, title: str) -> None:
        self._title = title
        self._columns = {column.id: (index, column) for index, column in columns}
        self._names = {_plain(name): column.id for _, column in columns for name in (column.header, column.id)}

    def read(self, token: Token) -> Term:
        """The term of a token. Raises FilterSyntaxError where it is none."""
        begin = 1 if token.text[0] == "-" and not token.quoted[0] and len(token.text) > 1 else 0
        negative = begin == 1
        operator = token.find_operator()
        if token.text.startswith(_LABEL, begin) and not any(token.quoted[begin : begin + len(_LABEL)]):
            return self._label(token, begin, negative, operator)
        if token.text[begin] == "." and not token.quoted[begin]:
            return self._path(token, begin, negative)
        if operator is None:
            return self._word(token, begin, negative)
        return self._column(token, begin, negative, operator)

    def _word(self, token: Token, begin: int, negative: bool) -> Term:
        name, colon, rest = token.text[begin:].partition(":")
        token.refuse_connective(begin)
        if colon and rest and not any(token.quoted) and self._find(name) is not None:
            raise FilterSyntaxError(f"Write {name}={rest} to filter by that column.", token.start, token.end)
        return WordTerm(token.pattern(begin), negative)

    def _label(self, token: Token, begin: int, negative: bool, operator: re.Match[str] | None) -> Term:
        after = begin + len(_LABEL)
        end = operator.start() if operator else len(token.text)
        key = token.text[after:end]
        if label_key_problem(key):
            raise FilterSyntaxError(
                "Write a label's name after label:, as in label:app=web.", token.position(after), token.position(end)
            )
        if operator is None:
            return LabelTerm(key, None, negative)
        if operator.group() not in ("=", "==", "!="):
            raise FilterSyntaxError(
                "Compare a label with = or !=, as in label:app=web.",
                token.position(operator.start()),
                token.position(operator.end()),
            )
        return LabelTerm(key, token.patterns(operator.end()), negative != (operator.group() == "!="))

    def _path(self, token: Token, begin: int, negative: bool) -> Term:
        operator = _operator_behind_path(token)
        end = operator.start() if operator else len(token.text)
        try:
            path = FieldPath(token.text[begin:end])
        except InvalidPath as wrong:
            start, end = token.position(begin + wrong.start), token.position(begin + wrong.end)
            raise FilterSyntaxError(wrong.message, start, end) from None
        if operator is None:
            return PathTerm(path, "=", None, negative)
        op, negative = _split(operator.group(), negative)
        term = PathTerm(path, op, token.patterns(operator.end()), negative)
        if op != "=" and (not _single(term.values or ()) or term.operand is None):
            message = f"Write a number, a quantity, a duration, an address or a date after {op}."
            raise FilterSyntaxError(message, token.position(operator.end()), token.end)
        return term

    def _column(self, token: Token, begin: int, negative: bool, operator: re.Match[str]) -> Term:
        name = token.text[begin : operator.start()]
        if name[:1] in _SIGNS:
            raise FilterSyntaxError(_SIGNS[name[0]], token.position(begin), token.position(begin + 1))
        resolved = self._find(name)
        if resolved is None:
            message = self._unknown(name, token.text[operator.end() :])
            raise FilterSyntaxError(
                message, token.position(begin), token.position(operator.start() if name else operator.end())
            )
        column, index, order = resolved
        op, negative = _split(operator.group(), negative)
        values = token.patterns(operator.end())
        if column in self._columns and (usage := self._columns[column][1].usage) is not None:
            return _usage(column, usage, op, values, negative, token, operator)
        if op == "=" and (order != "age" or values == (Pattern(("",)),)):
            return ColumnTerm(column, index, order, op, values, negative)
        if order == "text" or index < 0:
            raise FilterSyntaxError(
                f"Compare {column} with = or !=, as in {column}=value.",
                token.position(operator.start()),
                token.position(operator.end()),
            )
        if order == "age" and op == "=":
            message = f"Compare {column} with <, <=, > or >=, as in {column}<1h."
            raise FilterSyntaxError(message, token.position(operator.start()), token.position(operator.end()))
        if not _single(values) or not values[0].text or parse_operand(order, values[0].text) is None:
            expected = _EXPECTED.get(order, "one value")
            raise FilterSyntaxError(
                f"Write {expected} after {operator.group()}.", token.position(operator.end()), token.end
            )
        return ColumnTerm(column, index, order, op, values, negative)

    def _find(self, name: str) -> tuple[str, int, Order] | None:
        """Column id, index of the cell and order for a typed name."""
        plain = _plain(_ALIASES.get(name.lower(), name))
        column_id = self._names.get(plain)
        if column_id is not None:
            index, column = self._columns[column_id]
            return column_id, index, column.order
        if plain in VIRTUAL_COLUMNS:
            return plain, *VIRTUAL_COLUMNS[plain]
        return None

    def _unknown(self, name: str, value: str) -> str:
        if not name:
            return "Write the name of a column right before the sign, without a space, as in status=Running."
        if _plain(name) in ("ns", "namespace"):
            return f"{self._title} belong to no namespace."
        names = [*self._columns, *(v for v in VIRTUAL_COLUMNS if v not in self._columns)]
        if looks_like_path(name):
            return f"{self._title} have no column {name!r}. Write .{name} for the field of that path."
        near = suggest_names(name, names)
        hint = f"Did you mean {near[0]}? " if near else "" if label_key_problem(name) else _label_meant(name, value)
        return f"{self._title} have no column {name!r}. {hint}A filter may name {', '.join(names[:-1])} or {names[-1]}."


def _usage(
    column: str,
    usage: UsageField,
    op: Op,
    values: tuple[Pattern, ...],
    negative: bool,
    token: Token,
    operator: re.Match[str],
) -> UsageTerm:
    text = values[0].text if _single(values) else "*"
    if (op != "=" or text) and (op == "=" or usage_operand(usage, text) is None):
        amount = "500m" if usage.resource == "cpu" else "1Gi"
        example = "80%" if usage.is_share else f"{amount} or 80%"
        message = f"Compare {column} with <, <=, > or >=, as in {column}>{example}. {column}= has those not known."
        raise FilterSyntaxError(message, token.position(operator.start()), token.end)
    return UsageTerm(column, usage, op, text, negative)


def _label_meant(name: str, value: str) -> str:
    return f"Did you mean the label, label:{name}{'=' if value else ''}{value}? "


def _operator_behind_path(token: Token) -> re.Match[str] | None:
    """The first operator outside brackets, because conditions have their own; any operator where brackets are
    not closed.
    """
    depth = 0
    for index, character in enumerate(token.text):
        depth += (character == "[") - (character == "]")
        operator = None if depth else token.operator_at(index)
        if operator is not None:
            return operator
    return token.find_operator() if depth else None


def _split(operator: str, negative: bool) -> tuple[Op, bool]:
    if operator == "!=":
        return "=", not negative
    return cast("Op", "=" if operator == "==" else operator), negative


def _single(values: tuple[Pattern, ...]) -> bool:
    return len(values) == 1 and values[0].is_literal


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_choice_of_namespaces(term: Term) -> bool:
    return (
        isinstance(term, ColumnTerm)
        and term.column == "namespace"
        and term.op == "="
        and not term.negative
        and all(p.is_literal and p.text for p in term.values)
    )
