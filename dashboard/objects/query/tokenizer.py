"""Tokens: a filter's text cut at its spaces, with the places of every character for messages about mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dashboard.resources.pattern import Pattern

_OPERATOR = re.compile(r"!=|>=|<=|==?|>|<")
_SHORT = re.compile(r"[=<>]")

_EITHER = "all parts are needed; for one of several write status=Running,Error"
_CONNECTIVES = {
    "OR": _EITHER,
    "||": _EITHER,
    "|": _EITHER,
    "AND": "all parts are needed anyway: leave it out",
    "&&": "all parts are needed anyway: leave it out",
    "NOT": "write a dash before what is not wanted, as in -status=Running",
    "!": "write a dash before what is not wanted, as in -status=Running",
}
"""What other languages of filters have and this one writes in another way; between quotation marks they are names."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in an address: which parameter, from where to where in its text, and what was expected."""

    param: str
    start: int
    end: int
    message: str
    text: str = ""
    """The parameter's text, for `start` and `end` to be shown in; empty where the message has all that matters."""


class Mistake(Exception):
    """A term that cannot be read; `start` and `end` are places in the filter's text."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the filter between spaces, with where each character stood and whether it was quoted."""

    text: str
    places: tuple[int, ...]
    quoted: tuple[bool, ...]
    start: int
    end: int

    def place(self, index: int) -> int:
        """Where in the filter the character at `index` stood; the token's end behind the last one."""
        return self.places[index] if index < len(self.places) else self.end

    def find_operator(self) -> re.Match[str] | None:
        """The first operator outside quotation marks."""
        places = (index for index, character in enumerate(self.text) if character in "!<>=")
        return next((found for index in places if (found := self.operator_at(index)) is not None), None)

    def operator_at(self, index: int) -> re.Match[str] | None:
        """The operator that begins at `index`, outside quotation marks."""
        for operators in (_OPERATOR, _SHORT):  # of x="=y" the second sign belongs to the value
            match = operators.match(self.text, index)
            if match is not None and not any(self.quoted[match.start() : match.end()]):
                return match
        return None

    def refuse_connective(self, begin: int) -> None:
        """Raises Mistake where it is a word that joins or turns the parts of other languages' filters."""
        if (message := _CONNECTIVES.get(self.text[begin:])) is not None and not any(self.quoted):
            raise Mistake(message, self.start, self.end)

    def patterns(self, begin: int) -> tuple[Pattern, ...]:
        """The values from `begin` on: commas separate them, unless quoted. Each once, in one order."""
        found: list[Pattern] = []
        start = begin
        for index in range(begin, len(self.text) + 1):
            if index == len(self.text) or (self.text[index] == "," and not self.quoted[index]):
                found.append(self.pattern(start, index))
                start = index + 1
        return tuple(sorted(set(found), key=lambda pattern: pattern.pieces))

    def pattern(self, begin: int, end: int | None = None) -> Pattern:
        """The value from `begin` to `end`: unquoted stars are wildcards."""
        pieces = [""]
        for character, is_quoted in zip(self.text[begin:end], self.quoted[begin:end], strict=True):
            if character == "*" and not is_quoted:
                pieces.append("")
            else:
                pieces[-1] += character
        return Pattern(tuple(pieces))


def tokens(text: str, problems: list[Problem]) -> list[Token]:
    """The tokens of a text; what is no token is added to `problems`."""
    found: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token, place, closed = _token(text, place)
        if not closed:
            problems.append(Problem("q", token.start, token.end, 'expected a closing quotation mark "'))
        elif not token.text or (token.text == "-" and not token.quoted[0]):
            problems.append(Problem("q", token.start, token.end, "expected a word or a condition"))
        else:
            found.append(token)
    return found


def _token(text: str, start: int) -> tuple[Token, int, bool]:
    """The token that begins at `start`, where it ends, and whether its quotation marks are closed."""
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
