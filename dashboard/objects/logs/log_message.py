"""Message and fields of a log line, as static/js/logs/row.js shows a line of JSON."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.logs.ansi import segments
from dashboard.objects.logs.fields import json_fields
from dashboard.objects.logs.severity import NONE, SEVERITIES
from dashboard.runtime.invisible_characters import escape_to_one_line

MESSAGES = ("msg", "message", "log", "text", "event")
"""Fields that may hold the message; the first that does is it."""
SAID_OTHERWISE = frozenset({"level", "severity", "lvl", "time", "timestamp", "ts", "@timestamp"})
"""Fields that are shown as severity and time."""
MAX_MESSAGE = 300
MAX_FIELDS = 12
MAX_VALUE = 60


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A line of a log without its time."""

    text: str
    """The message of a line of JSON, else the line."""
    severity: str = SEVERITIES[NONE]
    """Of SEVERITIES."""
    fields: tuple[tuple[str, str], ...] = ()
    """The other fields of a line of JSON."""
    more: int = 0
    """Fields that are left out."""
    is_json: bool = False

    @property
    def severity_word(self) -> str:
        """The severity of a line whose text does not say it; empty where it does, or there is none."""
        return self.severity if self.is_json and self.severity != SEVERITIES[NONE] else ""

    def __str__(self) -> str:
        fields = (f"{name}={value}" for name, value in self.fields)
        more = f"… {self.more} more" if self.more else ""
        return " ".join(filter(None, (self.severity_word.upper(), self.text, *fields, more)))


def log_message(text: bytes, severity: int) -> LogMessage:
    """A line, shortened, without colours and without characters that cannot be seen."""
    fields = json_fields(text)
    word = SEVERITIES[severity]
    if fields is None:
        plain = "".join(part for _, part in segments(text.decode(errors="replace")))
        return LogMessage(limit_text(plain, MAX_MESSAGE), word)
    name = next((each for each in MESSAGES if isinstance(fields.get(each), str)), "")
    others = [(each, value) for each, value in fields.items() if each != name and each not in SAID_OTHERWISE]
    shown = tuple((_written(each), _written(value)) for each, value in others[:MAX_FIELDS])
    message = limit_text(escape_to_one_line(fields[name]), MAX_MESSAGE) if name else ""
    return LogMessage(message, word, shown, max(0, len(others) - MAX_FIELDS), is_json=True)


def _written(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return limit_text(escape_to_one_line(text), MAX_VALUE)
