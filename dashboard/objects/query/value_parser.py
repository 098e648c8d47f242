"""Parser of values in filters: durations and fractions."""

from __future__ import annotations

import re

from dashboard.objects.fields.quantity import parse_quantity

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[ywdhms]))+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[ywdhms])")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0}


def parse_duration(text: str) -> float | None:
    """Seconds of ``90s``, ``1h30m``, ``2d``; None for other texts. A bare 0 is a duration, other numbers are not."""
    lowered = text.strip().lower()
    if lowered == "0":
        return 0.0
    if not _DURATION.fullmatch(lowered):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(lowered))


def parse_fraction(text: str) -> float | None:
    """The ratio of ``1/2``, ``50%`` or ``0.5``; 0/0 counts as whole. None for other texts."""
    top, slash, bottom = text.strip().partition("/")
    if slash:
        above, below = parse_quantity(top), parse_quantity(bottom.partition(" ")[0])
        if above is None or below is None:
            return None
        return above / below if below else 1.0
    if top.endswith("%"):
        percent = parse_quantity(top[:-1])
        return None if percent is None else percent / 100
    return parse_quantity(top)
