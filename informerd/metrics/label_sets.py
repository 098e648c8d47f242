"""Label values of collected objects, made unique, because Prometheus refuses a series that appears twice."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

LabelValues = tuple[str, ...]
"""Values of labels."""


class LabelSets(Generic[T]):
    """Adds `` (2)`` to the last label of the second thing of one scope; in the next scrape again to the same thing."""

    def __init__(self) -> None:
        self._numbers: WeakKeyDictionary[T, tuple[LabelValues, int]] = WeakKeyDictionary()
        """The distinguishing labels of each in the last scrape."""

    def disambiguate(self, scopes: Mapping[T, LabelValues]) -> Mapping[T, LabelValues]:
        """A scope for each that no other has."""
        numbers = self._numbered(scopes)
        return {each: _told_apart(*numbers[each]) for each in scopes}

    def _numbered(self, shown: Mapping[T, LabelValues]) -> Mapping[T, tuple[LabelValues, int]]:
        """A number for each that no other of its scope has; the last scrape's, so that no series changes its owner."""
        before = {each: self._numbers.get(each) for each in shown}
        numbers = {each: last for each, last in before.items() if last is not None and last[0] == shown[each]}
        used_numbers = {*numbers.values()}
        for each, scope in shown.items():
            if each not in numbers:
                number = next(number for number in count(1) if (scope, number) not in used_numbers)
                numbers[each] = (scope, number)
                used_numbers.add((scope, number))
        self._numbers = WeakKeyDictionary(numbers)
        return numbers


def _told_apart(scope: LabelValues, number: int) -> LabelValues:
    return scope if number == 1 else (*scope[:-1], f"{scope[-1]} ({number})".lstrip())
