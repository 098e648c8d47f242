"""Tests of the sorted list, whose blocks equal a plain sorted list after any changes."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from dashboard.live.index.sort_key_encoding import encode_key
from dashboard.live.index.sorted_list import BLOCK_SIZE, EncodedKey, SortedList
from dashboard.runtime.time_slicing import SlicedWork


def entry(number: int) -> EncodedKey:
    return encode_key((number % 7, "", f"name-{number}", f"uid-{number}"))


def all_of(entries: SortedList) -> list[EncodedKey]:
    return entries.window(0, len(entries) + 1)


def finished(work: SlicedWork) -> int:
    return sum(1 for _ in work)


@pytest.mark.parametrize("number", [0, 1, 2, BLOCK_SIZE, BLOCK_SIZE * 5 + 3])
def test_many_at_once_are_sorted(number: int) -> None:
    made = [entry(n) for n in random.Random(number).sample(range(number), number)]
    entries = SortedList()
    entries.begin()
    finished(entries.finish(list(made)))
    assert entries.ready
    assert all_of(entries) == sorted(made)


def test_equal_keys_are_no_trouble_for_the_sample() -> None:
    made = [encode_key((0, "", "", f"uid-{n:05d}")) for n in range(BLOCK_SIZE * 4)]
    entries = SortedList()
    entries.begin()
    finished(entries.finish(list(reversed(made))))
    assert all_of(entries) == made


def test_no_step_sorts_more_than_a_few_blocks() -> None:
    entries = SortedList()
    entries.begin()
    number = BLOCK_SIZE * 20
    assert finished(entries.finish([entry(n) for n in range(number)])) > number // BLOCK_SIZE


def test_what_moves_while_entries_are_collected_is_not_lost_whether_they_show_it_or_not() -> None:
    collected = [entry(n) for n in range(100)]
    entries = SortedList()
    entries.begin()
    entries.replace(entry(5), entry(500))  # collected before it moved
    entries.replace(None, entry(7))  # came, and collected afterwards
    entries.replace(entry(9), None)
    entries.replace(entry(901), entry(902))  # neither was collected
    work = entries.finish(collected)
    next(work)
    entries.replace(entry(500), entry(501))
    finished(work)
    expected = {entry(n) for n in range(100)} - {entry(5), entry(9)} | {entry(501), entry(902)}
    assert all_of(entries) == sorted(expected)


def test_blocks_are_all_entries_as_they_were_whatever_moves_later() -> None:
    entries = SortedList()
    for number in range(BLOCK_SIZE * 3):
        entries.replace(None, entry(number))
    blocks = entries.blocks()
    entries.replace(blocks[0][0], entry(BLOCK_SIZE * 3))
    assert [each for block in blocks for each in block] == sorted(entry(n) for n in range(BLOCK_SIZE * 3))


@pytest.mark.slow
def test_any_sequence_of_moves_leaves_what_a_sorted_list_would_be() -> None:
    chance = random.Random(4)
    entries, model = SortedList(), set[EncodedKey]()
    for _ in range(12_000):
        new = entry(chance.randrange(6_000)) if chance.random() < 0.7 else None
        old = chance.choice(tuple(model)) if model and chance.random() < 0.02 else entry(chance.randrange(6_000))
        entries.replace(old, new)
        model = (model - {old}) | ({new} if new else set())
    ordered = sorted(model)
    assert len(entries) == len(model) > 2 * BLOCK_SIZE
    assert all_of(entries) == ordered
    for start in (0, 1, BLOCK_SIZE - 1, BLOCK_SIZE, len(model) - 50, len(model), len(model) + 5):
        assert entries.window(start, 100) == ordered[start : start + 100]
    assert all(one < other for one, other in pairwise(each for block in entries.blocks() for each in block))


def test_the_last_entry_gone_leaves_nothing() -> None:
    entries = SortedList()
    entries.replace(None, entry(1))
    entries.replace(None, entry(1))
    entries.replace(entry(1), None)
    entries.replace(entry(1), None)
    assert (len(entries), all_of(entries), entries.blocks()) == (0, [], [])
