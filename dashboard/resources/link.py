"""A way to go on from a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """`current`: it is what the page shows already."""

    words: str
    href: str
    current: bool = False
