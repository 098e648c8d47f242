"""What is being typed at a place in a filter: a column's name, a value, a label or a path, and how far it has come."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Wanted = Literal["name", "value", "label", "label value", "path", "path value", "nothing"]

_OPERATOR = re.compile(r"!=|>=|<=|=|>|<")
_LABEL = "label:"


@dataclass(frozen=True, slots=True)
class Typed:
    """The piece of the filter before the cursor that something can be put in place of, from `start` on."""

    wanted: Wanted
    start: int
    part: str
    """What is there of it, without quotation marks."""
    of: str = ""
    """Of a value: the column, label or path."""
    operator: str = ""


def typed_at(text: str, at: int) -> Typed:
    """What is being typed before the cursor at `at`; "nothing" in the middle of a word, where nothing can be added."""
    if at < len(text) and not text[at].isspace():
        return Typed("nothing", at, "")
    start, inside = _token_start(text[:at])
    body = start + text.startswith("-", start)
    token = text[body:at]
    if token.startswith("."):
        return _path(token, body, inside)
    if token.startswith(_LABEL):
        key, equals, _ = token[len(_LABEL) :].partition("=")
        if not equals:
            return Typed("label", body + len(_LABEL), key)
        return _value(token, body, body + len(_LABEL) + len(key) + 1, "label value", key.removesuffix("!"), "=")
    match = _OPERATOR.search(token)
    if match is None:
        return Typed("nothing" if inside or '"' in token else "name", body, token)
    return _value(token, body, body + match.end(), "value", token[: match.start()], match.group())


def _path(token: str, body: int, inside: bool) -> Typed:
    depth = 0
    for index, character in enumerate(token):
        depth += (character == "[") - (character == "]")
        match = _OPERATOR.match(token, index) if not depth else None
        if match is not None:
            return _value(token, body, body + match.end(), "path value", token[:index], match.group())
    return Typed("nothing" if inside else "path", body, token)


def _value(token: str, body: int, first: int, wanted: Wanted, of: str, operator: str) -> Typed:
    """The last of the values that commas separate."""
    start, inside = first, False
    for index in range(first, body + len(token)):
        character = token[index - body]
        inside ^= character == '"'
        if character == "," and not inside:
            start = index + 1
    return Typed(wanted, start, token[start - body :].replace('"', ""), of, operator)


def _token_start(text: str) -> tuple[int, bool]:
    """Where the last token begins, and whether a quotation mark is open at its end."""
    start, inside = 0, False
    for index, character in enumerate(text):
        if character == '"':
            inside = not inside
        elif character.isspace() and not inside:
            start = index + 1
    return start, inside
