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
    """Adds `` (2)`` to the last label of the second object with the same labels; of the same object in each scrape."""

    def __init__(self) -> None:
        self._numbers: WeakKeyDictionary[T, tuple[LabelValues, int]] = WeakKeyDictionary()
        """The distinguishing labels of each in the last scrape."""

    def disambiguate(self, labels: Mapping[T, LabelValues]) -> Mapping[T, LabelValues]:
        """Labels for each object that no other one has."""
        numbers = self._numbered(labels)
        return {each: _with_number(*numbers[each]) for each in labels}

    def _numbered(self, labels: Mapping[T, LabelValues]) -> Mapping[T, tuple[LabelValues, int]]:
        """A number for each that no other with its labels has; the last scrape's, so that a series stays its own."""
        before = {each: self._numbers.get(each) for each in labels}
        numbers = {each: last for each, last in before.items() if last is not None and last[0] == labels[each]}
        used_numbers = {*numbers.values()}
        for each, values in labels.items():
            if each not in numbers:
                number = next(number for number in count(1) if (values, number) not in used_numbers)
                numbers[each] = (values, number)
                used_numbers.add((values, number))
        self._numbers = WeakKeyDictionary(numbers)
        return numbers


def _with_number(values: LabelValues, number: int) -> LabelValues:
    return values if number == 1 else (*values[:-1], f"{values[-1]} ({number})".lstrip())
