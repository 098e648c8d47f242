"""Tests of the families that are made of plain numbers."""

from __future__ import annotations

import gc

from informerd.metrics.family_builder import Families


class Garbage:
    """An object of a cycle, so that only the garbage collector frees it, which calls what it is given then."""

    def __init__(self, numbers: dict[str, float]) -> None:
        self.itself = self
        self.numbers = numbers

    def __del__(self) -> None:
        self.numbers[f"number {len(self.numbers)}"] = 1


def test_numbers_that_change_while_the_garbage_collector_runs_are_read_all_the_same() -> None:
    """As another thread's do, which gets its turn where the collector calls a method of an object that it frees."""
    numbers: dict[str, float] = {f"number {number}": 1 for number in range(20_000)}
    families = Families({("one",): numbers}, "name")
    threshold = gc.get_threshold()
    gc.collect()
    gc.set_threshold(500)  # so the next collection comes while the numbers are read
    try:
        for _ in range(20):
            Garbage(numbers)
        family = families.counter("read", "Numbers read.", lambda each: each, "number")
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert len(numbers) == 20_020
    assert len(family.samples) >= 20_000
