"""Tokenizer of a filter's text: it is split at spaces, and each character keeps its position for error messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.objects.query.wildcard import Pattern

_OPERATOR = re.compile(r"!=|>=|<=|==?|>|<")
_SHORT = re.compile(r"[=<>]")

_EITHER = "All parts of a filter must match. Write one of several values as status=Running,Error."
_NO_BRACKETS = (
    "A filter has no brackets. All its parts must match; write one of several values as status=Running,Error."
)
_NO_EXPRESSIONS = "A filter has no regular expressions. Write * for any characters, as in name=web-*."
_CONNECTIVES = {
    "OR": _EITHER,
    "||": _EITHER,
    "|": _EITHER,
    "AND": "All parts of a filter must match anyway: leave this word out.",
    "&&": "All parts of a filter must match anyway: leave this word out.",
    "NOT": "Write a dash before what you do not want, as in -status=Running.",
    "!": "Write a dash before what you do not want, as in -status=Running.",
}
"""Operators of other filter languages that are written in another way here; between quotation marks they are names."""


@dataclass(frozen=True, slots=True)
class QueryProblem:
    """A mistake in an address: the parameter, start and end in its text, and what was expected."""

    param: str
    start: int
    end: int
    message: str
    text: str = ""
    """The parameter's text, in which `start` and `end` are shown; empty where the message is enough."""


class FilterSyntaxError(Exception):
    """A term that cannot be read; `start` and `end` are positions in the filter's text."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the filter between spaces, with the position of each character and whether it was quoted."""

    text: str
    positions: tuple[int, ...]
    quoted: tuple[bool, ...]
    start: int
    end: int

    def position(self, index: int) -> int:
        """Position in the filter of the character at `index`; the token's end after the last one."""
        return self.positions[index] if index < len(self.positions) else self.end

    def find_operator(self) -> re.Match[str] | None:
        """The first operator outside quotation marks."""
        places = (index for index, character in enumerate(self.text) if character in "!<>=")
        return next((operator for index in places if (operator := self.operator_at(index)) is not None), None)

    def operator_at(self, index: int) -> re.Match[str] | None:
        """The operator that begins at `index`, outside quotation marks."""
        for operators in (_OPERATOR, _SHORT):  # of x="=y" the second sign belongs to the value
            match = operators.match(self.text, index)
            if match is not None and not any(self.quoted[match.start() : match.end()]):
                return match
        return None

    def refuse_connective(self, begin: int) -> None:
        """Raises FilterSyntaxError for a word that joins or negates terms in other filter languages."""
        if (message := _CONNECTIVES.get(self.text[begin:])) is not None and not any(self.quoted):
            raise FilterSyntaxError(message, self.start, self.end)

    def patterns(self, begin: int) -> tuple[Pattern, ...]:
        """The values from `begin` on: commas separate them, unless quoted. Each once, in one order. Raises
        FilterSyntaxError for a regular expression, as other filter languages have it.
        """
        if self.text[begin : begin + 1] == "~" and not self.quoted[begin]:
            raise FilterSyntaxError(_NO_EXPRESSIONS, self.position(begin), self.end)
        patterns: list[Pattern] = []
        start = begin
        for index in range(begin, len(self.text) + 1):
            if index == len(self.text) or (self.text[index] == "," and not self.quoted[index]):
                patterns.append(self.pattern(start, index))
                start = index + 1
        return tuple(sorted(set(patterns), key=lambda pattern: pattern.pieces))

    def pattern(self, begin: int, end: int | None = None) -> Pattern:
        """The value from `begin` to `end`: unquoted stars are wildcards."""
        pieces = [""]
        for character, is_quoted in zip(self.text[begin:end], self.quoted[begin:end], strict=True):
            if character == "*" and not is_quoted:
                pieces.append("")
            else:
                pieces[-1] += character
        return Pattern(tuple(pieces))


def tokenize(text: str, problems: list[QueryProblem]) -> list[Token]:
    """The tokens of a text. A `QueryProblem` for each piece that is no token, and for each part in brackets, is added
    to `problems`.
    """
    return list(_without_brackets(_pieces(text, problems), problems))


def _without_brackets(tokens: list[Token], problems: list[QueryProblem]) -> Iterator[Token]:
    """The tokens outside brackets, as other filter languages have them; one that is not closed goes to the end."""
    opened: Token | None = None
    depth = 0
    for token in tokens:
        begin = 1 if token.text.startswith("-") and len(token.text) > 1 else 0
        if opened is None and token.text[begin] == "(" and not token.quoted[begin]:
            opened = token
        if opened is None:
            yield token
            continue
        depth += sum(
            (character == "(") - (character == ")")
            for character, is_quoted in zip(token.text, token.quoted, strict=True)
            if not is_quoted
        )
        if depth <= 0:
            problems.append(QueryProblem("q", opened.start, token.end, _NO_BRACKETS))
            opened, depth = None, 0
    if opened is not None:
        problems.append(QueryProblem("q", opened.start, tokens[-1].end, _NO_BRACKETS))


def _pieces(text: str, problems: list[QueryProblem]) -> list[Token]:
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token, place, closed = _token(text, place)
        if not closed:
            problems.append(QueryProblem("q", token.start, token.end, 'Write a closing quotation mark ".'))
        elif not token.text or (token.text == "-" and not token.quoted[0]):
            problems.append(
                QueryProblem(
                    "q", token.start, token.end, "Write a word or a condition here, as in web or status=Running."
                )
            )
        else:
            tokens.append(token)
    return tokens


def _token(text: str, start: int) -> tuple[Token, int, bool]:
    """The token at `start`, its end, and whether its quotation marks are closed."""
    characters: list[str] = []
    places: list[int] = []
    flags: list[bool] = []
    inside = False
    place = start
    while place < len(text) and (inside or not text[place].isspace()):
        if text[place] == '"':
            inside = not inside
            place += 1
            continue
        if inside and text[place] == "\\" and place + 1 < len(text):
            place += 1
        characters.append(text[place])
        places.append(place)
        flags.append(inside)
        place += 1
    return Token("".join(characters), tuple(places), tuple(flags), start, place), place, not inside
