"""Patterns: values in a filter, which may contain wildcards."""

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

    def matches(self, text: str) -> bool:
        """Whether the pattern matches the whole text, in upper or lower case.

        The time is linear in the length of the text, whatever the pattern, because users type patterns that are applied
        to each row. So there is no regular expression: each piece matches at its first position after the one before,
        which leaves the most for the pieces that follow.
        """
        folded = text.casefold()
        if self.is_literal:
            return folded == self._folded[0]
        first, *middle, last = self._folded
        at, end = len(first), len(folded) - len(last)
        if at > end or not folded.startswith(first) or not folded.endswith(last):
            return False
        for piece in middle:
            position = folded.find(piece, at, end)
            if position < 0:
                return False
            at = position + len(piece)
        return True

    def is_within(self, text: str) -> bool:
        """Whether it occurs anywhere in the text; with wildcards: whether it matches the whole text."""
        return self._folded[0] in text.casefold() if self.is_literal else self.matches(text)

    def written(self, bare: re.Pattern[str] = _BARE_VALUE) -> str:
        """As it is typed in a filter, quoted where necessary."""
        return "*".join(piece if bare.fullmatch(piece) or not piece else quote(piece) for piece in self.pieces)


def quote(text: str) -> str:
    """Text between quotation marks, as the filter reads it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
