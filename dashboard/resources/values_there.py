"""Values that hold what is typed, the commonest first: what a filter can ask for.

No more values are kept and put in order than the event loop can spare the time for. One value more than is offered says
that there are more.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.live.messages import Row
from dashboard.resources.path_names import some_of
from dashboard.resources.rows.field_path import FieldPath, value_text
from dashboard.resources.rows.path_reader import reader

MOST = 30
"""Values that are offered at most; where there are more, one more is given."""
DISTINCT = 2_000
"""Different values that are counted: of addresses and the like there are as many as rows."""
LOOKED_INTO = 300
"""Objects whose fields are read for a path's values; of so many that takes two milliseconds."""
BYTES = 4_000_000
"""Of JSON that is read for them; so much takes three milliseconds."""
LONGEST = 120
"""Characters of a value that is offered."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A value, and how many rows have it; 0 where nobody has counted."""

    value: str
    count: int = 0

    @property
    def words(self) -> str:
        return f"{self.count:,}" if self.count else ""


class Tally:
    """Counts the values that hold what is typed, whatever their letters' case; not those that are empty or too long.

    Those that begin with it and the others have room for DISTINCT each. What comes first has it, so that of more
    values the order is that of those alone.
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
        elif 0 < len(value) <= LONGEST and (place := value.casefold().find(self._part)) >= 0:
            counts = self._hold if place else self._begin
            if len(counts) < DISTINCT:
                counts[value] = 1

    def commonest(self) -> list[Counted]:
        """Those that begin with what is typed, then the others; of each the commonest first, MOST and one at most."""
        found = first_of(self._begin, MOST + 1)
        return found + first_of(self._hold, MOST + 1 - len(found))


def values_at(path: FieldPath, rows: Mapping[str, Row], part: str) -> list[Counted]:
    """What a path leads to in some of the rows."""
    read = reader((path,))
    some = some_of(rows.values(), LOOKED_INTO, BYTES)
    return uncounted((value_text(value) for row in some for value in read(row)[0]), part)


def uncounted(values: Iterable[str], part: str) -> list[Counted]:
    """Of values of which nobody wants to know how many there are."""
    tally = Tally(part)
    for value in values:
        tally.add(value)
    return [Counted(each.value) for each in tally.commonest()]


def first_of(counts: Mapping[str, int], number: int) -> list[Counted]:
    """The commonest of values by their counts."""
    found = heapq.nsmallest(number, counts.items(), key=lambda each: (-each[1], each[0]))
    return [Counted(value, count) for value, count in found]
