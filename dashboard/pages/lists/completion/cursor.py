"""Token at the cursor of a filter: a column's name, a value, a label or a path, as far as it is typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

CursorContext = Literal["name", "value", "label", "label value", "path", "path value", "nothing"]

_OPERATOR = re.compile(r"!=|>=|<=|=|>|<")
_LABEL = "label:"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The part of the filter before the cursor that a suggestion can replace, from `start` on."""

    wanted: CursorContext
    start: int
    part: str
    """Its text without quotation marks."""
    key: str = ""
    """Of a value: its column, label or path."""
    operator: str = ""


def cursor_at(text: str, position: int) -> Cursor:
    """The token before the cursor at `position`; "nothing" inside a word, where nothing can be inserted."""
    if position < len(text) and not text[position].isspace():
        return Cursor("nothing", position, "")
    start, inside = _token_start(text[:position])
    body = start + text.startswith("-", start)
    token = text[body:position]
    if token.startswith("."):
        return _path(token, body, inside)
    if token.startswith(_LABEL):
        key, equals, _ = token[len(_LABEL) :].partition("=")
        if not equals:
            return Cursor("label", body + len(_LABEL), key)
        return _value(token, body, body + len(_LABEL) + len(key) + 1, "label value", key.removesuffix("!"), "=")
    match = _OPERATOR.search(token)
    if match is None:
        return Cursor("nothing" if inside or '"' in token else "name", body, token)
    return _value(token, body, body + match.end(), "value", token[: match.start()], match.group())


def _path(token: str, body: int, inside: bool) -> Cursor:
    depth = 0
    for index, character in enumerate(token):
        depth += (character == "[") - (character == "]")
        match = _OPERATOR.match(token, index) if not depth else None
        if match is not None:
            return _value(token, body, body + match.end(), "path value", token[:index], match.group())
    return Cursor("nothing" if inside else "path", body, token)


def _value(token: str, body: int, first: int, wanted: CursorContext, of: str, operator: str) -> Cursor:
    """The last of the values, which commas separate."""
    start, inside = first, False
    for index in range(first, body + len(token)):
        character = token[index - body]
        inside ^= character == '"'
        if character == "," and not inside:
            start = index + 1
    return Cursor(wanted, start, token[start - body :].replace('"', ""), of, operator)


def _token_start(text: str) -> tuple[int, bool]:
    """Start of the last token, and whether a quotation mark is open at its end."""
    start, inside = 0, False
    for index, character in enumerate(text):
        if character == '"':
            inside = not inside
        elif character.isspace() and not inside:
            start = index + 1
    return start, inside
