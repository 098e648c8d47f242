"""Input names of the form: the encoding of a path that browsers send back unchanged, and its decoding.

``spec.ports[0].port``, ``metadata.labels[app.kubernetes.io/name]``: as `format_path` writes it, but every path has a
unique name, and quotes and line breaks, which browsers change in names, are escaped as in addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from urllib.parse import quote, unquote

from dashboard.objects.fields.field_access import Path, Segment

FIELD, INITIAL, KEY, NEW_KEY, NEW_VALUE, CHILD = "field.", "shown.", "key.", "newkey.", "new.", "child."
"""Prefixes of input names: a value, its rendered value, the name of a map entry, a new map entry, a new item or the
value of a new entry, a field to add.
"""
OPEN, FIND, SHAPE, CHANGE = "form.open", "form.find", "form.shape", "change"
"""Names of special inputs: open fields, the field search, the shape of the form, the pressed form button."""
STATE = (FIELD, INITIAL, KEY, NEW_KEY, NEW_VALUE, CHILD, OPEN, FIND)

_PLAIN = re.compile(r"[A-Za-z0-9_/-]+")
_SEGMENT = re.compile(r"\.?(?P<name>[A-Za-z0-9_/-]+)|\[(?P<index>[0-9]{1,9})\]|\[(?P<quoted>[^\]]*)\]")
_DEEPEST = 100
"""Most segments; no input is deeper."""


def encode_path(path: Sequence[Segment]) -> str:
    """The path as part of a name; without spaces. Raises TypeError for an ItemKey, which no input has."""
    text = ""
    for segment in path:
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif isinstance(segment, str):
            plain = _PLAIN.fullmatch(segment)
            text += (f".{segment}" if text else segment) if plain else f"[{quote(segment, safe='/')}]"
        else:
            raise TypeError(segment)
    return text


def decode_path(text: str) -> Path:
    """The path that `encode_path` wrote; empty where it is too deep for any input.

    Never raises; malformed text is decoded as far as possible.
    """
    path: list[Segment] = []
    closed = text.rfind("]") + 1  # behind it no bracket is closed, which would be looked for from each that opens
    for match in chain(_SEGMENT.finditer(text, 0, closed), _SEGMENT.finditer(text.replace("[", "."), closed)):
        if match["index"] is not None:
            path.append(int(match["index"]))
        else:
            path.append(match["name"] if match["name"] is not None else unquote(match["quoted"]))
    return tuple(path) if len(path) <= _DEEPEST else ()
