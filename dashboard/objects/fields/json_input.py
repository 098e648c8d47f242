"""JSON from a page's form, accepted only where an object could hold the value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from dashboard.objects.fields.field_access import Value

MAX_DEPTH = 250
"""Maximum levels of nesting; more than a text may have, and safe for recursive functions."""


def read_json(text: str) -> tuple[Value] | None:
    """The value in a tuple of its own, because null is a value; None where the text is invalid. Never raises."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # refuses lone surrogates, which no page can show
    except (ValueError, RecursionError):
        return None
    return None if _is_deep(value) else (value,)


def _refuse(word: str) -> Value:
    raise ValueError(word)


def _finite(word: str) -> float:
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(word)
    return value


def _is_deep(value: Value) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level if isinstance(each, dict | list) for inner in _children(each)]
        if not level:
            return False
    return True


def _children(value: dict[str, Value] | list[Value]) -> Iterable[Value]:
    return value.values() if isinstance(value, dict) else value
