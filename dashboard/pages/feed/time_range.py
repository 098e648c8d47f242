"""Spans of time: which moments a feed shows, as its address says it.

``last=15m`` is the time until now, whoever opens the link and whenever. ``from=2026-11-21T14:02:10Z&to=…`` is the same
span for everybody, for good; without ``to`` it goes on. Without either, all that is known is shown, newest first.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.resources.params import Params, values_of
from dashboard.resources.tokens import Problem
from dashboard.resources.values import parse_duration

LONGEST = 24 * 3600.0
"""Seconds that `last` may reach back."""
USUAL = 300.0
"""Seconds of the histogram where nobody chose a span."""
BARS = 60
"""Bars of a histogram, about: at most twice as many."""
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
"""Seconds that a bar may stand for."""
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))
LATEST = 253_370_764_800.0
"""Unix seconds of the year 9999: later moments could not be written down again."""
_LOST_PLUS = re.compile(r" (?=\d\d:?\d\d$)")
"""What is left of the plus sign of ``+01:00`` where nobody escaped it."""


@dataclass(frozen=True, slots=True)
class Span:
    """Unix seconds, both ends included; `last` seconds until now exclude the two others."""

    begin: float | None = None
    end: float | None = None
    last: float | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether it ends at some moment: nothing new comes after that."""
        return self.end is not None

    @property
    def is_usual(self) -> bool:
        """Whether nobody chose it."""
        return self == ANY_TIME

    def since(self, now: float) -> float | None:
        """Its first moment; None where it has none."""
        return now - self.last if self.last is not None else self.begin

    def holds(self, moment: float, now: float) -> bool:
        """Whether it takes in this moment."""
        since = self.since(now)
        return (since is None or moment >= since) and (self.end is None or moment <= self.end)

    def pictured(self, now: float, known: float) -> tuple[float, float]:
        """First and last moment of its histogram; `known` is from when on anything is known."""
        end = now if self.end is None else self.end
        since = self.since(now)
        if since is None:
            since = end - USUAL if self.end is None else min(known, end - 1)
        return since, max(end, since + 1)

    def to_params(self) -> tuple[tuple[str, str], ...]:
        """Names and values for an address, empty for what is not chosen."""
        return (
            ("from", iso(self.begin) if self.begin is not None else ""),
            ("to", iso(self.end) if self.end is not None else ""),
            ("last", duration(self.last) if self.last is not None else ""),
        )


ANY_TIME = Span()
"""Where nobody chose one."""


def step_for(seconds: float, bars: int = BARS) -> int:
    """Seconds of a bar, so that about `bars` of them make up so many seconds."""
    return next((step for step in STEPS if step * bars >= seconds), int(-(-seconds // (bars * 3600)) * 3600))


def iso(moment: float) -> str:
    """`moment` as ``2026-11-21T14:02:10Z``, with as many decimals as it has, six at most."""
    text = datetime.fromtimestamp(round(moment, 6), UTC).isoformat().replace("+00:00", "")
    return (text.rstrip("0") if "." in text else text) + "Z"


def duration(seconds: float) -> str:
    """``15m``, ``90s``: in the largest unit that it is whole in."""
    return next((f"{int(seconds // size)}{unit}" for size, unit in _UNITS if seconds % size == 0), f"{seconds:g}s")


def read_span(params: Params, problems: list[Problem]) -> Span:
    """The span of an address; what makes no sense is reported in `problems` and left out."""
    last = _read_last(_value(params, "last"), problems)
    begin = _read_moment(params, "from", problems)
    end = _read_moment(params, "to", problems)
    if last is not None and (begin is not None or end is not None):
        problems.append(Problem("last", 0, 0, "last= says from when until when already: from= and to= are left out"))
        return Span(last=last)
    if begin is not None and end is not None and begin > end:
        problems.append(Problem("to", 0, 0, f"to= is before from=: shown is from {iso(end)} to {iso(begin)}"))
        begin, end = end, begin
    return Span(begin, end, last)


def _value(params: Params, name: str) -> str:
    return next((value.strip() for value in values_of(params, name) if value.strip()), "")


def _read_last(text: str, problems: list[Problem]) -> float | None:
    if not text:
        return None
    seconds = parse_duration(text)
    if seconds is None or not 1 <= seconds <= LONGEST:
        message = f"last={text[:30]} is no span of time: expected one from 1s to 24h, such as 15m"
        problems.append(Problem("last", 0, len(text), message))
        return None
    return seconds


def _read_moment(params: Params, name: str, problems: list[Problem]) -> float | None:
    """A moment; one without a time zone is UTC."""
    text = _value(params, name)
    if not text:
        return None
    seconds = -1.0
    with contextlib.suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(_LOST_PLUS.sub("+", text))
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if 0 <= seconds < LATEST:
        return round(seconds, 6)
    message = f"{name}={text[:40]} is no time: expected one such as 2026-11-21T14:02:10Z"
    problems.append(Problem(name, 0, len(text), message))
    return None
