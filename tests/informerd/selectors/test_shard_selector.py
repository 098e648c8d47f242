"""Tests of shard selectors: the hash, the grammar, and that shards divide all objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from informerd.errors import InvalidCall, MalformedSelector
from informerd.objects import ObjectMeta
from informerd.selectors.shard_selector import (
    HASHES,
    ShardField,
    ShardRange,
    ShardSelector,
    as_shard_selector,
    shard_hash,
)

UPPER_HALF = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_the_hash_is_that_of_the_fnv_reference(value: str, wanted: int) -> None:
    assert shard_hash(value) == wanted


fields = st.sampled_from(("uid", "namespace"))


@given(st.uuids(), st.integers(1, 40), fields)
def test_each_object_is_in_exactly_one_of_the_shards(uid: object, count: int, field: ShardField) -> None:
    metadata = ObjectMeta(name="a", namespace=f"of-{uid}", uid=str(uid))
    found = [n for n in range(1, count + 1) if ShardSelector.of(n, count, field).matches(metadata)]
    assert len(found) == 1


@given(st.integers(1, 1000))
def test_shards_follow_each_other_without_gap_and_are_equally_large(count: int) -> None:
    ranges = [each for n in range(1, count + 1) for each in ShardSelector.of(n, count).ranges] or [
        ShardRange("uid", 0, HASHES)
    ]
    assert [each.start for each in ranges] == [0, *(each.end for each in ranges[:-1])]
    assert ranges[-1].end == HASHES
    assert len({(each.end - each.start) // 2 for each in ranges}) <= 2


bounds = st.tuples(st.integers(0, HASHES), st.integers(0, HASHES)).map(sorted).filter(lambda each: each[0] < each[1])
selectors = st.lists(st.builds(lambda field, each: ShardRange(field, *each), fields, bounds), max_size=4).map(
    lambda ranges: ShardSelector(tuple(ranges))
)


@given(selectors)
def test_a_selector_is_read_back_from_its_text(selector: ShardSelector) -> None:
    assert ShardSelector.parse(str(selector)) == selector
    assert as_shard_selector(str(selector)) == as_shard_selector(selector) == selector


@given(selectors, st.uuids())
def test_an_object_is_selected_that_is_in_one_of_the_ranges(selector: ShardSelector, uid: object) -> None:
    metadata = ObjectMeta(name="a", namespace=f"of-{uid}", uid=str(uid))
    hashes = {"uid": shard_hash(metadata.uid), "namespace": shard_hash(metadata.namespace)}
    wanted = not selector.ranges or any(each.start <= hashes[each.field] < each.end for each in selector.ranges)
    assert selector.matches(metadata) is wanted


def test_without_a_range_it_narrows_nothing() -> None:
    assert not ShardSelector()
    assert not ShardSelector.of(1, 1)
    assert str(ShardSelector()) == ""
    assert ShardSelector.parse(" ") == ShardSelector()


@pytest.mark.parametrize(("number", "count"), [(0, 3), (4, 3), (-1, 3), (1, 0)])
def test_a_shard_that_does_not_exist_is_refused(number: int, count: int) -> None:
    with pytest.raises(InvalidCall, match=f"there is no shard {number}"):
        ShardSelector.of(number, count)


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("shardRange(object.metadata.uid, '0x0', '0x8000000000000000')", 0, "expected a range such as"),
        ("shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')", 0, "expected a range"),
        (f"{UPPER_HALF} && {UPPER_HALF}", 0, "expected a range"),
        (f"{UPPER_HALF}|| nonsense", len(UPPER_HALF) + 2, "expected a range"),
        (f"{UPPER_HALF}||", len(UPPER_HALF) + 2, "expected a range"),
        ("shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')", 0, "ends before it begins"),
    ],
)
def test_a_malformed_selector_says_what_and_where(text: str, position: int, problem: str) -> None:
    with pytest.raises(MalformedSelector, match=problem) as caught:
        ShardSelector.parse(text)
    assert caught.value.position == position


def test_a_selector_is_a_text_or_a_shard_selector() -> None:
    with pytest.raises(MalformedSelector, match="a selector is text or a ShardSelector"):
        as_shard_selector(3)  # type: ignore[arg-type]
