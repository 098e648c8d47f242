"""Fragments that frames replace whole: sent only when they differ from what was sent last."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.live.lines import partial

Fragment = tuple[str, str, str]
"""Target's selector, swap style, HTML."""


class Fragments:
    """Remembers what everybody who looks was sent."""

    def __init__(self) -> None:
        self._sent: dict[str, str] = {}

    def changed(self, fragments: Iterable[Fragment]) -> str:
        """hx-partials of those that differ from the last call's."""
        found = ""
        for target, swap, html in fragments:
            if self._sent.get(target) != html:
                self._sent[target] = html
                found += partial(target, swap, html)
        return found

    def forget(self) -> None:
        """Nobody has anything any more."""
        self._sent.clear()
