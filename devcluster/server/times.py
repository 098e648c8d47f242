"""Times ("2026-01-01T00:00:00Z") in the canonical form that the server stores, in UTC.

Source: apimachinery's apis/meta/v1/{time,micro_time}.go.
"""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime
from functools import lru_cache

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_EXACT_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+|)(Z|[+-][0-9]{2}:[0-9]{2})")


@lru_cache(maxsize=4096)
def canonical_time(text: str, *, exact: bool) -> str:
    """The time with six digits after the second where it is an exact one, else with none.

    Raises ValueError in the words of Go's parser.
    """
    match, moment = _FORM.fullmatch(text), None
    with contextlib.suppress(ValueError):
        moment = datetime.fromisoformat(text)
    if match is None or moment is None:
        raise _unparsable(text, text, "2006", exact=exact)
    fraction, zone = match.groups()
    if exact and len(fraction) != 7:
        rest, wanted = (fraction + zone, ".000000") if len(fraction) < 7 else (fraction[7:] + zone, "Z07:00")
        raise _unparsable(text, rest, wanted, exact=True)
    if zone == "Z" and exact is bool(fraction):
        return text
    try:
        plain = moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise _unparsable(text, text, "2006", exact=exact) from None
    return plain.isoformat(timespec="microseconds" if exact else "seconds") + "Z"


def _unparsable(text: str, rest: str, wanted: str, *, exact: bool) -> ValueError:
    layout = _EXACT_LAYOUT if exact else _LAYOUT
    return ValueError(f'parsing time "{text}" as "{layout}": cannot parse "{rest}" as "{wanted}"')


def timestamp(seconds: float) -> str:
    """RFC 3339 in UTC, whole seconds, as metav1.Time prints it."""
    return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat() + "Z"
