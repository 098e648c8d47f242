"""Patterns: values in a filter, which may hold wildcards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_BARE_VALUE = re.compile(r"(?!=)[^\s\"\\,*]*")


@dataclass(frozen=True)
class Pattern:
    """A value with wildcards: the literal pieces between the ``*``s; a single piece has none."""

    pieces: tuple[str, ...]

    @property
    def is_literal(self) -> bool:
        return len(self.pieces) == 1

    @property
    def text(self) -> str:
        """The value of a literal pattern."""
        return self.pieces[0]

    @cached_property
    def _folded(self) -> tuple[str, ...]:
        return tuple(piece.casefold() for piece in self.pieces)

    def fits(self, text: str) -> bool:
        """Whether the whole text is meant; letters' case does not matter.

        The time goes with the length of the text, whatever the pattern: it is typed by strangers and tried on each
        row. So no regular expression: each piece is taken where it first stands behind the one before, which leaves
        the most for those that follow.
        """
        folded = text.casefold()
        if self.is_literal:
            return folded == self._folded[0]
        first, *middle, last = self._folded
        at, end = len(first), len(folded) - len(last)
        if at > end or not folded.startswith(first) or not folded.endswith(last):
            return False
        for piece in middle:
            found = folded.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True

    def within(self, text: str) -> bool:
        """Whether it stands anywhere in the text; with wildcards: whether the whole text is meant."""
        return self._folded[0] in text.casefold() if self.is_literal else self.fits(text)

    def written(self, bare: re.Pattern[str] = _BARE_VALUE) -> str:
        """As it is typed in a filter, quoted where it has to be."""
        return "*".join(piece if bare.fullmatch(piece) or not piece else quoted(piece) for piece in self.pieces)


def quoted(text: str) -> str:
    """Text between quotation marks, as the filter reads it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
