"""Sentences in pieces for pages, because ages in them keep growing and names in them are links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
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


def age_piece(moment: float) -> TextPiece:
    """The age of `moment` (Unix seconds)."""
    at = datetime.fromtimestamp(moment, UTC)
    return TextPiece(at.strftime("%Y-%m-%d %H:%M:%S UTC"), at.isoformat(timespec="seconds").replace("+00:00", "Z"))


def object_href(key: str, namespace: str, name: str) -> str:
    """Address of an object's details page."""
    return f"/resources/{quote(key)}/{quote(namespace or '-', safe='')}/{quote(name, safe='')}/"


def incident_href(key: str, namespace: str, name: str) -> str:
    """Address of an object's incident page."""
    return object_href(key, namespace, name).replace("/resources/", "/why/", 1)


def history_href(key: str, namespace: str, name: str) -> str:
    """Address of the page with an object's versions."""
    return f"{object_href(key, namespace, name)}history/"


def object_piece(key: str, namespace: str, name: str) -> TextPiece:
    """The name of an object, as a link to it."""
    return TextPiece(name, href=object_href(key, namespace, name) if name else "")


@dataclass(frozen=True, slots=True)
class Link:
    """A link; `current` where it leads to the page itself."""

    words: str
    href: str
    current: bool = False
