"""Tests of packed sort keys, which compare as the keys do, with values of any type."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dashboard.live.index.sort_key_encoding import decode_uid, encode_key, encode_part
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.value_order import descending_key, sort_value

texts = st.text(max_size=6) | st.text("ab01/.-\0\x01\xff", max_size=6)
numbers = st.integers(-(2**130), 2**130) | st.integers(-3, 3) | st.floats(allow_nan=False)
nested = st.recursive(texts, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=5)
ORDERS: list[Order] = ["text", "natural", "ip", "fraction", "number", "age"]


def test_numbers_are_exact_where_there_are_few_digits_to_a_double() -> None:
    many = [-(2.0**200), -(2**128), -(2**60) - 1, -(2**60), -1.5, -1, 0, 1e-300, 2**53, 2**53 + 1, 2**128 - 1, 2.0**200]
    assert [encode_part(number) for number in many] == sorted(encode_part(number) for number in many)
    assert len({encode_part(number) for number in many}) == len(many)
    assert encode_part(-0.0) == encode_part(0)
    assert encode_part(2.0**60) == encode_part(2**60)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.tuples(texts, texts) | st.tuples(numbers, numbers))
@example(("a", "a\0"))
@example(("", "\0"))
@example((float("inf"), 2**100))
def test_texts_and_numbers(pair: tuple[str, str] | tuple[float, float]) -> None:
    one, other = pair
    assert (encode_part(one) < encode_part(other)) == (one < other)  # type: ignore[operator]
    assert (encode_part(one) == encode_part(other)) == (one == other)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(nested, max_size=3).map(tuple), st.lists(nested, max_size=3).map(tuple))
def test_tuples(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    try:
        smaller = one < other
    except TypeError:
        return  # no keys of one order
    assert (encode_part(one) < encode_part(other)) == smaller


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data(), downwards=st.booleans())
def test_the_keys_of_every_order_of_columns(order: Order, downwards: bool, data: st.DataObject) -> None:
    values = (st.integers(-(2**63), 2**63) | st.floats(allow_nan=False)) if order in {"number", "age"} else texts
    shaped = st.sampled_from(["node-10", "node-9", "10.0.0.9", "::1", "fe80::2", "1/2", "50%", "3", "x"])
    made = [
        data.draw(st.none() | values | (values if order in {"number", "age"} else shaped)) for _ in range(2)
    ]  # fmt: skip
    keys = [
        (
            (1,)
            if value is None
            else (0, descending_key(sort_value(order, value)) if downwards else sort_value(order, value))
        )
        + (data.draw(st.sampled_from(["", "a", "a-b"])), data.draw(st.sampled_from(["n", "n-1"])), f"uid-{number}")
        for number, value in enumerate(made)
    ]
    assert (encode_key(keys[0]) < encode_key(keys[1])) == (keys[0] < keys[1])
    assert [decode_uid(encode_key(key)) for key in keys] == ["uid-0", "uid-1"]


def test_names_go_by_namespace_first() -> None:
    keys = [("team", "z", "1"), ("team-1", "a", "2"), ("team.1", "a", "3"), ("team1", "a", "0")]
    assert sorted(keys) == sorted(keys, key=encode_key)
