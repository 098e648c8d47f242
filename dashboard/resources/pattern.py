"""Patterns: values in a filter, which may hold wildcards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_BARE_VALUE = re.compile(r"[^\s\"\\,*]*")


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
    def regex(self) -> re.Pattern[str]:
        return re.compile(".*".join(re.escape(piece) for piece in self.pieces), re.DOTALL | re.IGNORECASE)

    def fits(self, text: str) -> bool:
        """Whether the whole text is meant; letters' case does not matter."""
        if self.is_literal:
            return text.casefold() == self.text.casefold()
        return self.regex.fullmatch(text) is not None

    def within(self, text: str) -> bool:
        """Whether it stands anywhere in the text; with wildcards: whether the whole text is meant."""
        return self.text.casefold() in text.casefold() if self.is_literal else self.fits(text)

    def written(self, bare: re.Pattern[str] = _BARE_VALUE) -> str:
        """As it is typed in a filter, quoted where it has to be."""
        return "*".join(piece if bare.fullmatch(piece) or not piece else quoted(piece) for piece in self.pieces)


def quoted(text: str) -> str:
    """Text between quotation marks, as the filter reads it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
