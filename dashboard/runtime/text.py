"""What is said of an object: sentences in pieces, because ages in them go on growing and names in them are links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of a sentence. With a `datetime` it is an age, and `text` that moment for those without scripts."""

    text: str
    datetime: str = ""
    """RFC 3339."""
    href: str = ""
    """Where it leads; empty where it is no link."""


Sentence = tuple[Words, ...]


def plain(sentence: Sentence) -> str:
    """The sentence as text, with moments in UTC."""
    return "".join(piece.text for piece in sentence)


def times(number: int) -> str:
    """``once``, ``4 times``."""
    return "once" if number == 1 else f"{number:,} times"


def pods(number: Any) -> str:
    """``1 pod``, ``3 pods``."""
    return f"{number} {'pod' if number == 1 else 'pods'}"


def duration(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def span(seconds: Any) -> str:
    """A field that counts seconds, in words; as it is where it does not."""
    counts = isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= 0
    return duration(seconds) if counts else str(seconds)


def age(moment: float) -> Words:
    """How long ago `moment` (Unix seconds) was."""
    at = datetime.fromtimestamp(moment, UTC)
    return Words(at.strftime("%Y-%m-%d %H:%M:%S UTC"), at.isoformat(timespec="seconds").replace("+00:00", "Z"))


def moment_of(value: Any) -> float | None:
    """Unix seconds of RFC 3339; None where it is none."""
    try:
        found = datetime.fromisoformat(value).timestamp()
        datetime.fromtimestamp(found, UTC)
    except (OSError, OverflowError, TypeError, ValueError):
        return None
    return found


def object_href(key: str, namespace: str, name: str) -> str:
    """Address of an object's details."""
    return f"/resources/{quote(key)}/{quote(namespace or '-', safe='')}/{quote(name, safe='')}/"


def named(key: str, namespace: str, name: str) -> Words:
    """The name of an object, which leads to it."""
    return Words(name, href=object_href(key, namespace, name) if name else "")
