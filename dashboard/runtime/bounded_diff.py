"""Comparison of two sequences of texts by difflib, whose time is cubic where texts repeat, up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import Match, SequenceMatcher

COMPARISONS_OF_A_TEXT = 100
"""Maximum comparisons for each text of both sequences."""


def bounded_opcodes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """difflib's opcodes; one "replace" of everything where these would take too much work."""
    try:
        return list(_Matcher(before, after).get_opcodes())
    except _TooMuchWork:
        return [("replace", 0, len(before), 0, len(after))]


class _TooMuchWork(Exception):
    pass


class _Matcher(SequenceMatcher[str]):
    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        self._left = COMPARISONS_OF_A_TEXT * (len(before) + len(after))
        self._before = before
        self._counts = Counter(after)
        super().__init__(None, before, after, autojunk=False)

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """As difflib's. Raises _TooMuchWork before a search that would go beyond the limit."""
        self._left -= sum(1 + self._counts[text] for text in self._before[alo:ahi])
        if self._left < 0:
            raise _TooMuchWork
        return super().find_longest_match(alo, ahi, blo, bhi)
