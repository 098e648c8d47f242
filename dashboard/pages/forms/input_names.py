"""Names of the form's inputs: a path as text that browsers send back as it is, and the path again.

``spec.ports[0].port``, ``metadata.labels[app.kubernetes.io/name]``: as `fields.show` writes it, but every path has a
name of its own, and quotes and line breaks, which browsers change in names, are written as in addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from dashboard.edits.fields import Path, Segment

FIELD, SHOWN, KEY, NEW_KEY, NEW_VALUE, CHILD = "field.", "shown.", "key.", "newkey.", "new.", "child."
"""What the name of an input begins with: a value, what it showed, the name of a map's entry, a new entry of a map, a
new item or the value of a new entry, a field to add."""
OPEN, FIND, SHAPE, CHANGE = "form.open", "form.find", "form.shape", "change"
"""Fields that were opened though they hold nothing; words to search fields by; what tells one set of inputs from
another; the button that changes the form."""
STATE = (FIELD, SHOWN, KEY, NEW_KEY, NEW_VALUE, CHILD, OPEN, FIND)

_PLAIN = re.compile(r"[A-Za-z0-9_/-]+")
_SEGMENT = re.compile(r"\.?(?P<name>[A-Za-z0-9_/-]+)|\[(?P<index>[0-9]{1,9})\]|\[(?P<quoted>[^\]]*)\]")
_DEEPEST = 100
"""Segments; a form has no input that is deeper."""


def written(path: Sequence[Segment]) -> str:
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


def read(text: str) -> Path:
    """The path that `written` wrote; empty where it is too deep for any input.

    Never raises; what `written` did not write is read as far as it goes.
    """
    path: list[Segment] = []
    for match in _SEGMENT.finditer(text):
        if match["index"] is not None:
            path.append(int(match["index"]))
        else:
            path.append(match["name"] if match["name"] is not None else unquote(match["quoted"]))
    return tuple(path) if len(path) <= _DEEPEST else ()
