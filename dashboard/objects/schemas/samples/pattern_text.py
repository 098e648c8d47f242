"""Short text that a schema's pattern (RE2 syntax) matches, made from the pattern's own characters.

The pattern is only read, once from left to right, and never matched here.
"""

from __future__ import annotations

import string
from collections.abc import Iterator

MAX_TEXT_LENGTH = 300
"""Maximum characters of a text that is made."""
MAX_PATTERN_LENGTH = 2_000
"""Maximum characters of a pattern that is read."""
_PREFERRED = "aA10/.-_:=+@ "
_DIGITS, _WORDS, _SPACES = string.digits, string.ascii_letters + string.digits + "_", " \t"
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_NAMED = {
    "alpha": string.ascii_letters, "digit": _DIGITS, "alnum": string.ascii_letters + _DIGITS, "word": _WORDS,
    "lower": string.ascii_lowercase, "upper": string.ascii_uppercase, "space": _SPACES, "xdigit": string.hexdigits,
    "punct": string.punctuation,
}  # fmt: skip
_VISIBLE = string.digits + string.ascii_letters + string.punctuation + " "
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


class _Unreadable(Exception):
    """The pattern has a construct that is not read here, or asks for too long a text."""


def pattern_texts(pattern: str, least: int = 0) -> Iterator[str]:
    """Texts that the pattern probably matches, the shortest first; `least` is the length that is wanted.

    Nothing for a pattern that is too long or too unusual. RE2 has the last word about each.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        return
    for extra, branch in ((0, 0), (1, 0), (0, 1), (least, 0), (0, 2), (least, 1)):
        try:
            yield _Reader(pattern, extra, branch).text()
        except (_Unreadable, RecursionError):
            continue


class _Reader:
    """Reads a pattern once; a repetition is taken `extra` times more often than it must be, if it may."""

    def __init__(self, pattern: str, extra: int, branch: int) -> None:
        self._pattern, self._at = pattern, 0
        self._extra, self._branch = extra, branch

    def text(self) -> str:
        text = self._alternatives()
        if self._at < len(self._pattern):
            raise _Unreadable
        return text

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        character = self._peek()
        if not character:
            raise _Unreadable
        self._at += 1
        return character

    def _has(self, text: str) -> bool:
        if self._pattern.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _alternatives(self) -> str:
        branches = [self._sequence()]
        while self._has("|"):
            branches.append(self._sequence())
        return branches[self._branch % len(branches)]

    def _sequence(self) -> str:
        parts, length = [], 0
        while self._peek() not in ("", "|", ")"):
            atom = self._atom()
            part = atom * self._count()
            length += len(part)
            if length > MAX_TEXT_LENGTH:
                raise _Unreadable
            parts.append(part)
        return "".join(parts)

    def _atom(self) -> str:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return _preferred(self._class())
        if character == "\\":
            return self._escape()
        if character in "^$":
            return ""
        if character in "*+?":
            raise _Unreadable
        return "a" if character == "." else character

    def _group(self) -> str:
        if self._has("?"):
            if self._has("P<") or self._has("<"):
                while self._next() != ">":
                    pass
            else:
                while (flag := self._next()) != ":":
                    if flag == ")":
                        return ""
                    if not (flag.isalpha() or flag == "-"):
                        raise _Unreadable
        text = self._alternatives()
        if not self._has(")"):
            raise _Unreadable
        return text

    def _escape(self) -> str:
        character = self._next()
        if character in "bBAz":
            return ""
        if character.lower() in _CLASSES:
            return _preferred(_class_of(character))
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character.isalnum():
            raise _Unreadable
        return character

    def _class(self) -> str:
        """The characters of a class, those beyond ASCII without their ranges."""
        negated, characters = self._has("^"), ""
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            if self._has("[:"):
                characters += self._named_class()
                continue
            begin = self._class_character()
            if len(begin) == 1 and self._peek() == "-" and self._pattern[self._at + 1 : self._at + 2] != "]":
                self._next()
                end = self._class_character()
                characters += "".join(each for each in _VISIBLE if begin <= each <= end) or begin
            else:
                characters += begin
        self._next()
        return "".join(each for each in _VISIBLE if each not in characters) if negated else characters

    def _named_class(self) -> str:
        end = self._pattern.find(":]", self._at)
        name = self._pattern[self._at : end]
        if end < 0 or name not in _NAMED:
            raise _Unreadable
        self._at = end + 2
        return _NAMED[name]

    def _class_character(self) -> str:
        character = self._next()
        if character != "\\":
            return character
        character = self._next()
        if character.lower() in _CLASSES:
            return _class_of(character)
        if character.isalnum() and character not in _CONTROLS:
            raise _Unreadable
        return _CONTROLS.get(character, character)

    def _count(self) -> int:
        least, most = 1, 1
        if self._has("*"):
            least, most = 0, MAX_TEXT_LENGTH
        elif self._has("+"):
            least, most = 1, MAX_TEXT_LENGTH
        elif self._has("?"):
            least, most = 0, 1
        elif self._peek() == "{":
            least, most = self._bounds()
        else:
            return 1
        self._has("?")
        return min(least + self._extra, most, MAX_TEXT_LENGTH)

    def _bounds(self) -> tuple[int, int]:
        end = self._pattern.find("}", self._at)
        low, comma, high = self._pattern[self._at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()) or len(low + high) > 8:
            raise _Unreadable
        self._at = end + 1
        return int(low), (int(high) if high else MAX_TEXT_LENGTH) if comma else int(low)


def _class_of(letter: str) -> str:
    inside = _CLASSES[letter.lower()]
    return inside if letter.islower() else "".join(each for each in _VISIBLE if each not in inside)


def _preferred(characters: str) -> str:
    if not characters:
        raise _Unreadable
    return next((each for each in _PREFERRED if each in characters), characters[0])
