"""Sentences in pieces for pages, because ages in them keep growing and names in them are links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a sentence. With a `datetime` it is an age, and `text` is that moment for browsers without scripts."""

    text: str
    datetime: str = ""
    """RFC 3339."""
    href: str = ""
    """Address of the link; empty where it is no link."""


Sentence = tuple[TextPiece, ...]


def plain_text(sentence: Sentence) -> str:
    """The sentence as text, with moments in UTC."""
    return "".join(piece.text for piece in sentence)


def format_times(number: int) -> str:
    """``once``, ``4 times``."""
    return "once" if number == 1 else f"{number:,} times"


def format_pod_count(number: Any) -> str:
    """``1 pod``, ``3 pods``."""
    return f"{number} {'pod' if number == 1 else 'pods'}"


def format_duration(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def format_seconds(seconds: Any) -> str:
    """A number of seconds in words; unchanged where it is no number."""
    counts = isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= 0
    return format_duration(seconds) if counts else str(seconds)


def age_piece(moment: float) -> TextPiece:
    """The age of `moment` (Unix seconds)."""
    at = datetime.fromtimestamp(moment, UTC)
    return TextPiece(at.strftime("%Y-%m-%d %H:%M:%S UTC"), at.isoformat(timespec="seconds").replace("+00:00", "Z"))


def parse_timestamp(value: Any) -> float | None:
    """Unix seconds of an RFC 3339 time; None where it is none."""
    try:
        seconds = datetime.fromisoformat(value).timestamp()
        datetime.fromtimestamp(seconds, UTC)
    except (OSError, OverflowError, TypeError, ValueError):
        return None
    return seconds


def object_href(key: str, namespace: str, name: str) -> str:
    """Address of an object's details page."""
    return f"/resources/{quote(key)}/{quote(namespace or '-', safe='')}/{quote(name, safe='')}/"


def object_piece(key: str, namespace: str, name: str) -> TextPiece:
    """The name of an object, as a link to it."""
    return TextPiece(name, href=object_href(key, namespace, name) if name else "")


@dataclass(frozen=True, slots=True)
class Link:
    """A link; `current` where it leads to the page itself."""

    words: str
    href: str
    current: bool = False
