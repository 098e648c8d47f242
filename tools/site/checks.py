"""Checks of the built site: it needs no other host, and links to other sites are well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

LINKS = {"a": "href"}
"""Elements that load nothing until somebody follows them."""
LOADS = ("src", "srcset", "href", "action", "data", "poster")
ABSOLUTE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
STYLE_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class _Addresses(HTMLParser):
    """Addresses that a page loads, and those of its links."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if LINKS.get(tag) == name:
                self.linked.append(value or "")
            elif name in LOADS:
                self.loaded.append(value or "")
            elif name == "style":
                self.loaded += style_addresses(value or "")


def problems(site: Path) -> list[str]:
    """What is wrong with the pages and styles of a folder, one line each."""
    return sorted({*_problems(site)})


def _problems(site: Path) -> Iterator[str]:
    for page in site.rglob("*.html"):
        found = _Addresses()
        found.feed(page.read_text())
        for address in found.loaded:
            if ABSOLUTE.match(address):
                yield f"{page.relative_to(site)} loads {address}"
        for address in found.linked:
            if ABSOLUTE.match(address) and not is_well_formed(address):
                yield f"{page.relative_to(site)} has a link to {address}, which is no address of a site"
    for style in site.rglob("*.css"):
        for address in style_addresses(style.read_text()):
            if ABSOLUTE.match(address):
                yield f"{style.relative_to(site)} loads {address}"


def style_addresses(text: str) -> list[str]:
    """The addresses that a style sheet loads."""
    return [one or other for one, other in STYLE_ADDRESS.findall(text)]


def is_well_formed(address: str) -> bool:
    """Whether a link leads to a host by https, or to this machine by http."""
    if re.search(r"[\s<>\"…]", address):
        return False
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises ValueError where it is no number
    except ValueError:
        return False
    host = parts.hostname or ""
    if host in {"localhost", "127.0.0.1"}:
        return parts.scheme in {"http", "https"}
    return parts.scheme == "https" and re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", host) is not None
