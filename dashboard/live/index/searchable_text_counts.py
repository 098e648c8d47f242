"""Texts with their counts, searchable for a part without a look at each of them.

The texts are joined into a few long ones, so that a search is Python's own search of a text, in upper or lower case.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, format_value
from dashboard.objects.paths.path_suggestions import sample_rows
from dashboard.objects.paths.reader import path_reader
from informerd.suggest import MAX_COMPARED as MOST_COMPARED
from informerd.suggest import suggest_names

MAX_VALUES = 30
"""Maximum number of values offered; where there are more, one more is returned."""


MAX_DISTINCT = 2_000
"""Maximum number of different values counted: addresses and the like have as many as rows."""


MAX_OBJECTS_READ = 300
"""Objects whose fields are read for a path's values; so many take two milliseconds."""


MAX_BYTES_READ = 4_000_000
"""Bytes of JSON that are read for them; so many take three milliseconds."""


MAX_VALUE_LENGTH = 120
"""Maximum characters of a value that is offered."""


@dataclass(frozen=True, slots=True)
class TextCount:
    """A value, and the number of rows that have it; 0 where nobody has counted."""

    value: str
    count: int = 0

    @property
    def words(self) -> str:
        return f"{self.count:,}" if self.count else ""


class TextTally:
    """Counts the values that contain what is typed, in upper or lower case; empty and too long ones are left out.

    Those that begin with it and the others have room for MAX_DISTINCT each. The first values get it, so that of more
    values only those are ordered.
    """

    def __init__(self, part: str) -> None:
        self._part = part.casefold()
        self._begin: dict[str, int] = {}
        self._hold: dict[str, int] = {}

    def add(self, value: str) -> None:
        if value in self._begin:
            self._begin[value] += 1
        elif value in self._hold:
            self._hold[value] += 1
        elif 0 < len(value) <= MAX_VALUE_LENGTH and (place := value.casefold().find(self._part)) >= 0:
            counts = self._hold if place else self._begin
            if len(counts) < MAX_DISTINCT:
                counts[value] = 1

    def most_common(self) -> list[TextCount]:
        """Values that begin with what is typed, then the others; each by frequency, at most MAX_VALUES and one."""
        ranked = most_common(self._begin, MAX_VALUES + 1)
        return ranked + most_common(self._hold, MAX_VALUES + 1 - len(ranked))


def count_path_values(path: FieldPath, rows: Mapping[str, Row], part: str) -> list[TextCount]:
    """Values of a path that contain `part`, from at most MAX_OBJECTS_READ of the rows; not counted."""
    read = path_reader((path,))
    some = sample_rows(rows.values(), MAX_OBJECTS_READ, MAX_BYTES_READ)
    return without_counts((format_value(value) for row in some for value in read(row)[0]), part)


def without_counts(values: Iterable[str], part: str) -> list[TextCount]:
    """The values that contain `part`, in the order of `TextTally.most_common`, without their counts."""
    tally = TextTally(part)
    for value in values:
        tally.add(value)
    return [TextCount(each.value) for each in tally.most_common()]


def most_common(counts: Mapping[str, int], number: int) -> list[TextCount]:
    """The most frequent values by their counts."""
    ranked = heapq.nsmallest(number, counts.items(), key=lambda each: (-each[1], each[0]))
    return [TextCount(value, count) for value, count in ranked]


BLOCK_SIZE = 1024
"""Texts that are joined into one."""
SEPARATOR = "\0"
"""Stands between two texts; no text that contains it is kept."""


class TextCounts:
    """Counted texts, without those that are empty or longer than MAX_VALUE_LENGTH."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._full: list[_Joined] = []
        self._last: list[str] = []
        self._joined: _Joined | None = None
        """The texts of `_last`; None while they have not been joined."""

    def __len__(self) -> int:
        """Number of different texts."""
        return len(self._counts)

    @property
    def needs_compaction(self) -> bool:
        """Whether most of the joined texts are gone, so that it is to be built again."""
        return len(self._full) * BLOCK_SIZE > 2 * len(self._counts) + 8 * BLOCK_SIZE

    def add(self, text: str) -> None:
        """Count one more of a text."""
        if text in self._counts:
            self._counts[text] += 1
        elif 0 < len(text) <= MAX_VALUE_LENGTH and SEPARATOR not in text:
            self._counts[text] = 1
            self._last.append(text)
            self._joined = None
            if len(self._last) == BLOCK_SIZE:
                self._full.append(_Joined(self._last))
                self._last = []

    def remove(self, text: str) -> None:
        """Count one less of a text."""
        count = self._counts.get(text, 0)
        if count > 1:
            self._counts[text] = count - 1
        elif count:
            del self._counts[text]

    def most_common(self, part: str) -> list[TextCount]:
        """Texts that begin with `part`, then those that contain it; each group by frequency, at most MAX_VALUES and
        one.

        Of more than MAX_DISTINCT texts only so many are ordered.
        """
        begin = self._with(SEPARATOR + part.casefold())
        ranked = most_common(begin, MAX_VALUES + 1)
        if len(ranked) > MAX_VALUES or not part:
            return ranked
        holding = {text: count for text, count in self._with(part.casefold()).items() if text not in begin}
        return ranked + most_common(holding, MAX_VALUES + 1 - len(ranked))

    def has(self, text: str) -> bool:
        """Whether the text is there."""
        return text in self._counts or bool(self._with(f"{SEPARATOR}{text.casefold()}{SEPARATOR}", 1))

    def nearest(self, text: str) -> str:
        """The most similar text; empty where there is none. Of many texts only those with the longest common beginning
        are compared.
        """
        known = (
            self._counts
            if len(self._counts) <= MOST_COMPARED
            else self._beginning_like(text.casefold()[:MAX_VALUE_LENGTH])
        )
        return next(iter(suggest_names(text, known)), "")

    def _beginning_like(self, text: str) -> dict[str, int]:
        """Texts that share the longest beginning with `text`."""
        no_more = bisect_left(
            range(1, len(text) + 1), True, key=lambda size: not self._with(SEPARATOR + text[:size], 1)
        )
        return self._with(SEPARATOR + text[:no_more], MOST_COMPARED) if no_more else {}

    def _with(self, part: str, most: int = MAX_DISTINCT) -> dict[str, int]:
        merged: dict[str, int] = {}
        for joined in self._parts():
            for text in joined.holding(part):
                if count := self._counts.get(text):  # what is no more there is found, too
                    merged[text] = count
                    if len(merged) == most:
                        return merged
        return merged

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
        self._joined = SEPARATOR + SEPARATOR.join(folded) + SEPARATOR
        self._starts: list[int] = []
        """Where each text begins in it."""
        start = 1
        for text in folded:
            self._starts.append(start)
            start += len(text) + 1

    def holding(self, part: str) -> Iterator[str]:
        """The texts that contain a part; SEPARATOR before the part means the beginning of a text, after it the end."""
        place = self._joined.find(part)
        while place >= 0:
            index = bisect_right(self._starts, place + part.startswith(SEPARATOR)) - 1
            yield self._texts[index]
            if index + 1 == len(self._starts):
                return
            place = self._joined.find(part, self._starts[index + 1] - 1)
