"""Time span of a feed, as its address has it.

``last=15m`` is the time until now, whenever the link is opened. ``from=2026-11-21T14:02:10Z&to=…`` is a fixed span;
without ``to`` it has no end. Without either, all known entries are shown, newest first.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.objects.query.params import Params, param_values
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.objects.query.value_parser import parse_duration

MAX_LAST = 400 * 86400.0
"""Longest `last`, in seconds."""
DEFAULT_SECONDS = 300.0
"""Seconds of the histogram where no span is chosen."""
TARGET_BARS = 60
"""Approximate number of bars of a histogram: at most twice as many."""
BAR_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
"""Possible lengths of a bar, in seconds."""
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))
MAX_TIME = 253_370_764_800.0
"""Unix seconds of the year 9999: later times cannot be formatted."""
_LOST_PLUS = re.compile(r" (?=\d\d:?\d\d$)")
"""The plus sign of ``+01:00`` where the address did not escape it."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Unix seconds, both ends included; `last` means seconds until now and excludes the two others."""

    begin: float | None = None
    end: float | None = None
    last: float | None = None

    @classmethod
    def around(cls, first: float, last: float) -> TimeRange:
        """The shortest span with both moments in it, in whole microseconds: an address has no shorter ones."""
        begin, end = round(first, 6), round(last, 6)
        return cls(
            begin if begin <= first else round(begin - 1e-6, 6),
            end if end >= last else round(end + 1e-6, 6),
        )

    @property
    def is_fixed(self) -> bool:
        """Whether it has an end: nothing new comes after that."""
        return self.end is not None

    @property
    def is_default(self) -> bool:
        """Whether no span is chosen."""
        return self == ANY_TIME

    def since(self, now: float) -> float | None:
        """Its first second; None where it has no start."""
        return now - self.last if self.last is not None else self.begin

    def starting(self, moment: float) -> TimeRange:
        """The part of it from this time on."""
        return TimeRange(moment, self.end)

    def contains(self, moment: float, now: float) -> bool:
        """Whether it includes this time."""
        since = self.since(now)
        return (since is None or moment >= since) and (self.end is None or moment <= self.end)

    def histogram_bounds(self, now: float, known: float) -> tuple[float, float]:
        """Start and end of its histogram; `known` is the start of the known history."""
        end = now if self.end is None else self.end
        since = self.since(now)
        if since is None:
            since = end - DEFAULT_SECONDS if self.end is None else min(known, end - 1)
        return since, max(end, since + 1)

    def to_params(self) -> tuple[tuple[str, str], ...]:
        """Names and values for an address, without fields that are not chosen."""
        return (
            ("from", iso(self.begin) if self.begin is not None else ""),
            ("to", iso(self.end) if self.end is not None else ""),
            ("last", duration_param(self.last) if self.last is not None else ""),
        )


ANY_TIME = TimeRange()
"""The span where none is chosen."""


def step_for(seconds: float, bars: int = TARGET_BARS) -> int:
    """Seconds of a bar, so that about `bars` bars cover the span."""
    return next((step for step in BAR_STEPS if step * bars >= seconds), int(-(-seconds // (bars * 3600)) * 3600))


def iso(moment: float) -> str:
    """`moment` as ``2026-11-21T14:02:10Z``, with as many decimals as it has, six at most."""
    text = datetime.fromtimestamp(round(moment, 6), UTC).isoformat().replace("+00:00", "")
    return (text.rstrip("0") if "." in text else text) + "Z"


def duration_param(seconds: float) -> str:
    """``15m``, ``90s``: in the largest unit that gives a whole number."""
    return next((f"{int(seconds // size)}{unit}" for size, unit in _UNITS if seconds % size == 0), f"{seconds:g}s")


def read_time_range(params: Params, problems: list[QueryProblem]) -> TimeRange:
    """The span of an address; malformed parts are reported in `problems` and ignored."""
    last = _read_last(_value(params, "last"), problems)
    begin = _read_moment(params, "from", problems)
    end = _read_moment(params, "to", problems)
    if last is not None and (begin is not None or end is not None):
        problems.append(
            QueryProblem(
                "last", 0, 0, "Either last= or from= and to= choose the time. last= is used, from= and to= are ignored."
            )
        )
        return TimeRange(last=last)
    if begin is not None and end is not None and begin > end:
        problems.append(
            QueryProblem(
                "to", 0, 0, f"The end, to=, is before the beginning, from=. The feed shows {iso(end)} to {iso(begin)}."
            )
        )
        begin, end = end, begin
    return TimeRange(begin, end, last)


def _value(params: Params, name: str) -> str:
    return next((value.strip() for value in param_values(params, name) if value.strip()), "")


def _read_last(text: str, problems: list[QueryProblem]) -> float | None:
    if not text:
        return None
    seconds = parse_duration(text)
    if seconds is None or not 1 <= seconds <= MAX_LAST:
        message = f"last={text[:30]} is not a length of time. Write one from 1s to 400d, such as last=15m."
        problems.append(QueryProblem("last", 0, len(text), message))
        return None
    return seconds


def _read_moment(params: Params, name: str, problems: list[QueryProblem]) -> float | None:
    """A time; without a time zone it is UTC."""
    text = _value(params, name)
    if not text:
        return None
    seconds = -1.0
    with contextlib.suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(_LOST_PLUS.sub("+", text))
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if 0 <= seconds < MAX_TIME:
        return round(seconds, 6)
    message = f"{name}={text[:40]} is not a time. Write one such as {name}=2026-11-21T14:02:10Z."
    problems.append(QueryProblem(name, 0, len(text), message))
    return None
