"""Texts with how often each is there, in which a part is found without going through all of them.

They lie one behind the other in a few long texts, so that looking for a part is Python's own search of a text. Letters'
case does not matter.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from dashboard.resources.near import MOST as MOST_COMPARED
from dashboard.resources.near import near_names
from dashboard.resources.values_there import DISTINCT, LONGEST, MOST, Counted, first_of

AT_ONCE = 1024
"""Texts that lie behind one another."""
END = "\0"
"""Between two texts; none that holds it is kept."""


class CountedTexts:
    """Those that are empty or longer than LONGEST are not among them."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._full: list[_Joined] = []
        self._last: list[str] = []
        self._joined: _Joined | None = None
        """The texts of `_last`; None while they have not been joined."""

    def __len__(self) -> int:
        """How many different ones there are."""
        return len(self._counts)

    @property
    def is_worn(self) -> bool:
        """Whether most of what is looked through is no more there: it is to be made anew."""
        return len(self._full) * AT_ONCE > 2 * len(self._counts) + 8 * AT_ONCE

    def add(self, text: str) -> None:
        """One more of it."""
        if text in self._counts:
            self._counts[text] += 1
        elif 0 < len(text) <= LONGEST and END not in text:
            self._counts[text] = 1
            self._last.append(text)
            self._joined = None
            if len(self._last) == AT_ONCE:
                self._full.append(_Joined(self._last))
                self._last = []

    def remove(self, text: str) -> None:
        """One less of it."""
        count = self._counts.get(text, 0)
        if count > 1:
            self._counts[text] = count - 1
        elif count:
            del self._counts[text]

    def commonest(self, part: str) -> list[Counted]:
        """Those that begin with `part`, then those that hold it; of each the commonest first, MOST and one at most.

        Of more than DISTINCT the order is that of so many.
        """
        begin = self._with(END + part.casefold())
        found = first_of(begin, MOST + 1)
        if len(found) > MOST or not part:
            return found
        holding = {text: count for text, count in self._with(part.casefold()).items() if text not in begin}
        return found + first_of(holding, MOST + 1 - len(found))

    def has(self, text: str) -> bool:
        """Whether it is there."""
        return text in self._counts or bool(self._with(f"{END}{text.casefold()}{END}", 1))

    def nearest(self, text: str) -> str:
        """The one most like it; empty where none is. Of many only those are compared that begin most alike."""
        known = self._counts if len(self._counts) <= MOST_COMPARED else self._beginning_like(text.casefold()[:LONGEST])
        return next(iter(near_names(text, known)), "")

    def _beginning_like(self, text: str) -> dict[str, int]:
        """Those that begin with as much of it as any does: what no text begins with, none begins with more of."""
        no_more = bisect_left(range(1, len(text) + 1), True, key=lambda size: not self._with(END + text[:size], 1))
        return self._with(END + text[:no_more], MOST_COMPARED) if no_more else {}

    def _with(self, part: str, most: int = DISTINCT) -> dict[str, int]:
        found: dict[str, int] = {}
        for joined in self._parts():
            for text in joined.holding(part):
                if count := self._counts.get(text):  # what is no more there is found, too
                    found[text] = count
                    if len(found) == most:
                        return found
        return found

    def _parts(self) -> Iterator[_Joined]:
        yield from self._full
        if self._last:
            if self._joined is None:
                self._joined = _Joined(self._last)
            yield self._joined


class _Joined:
    """Texts, and one text of all of them."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = tuple(texts)
        folded = [text.casefold() for text in texts]
        self._joined = END + END.join(folded) + END
        self._starts: list[int] = []
        """Where each begins in it."""
        start = 1
        for text in folded:
            self._starts.append(start)
            start += len(text) + 1

    def holding(self, part: str) -> Iterator[str]:
        """The texts that hold a part; it may begin with END for their beginning, and end with it for their end."""
        place = self._joined.find(part)
        while place >= 0:
            index = bisect_right(self._starts, place + part.startswith(END)) - 1
            yield self._texts[index]
            if index + 1 == len(self._starts):
                return
            place = self._joined.find(part, self._starts[index + 1] - 1)
