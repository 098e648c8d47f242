"""Parser of label selectors: ``app=web,tier in (a,b),!legacy,size>3`` (the grammar of apimachinery's labels.Parse).

It accepts and refuses exactly what the API server does, its oddities included: ``in`` and ``notin`` are keys and values
too, ``()`` holds the empty value, ``(a,)`` two values, and a NUL ends a word or, by itself, the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from informerd.errors import MalformedSelector
from informerd.selectors.label_requirement import (
    Operator,
    Requirement,
    label_key_problem,
    label_value_problem,
    values_problem,
)

_BLANK = " \t\r\n"
_SIGN = r"!=|==|[=!(),><]"
_TOKEN = re.compile(rf"[{_BLANK}]*(?:(?P<sign>{_SIGN})\0?|(?P<word>[^=!(),><{_BLANK}\0]+)\0?|(?P<end>\0|\Z))")
_OPERATORS: dict[str, Operator] = {
    "=": "In", "==": "In", "!=": "NotIn", "in": "In", "notin": "NotIn", ">": "Gt", "<": "Lt",
}  # fmt: skip


class _Token(NamedTuple):
    text: str
    """Empty at the end."""
    position: int
    is_word: bool = False

    @property
    def is_end(self) -> bool:
        return not self.text

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end"


def parse_requirements(text: str) -> list[Requirement]:
    """The requirements in the order in which they are written. Raises MalformedSelector."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0

    def parse(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        if self._next.is_end:
            return requirements
        while True:
            requirements.append(self._requirement())
            separator = self._take()
            if separator.is_end:
                return requirements
            if separator.text != ",":
                raise self._unexpected(separator, "',' or the end")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        token = self._next
        self._place += 1
        return token

    def _requirement(self) -> Requirement:
        negated = self._next.text == "!"
        if negated:
            self._take()
        key = self._take()
        if not key.is_word:
            raise self._unexpected(key, "a label key")
        if problem := label_key_problem(key.text):
            raise self._wrong(key, problem)
        if negated:
            return Requirement(key.text, "DoesNotExist")
        if self._next.is_end or self._next.text == ",":
            return Requirement(key.text, "Exists")
        return self._comparison(key.text)

    def _comparison(self, key: str) -> Requirement:
        sign = self._take()
        operator = _OPERATORS.get(sign.text)
        if operator is None:
            raise self._unexpected(sign, "one of =, ==, !=, in, notin, >, <")
        if sign.is_word:
            return Requirement(key, operator, self._set())
        value = self._value()
        values = frozenset((value.text,))
        if problem := values_problem(operator, values):
            raise self._wrong(value, problem)
        return Requirement(key, operator, values)

    def _value(self) -> _Token:
        if self._next.is_end or self._next.text == ",":
            return self._next._replace(text="")
        token = self._take()
        if not token.is_word:
            raise self._unexpected(token, "a label value")
        return token

    def _set(self) -> frozenset[str]:
        """Values between parentheses; where nothing stands before or behind a comma, that is the empty value."""
        opening = self._take()
        if opening.text != "(":
            raise self._unexpected(opening, "'('")
        values: set[str] = set()
        while True:
            if self._next.is_word:
                values.add(self._checked(self._take()))
            elif self._next.text in (",", ")"):
                values.add("")
            separator = self._take()
            if separator.text == ")":
                return frozenset(values)
            if separator.text != ",":
                raise self._unexpected(separator, "a label value, ',' or ')'")

    def _checked(self, value: _Token) -> str:
        if problem := label_value_problem(value.text):
            raise self._wrong(value, problem)
        return value.text

    def _unexpected(self, token: _Token, expected: str) -> MalformedSelector:
        return self._wrong(token, f"found {token}, expected {expected}")

    def _wrong(self, token: _Token, problem: str) -> MalformedSelector:
        return MalformedSelector(self._text, problem, position=token.position)


def _tokens(text: str) -> list[_Token]:
    """All tokens, the end as the last."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "end"
        if kind == "end":
            tokens.append(_Token("", match.start(kind)))
            break
        tokens.append(_Token(match[kind], match.start(kind), kind == "word"))
    return tokens
