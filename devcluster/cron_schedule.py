"""CronJob schedules: five cron fields, or a macro such as @hourly.

Source: github.com/robfig/cron/v3, parser.go and spec.go, which Kubernetes parses schedules with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from types import MappingProxyType

_MACROS = MappingProxyType(
    {
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
        "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *",
    }
)
_MONTHS = {name: number for number, name in enumerate(re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec"), 1)}
_DAYS = {name: number for number, name in enumerate(re.findall("...", "sunmontuewedthufrisat"))}
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
"""Least, most and names of minutes, hours, days of the month, months and days of the week."""
_MOST_DAYS = 366 * 5
"""Days ahead in which a match is sought, as in the source."""


@dataclass(frozen=True)
class CronSchedule:
    """Minutes at which something is due."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_any_day: bool
    """Whether the days of the month, or those of the week, are all: a day has to be of both then, else of one."""

    @classmethod
    def parse(cls, text: str) -> CronSchedule:
        """Raises ValueError with the reason where the text is not a schedule."""
        fields = _MACROS.get(text, text).split()
        if text.startswith("@") and text not in _MACROS:
            raise ValueError(f"unrecognized descriptor: {text}")
        if len(fields) != len(_FIELDS):
            raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
        minutes, hours, days, months, weekdays = map(_values, fields, _FIELDS)
        any_day = any(fields[place][0] in "*?" for place in (2, 4))
        return cls(minutes, hours, days, months, weekdays, any_day)

    def next_after(self, seconds: float, zone: tzinfo = UTC) -> float | None:
        """The first Unix time after `seconds` at which it is due; None where that is not within five years."""
        at = datetime.fromtimestamp(seconds, zone).replace(second=0, microsecond=0) + timedelta(minutes=1)
        for _ in range(_MOST_DAYS):
            if at.month in self.months and self._is_day(at):
                moment = self._within_day(at)
                if moment is not None:
                    return moment.timestamp()
            at = (at + timedelta(days=1)).replace(hour=0, minute=0)
        return None

    def latest_between(self, since: float, until: float, zone: tzinfo = UTC) -> float | None:
        """The last Unix time after `since` and not after `until` at which it was due, found in few steps."""
        moment = self.next_after(since, zone)
        if moment is None or moment > until:
            return None
        low, high = 0, int((until - moment) // 60) + 1  # minutes: something is due after `low`, nothing after `high`
        while high - low > 1:
            middle = (low + high) // 2
            later = self.next_after(moment + 60 * (middle - 1), zone)
            low, high = (middle, high) if later is not None and later <= until else (low, middle)
        return self.next_after(moment + 60 * (low - 1), zone)

    def _is_day(self, at: datetime) -> bool:
        is_day, is_weekday = at.day in self.days, at.isoweekday() % 7 in self.weekdays
        return (is_day and is_weekday) if self.is_any_day else (is_day or is_weekday)

    def _within_day(self, at: datetime) -> datetime | None:
        for hour in sorted(each for each in self.hours if each >= at.hour):
            least = at.minute if hour == at.hour else 0
            minute = min((each for each in self.minutes if each >= least), default=None)
            if minute is not None:
                return at.replace(hour=hour, minute=minute)
        return None


def _values(field: str, bounds: tuple[int, int, dict[str, int]]) -> frozenset[int]:
    return frozenset(value for part in field.split(",") for value in _range(part, *bounds))


def _range(part: str, least: int, most: int, names: dict[str, int]) -> set[int]:
    span, slash, step = part.partition("/")
    first, dash, last = span.partition("-")
    if span in ("*", "?"):
        low, high = least, most
    else:
        low = _number(first, names)
        high = _number(last, names) if dash else most if slash else low
    every = _number(step, {}) if slash else 1
    if low < least:
        raise ValueError(f"beginning of range ({low}) below minimum ({least}): {part}")
    if high > most:
        raise ValueError(f"end of range ({high}) above maximum ({most}): {part}")
    if low > high:
        raise ValueError(f"beginning of range ({low}) beyond end of range ({high}): {part}")
    if not every:
        raise ValueError(f"step of range should be a positive number: {part}")
    return set(range(low, high + 1, every))


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if re.fullmatch("[0-9]+", text, re.ASCII):
        return int(text)
    raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
