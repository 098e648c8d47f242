"""Members of a JSON object, found without decoding their values: for objects that cannot be decoded.

No recursion, and time that grows with the text: an object may be nested as deeply as its author likes.
"""

from __future__ import annotations

import re

import re2

_LEVELS = 6
"""Levels of brackets that the regular expression passes in one match; deeper ones are counted, a bracket at a time."""

STRING = rb'"(?:[^"\\]|\\.)*"'
"""Pattern of a JSON string."""


def compile_linear(pattern: bytes) -> re2._Regexp:
    """The pattern, matched in time that grows with the text. Python's own possessive quantifiers, which would do that
    too, match wrongly before 3.11.5 (github.com/python/cpython/issues/106052).
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    return re2.compile(pattern, options)


def _balanced(levels: int) -> bytes:
    pattern = rb'(?:[^"{}\[\]]|' + STRING + rb")*"
    for _ in range(levels):
        pattern = rb'(?:[^"{}\[\]]|' + STRING + rb"|\{" + pattern + rb"\}|\[" + pattern + rb"\])*"
    return pattern


BALANCED = compile_linear(_balanced(_LEVELS))
"""Everything up to a bracket that has no partner, a string that has no end, or the end of the text."""

_KEY = compile_linear(rb"\s*(" + STRING + rb")\s*:\s*")
_SCALAR = compile_linear(STRING + rb'|[^"{}\[\],\s]+')
_AFTER = re.compile(rb"\s*([,}])")
_START = re.compile(rb"\s*\{")
_EMPTY = re.compile(rb"\s*\{\s*\}")
_OPENING, _CLOSING = b"{[", b"}]"


def json_members(raw: bytes | memoryview, *names: bytes) -> dict[bytes, bytes]:
    """The values of the members `names` of an object, as JSON; it stops at the last of them.

    Of a name that comes twice the first counts. Raises ValueError where the text up to there is no JSON object.
    """
    text = bytes(raw)
    found: dict[bytes, bytes] = {}
    start = _START.match(text)
    if start is None:
        raise ValueError("not a JSON object")
    if _EMPTY.match(text):
        return found
    position, missing = start.end(), set(names)
    while missing:
        key = _KEY.match(text, position)
        if key is None:
            raise ValueError(f"no member where one is expected (byte {position})")
        end = _value_end(text, key.end())
        name = key[1][1:-1]
        if name in missing:
            missing.discard(name)
            found[name] = text[key.end() : end]
        after = _AFTER.match(text, end)
        if after is None:
            raise ValueError(f"a member without an end (byte {end})")
        if after[1] == b"}":
            break
        position = after.end()
    return found


def _value_end(text: bytes, start: int) -> int:
    """Where the value that begins at `start` ends. Raises ValueError."""
    if text[start : start + 1] not in (b"{", b"["):
        scalar = _SCALAR.match(text, start)
        if scalar is None:
            raise ValueError(f"no value where one is expected (byte {start})")
        return int(scalar.end())
    depth, position = 1, start + 1
    while depth:
        match = BALANCED.match(text, position)
        position = match.end() if match else position
        bracket = text[position : position + 1]
        if not bracket or bracket == b'"':
            raise ValueError(f"a value without an end (byte {start})")
        depth += 1 if bracket in _OPENING else -1
        position += 1
    return position
