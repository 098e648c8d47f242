"""What objects used in the last day, in memory of a fixed size.

A sample has four bytes: CPU and memory as the logarithm of their amount, right to 0.06 percent, each with a bit that
says whether a sum has all its pods. There are two rings: the last 90 minutes by the minute, the last day by ten
minutes. Each keeps the most of a span: an average would hide what a container was killed for. All objects share one
array for each span, so that the size depends on the largest number of objects alone: 936 bytes for each, and some 200
for its name.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence

import msgspec

from dashboard.objects.usage.past_usage import Sample
from dashboard.objects.usage.usage import Usage

FINE, COARSE = (60, 90), (600, 144)
"""Seconds of a span, and number of spans."""
BYTES_A_SAMPLE = 4
MAX_SERIES = 60_000
"""Objects whose past is kept. Where there are more, those that were not measured for the longest time give way."""
_STEPS = 585
"""Steps in which an amount doubles: 32,765 are 56 doublings."""
_LARGEST = 32_767
_UNIT = 1e9
"""CPU is kept as nanocores."""


def encode(amount: float, *, is_whole: bool = True) -> int:
    """A whole amount in 16 bits: 0 means that there is no sample. Of two codes, that of the larger amount is larger.

    `is_whole`: whether no pod is missing in it.
    """
    step = min(_LARGEST, 2 + round(math.log2(amount) * _STEPS)) if amount >= 1 else 1
    return 2 * step + is_whole


def decode(code: int) -> float:
    """The amount that `encode` kept. Raises ValueError for 0."""
    if not code:
        raise ValueError("there is no sample")
    step = code >> 1
    return 0.0 if step == 1 else float(2 ** ((step - 2) / _STEPS))


def is_whole(code: int) -> bool:
    """Whether `encode` kept that no pod is missing."""
    return bool(code & 1)


class _Ring:
    """The most of each span, for `series` that are numbered from 0."""

    def __init__(self, seconds: int, spans: int) -> None:
        self.seconds = seconds
        self._spans = spans
        self._begins = [-1] * spans
        """Number of the span that each array holds; -1: none."""
        self._arrays = [array("H") for _ in range(spans)]
        self._counts = [0] * spans
        """Samples in each array."""

    @property
    def count(self) -> int:
        """Samples in all arrays."""
        return sum(self._counts)

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(len(each) * each.itemsize for each in self._arrays)

    def record(self, at: float, codes: Iterable[tuple[int, int, int]], series: int) -> None:
        """Note codes of CPU and memory, each with its series; there are so many `series`."""
        span = int(at) // self.seconds
        place = span % self._spans
        held = self._arrays[place]
        if self._begins[place] != span:
            if self._begins[place] > span:  # the clock was set back
                return
            self._begins[place], self._counts[place] = span, 0
            held = self._arrays[place] = array("H", bytes(BYTES_A_SAMPLE * series))
        elif len(held) < 2 * series:
            held.frombytes(bytes(BYTES_A_SAMPLE * series - len(held) * held.itemsize))
        added = 0
        for number, cpu, memory in codes:
            index = 2 * number
            if not held[index]:
                added += 1
            held[index] = max(held[index], cpu)
            held[index + 1] = max(held[index + 1], memory)
        self._counts[place] += added

    def forget(self, number: int) -> None:
        """Remove all samples of a series."""
        for place, held in enumerate(self._arrays):
            if len(held) > 2 * number:
                self._counts[place] -= bool(held[2 * number])
                held[2 * number] = held[2 * number + 1] = 0

    def samples(self, number: int, now: float) -> list[Sample]:
        """The samples of a series in the last spans before `now` (Unix seconds), oldest first."""
        newest = int(now) // self.seconds
        found: list[Sample] = []
        for span in range(newest - self._spans + 1, newest + 1):
            place = span % self._spans
            held = self._arrays[place]
            if self._begins[place] == span and len(held) > 2 * number and held[2 * number]:
                codes = held[2 * number], held[2 * number + 1]
                cpu, memory = decode(codes[0]) / _UNIT, decode(codes[1])
                is_partial = not all(map(is_whole, codes))
                found.append(Sample(float(span * self.seconds), self.seconds, cpu, memory, is_partial))
        return found


def until(samples: Iterable[Sample], end: float) -> list[Sample]:
    """The samples before `end` (Unix seconds). One that reaches beyond it is shortened: its peak is not lost."""
    return [
        each if each.at + each.seconds <= end else msgspec.structs.replace(each, seconds=int(end - each.at))
        for each in samples
        if each.at + 1 <= end
    ]


def _before(coarse: Iterable[Sample], fine: Sequence[Sample], begin: float) -> list[Sample]:
    """The coarse samples before `begin`, where the fine ones begin. One that reaches beyond it tells of the time before
    only where it has more than the fine ones of its span: then its peak was there.
    """

    def is_older(each: Sample) -> bool:
        end = each.at + each.seconds
        same = [sample for sample in fine if sample.at < end]
        cpu, memory = max((s.cpu for s in same), default=0.0), max((s.memory for s in same), default=0.0)
        return end <= begin or each.cpu > cpu or each.memory > memory

    return until(filter(is_older, coarse), begin)


class UsageHistory:
    """The past of objects, each named by the key of its kind and its own."""

    def __init__(self, max_series: int = MAX_SERIES) -> None:
        self._max = max_series
        self._fine, self._coarse = _Ring(*FINE), _Ring(*COARSE)
        self._numbers: dict[tuple[str, str], int] = {}
        """The longest not measured come first."""
        self._measured_at: list[float] = []
        """Unix seconds, by number of the series."""
        self.forgotten = 0
        """Objects that gave way to others within a day."""

    def __len__(self) -> int:
        """Number of objects."""
        return len(self._numbers)

    @property
    def size(self) -> int:
        """Bytes of all samples, those that are not there yet included."""
        return self._fine.size + self._coarse.size

    @property
    def count(self) -> int:
        """Samples that are kept."""
        return self._fine.count + self._coarse.count

    def record(self, key: str, usages: Iterable[Usage], now: float) -> None:
        """Note what objects of the kind `key` use at `now` (Unix seconds)."""
        codes = [
            (
                self._number(key, usage.key, now),
                encode(usage.cpu * _UNIT, is_whole=not usage.unmeasured),
                encode(usage.memory, is_whole=not usage.unmeasured),
            )
            for usage in usages
        ]
        for ring in (self._fine, self._coarse):
            ring.record(now, codes, len(self._measured_at))

    def samples(self, kind: str, key: str, now: float) -> list[Sample]:
        """The last day of one object, oldest first: by ten minutes, the newest by the minute."""
        number = self._numbers.get((kind, key))
        if number is None:
            return []
        fine = self._fine.samples(number, now)
        begin = fine[0].at if fine else math.inf
        return [*_before(self._coarse.samples(number, now), fine, begin), *fine]

    def _number(self, kind: str, key: str, now: float) -> int:
        place = (kind, key)
        number = self._numbers.pop(place, None)
        if number is None:
            number = self._free_number(now)
        self._numbers[place] = number
        self._measured_at[number] = now
        return number

    def _free_number(self, now: float) -> int:
        """A number for a new object: one more, or that of an object without samples, or of the longest not measured."""
        oldest = next(iter(self._numbers), None)
        if oldest is not None:
            number = self._numbers[oldest]
            is_empty = now - self._measured_at[number] > COARSE[0] * COARSE[1]
            if is_empty or len(self._numbers) >= self._max:
                self.forgotten += not is_empty
                del self._numbers[oldest]
                self._fine.forget(number)
                self._coarse.forget(number)
                return number
        self._measured_at.append(now)
        return len(self._measured_at) - 1
