"""Tests of the list splitter, which cuts a list's JSON into its items while it arrives."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

from informerd.decoding.list_splitter import COUNT_AT, ListSplitter
from informerd.errors import MalformedStream
from tests.support.scripted_api_server import pod

TRICKY = [
    {"metadata": {"name": "a"}, "text": '},{"metadata":{"name":"no"}}, \\" ]} {"items":['},
    {"metadata": {"name": "b"}, "claims": [{"metadata": {"name": "x"}}, {"metadata": {"name": "y"}}, []]},
    {"metadata": {"name": "ü\\"}, "empty": {}},
    {"kind": "another beginning", "metadata": {"name": "d"}},
    {},
    {"metadata": {"name": "e"}},
]


def split(body: bytes, sizes: list[int]) -> tuple[list[Any], Any]:
    splitter: ListSplitter[Any] = ListSplitter(msgspec.json.decode)
    items: list[Any] = []
    start = 0
    for size in sizes:
        items += splitter.feed(body[start : start + size])
        start += size
    items += splitter.feed(body[start:])
    rest, without_items = splitter.finish()
    return items + rest, json.loads(without_items)


def listing(items: list[Any], **more: Any) -> dict[str, Any]:
    """As built-in kinds come; custom resources have their metadata after the items."""
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items, **more}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("metadata_last", [False, True])
def test_items_come_out_whatever_the_chunks_and_whatever_is_in_them(indent: int | None, metadata_last: bool) -> None:
    chance = random.Random(7)
    whole = listing(TRICKY * 5)
    if metadata_last:
        whole["metadata"] = whole.pop("metadata")
    separators = None if indent else (",", ":")
    body = json.dumps(whole, indent=indent, separators=separators, ensure_ascii=False).encode()
    for _ in range(100):
        sizes = [chance.randrange(1, 300) for _ in range(chance.randrange(20))]
        items, rest = split(body, sizes)
        assert items == TRICKY * 5
        assert rest == {**whole, "items": []}


def test_a_byte_at_a_time_is_enough() -> None:
    body = json.dumps(listing(TRICKY)).encode()
    assert split(body, [1] * len(body))[0] == TRICKY


def test_items_are_given_while_the_list_still_comes() -> None:
    body = msgspec.json.encode(listing([pod(f"p{number}", str(number)) for number in range(100)]))
    splitter: ListSplitter[Any] = ListSplitter(msgspec.json.decode)
    assert 45 <= len(splitter.feed(body[: len(body) // 2])) <= 50


def test_an_item_longer_than_any_chunk_comes_out_whole() -> None:
    long = {"metadata": {"name": "long"}, "data": "x" * (3 * COUNT_AT)}
    body = msgspec.json.encode(listing([pod("a", "1"), long, pod("b", "2")]))
    assert split(body, [65536] * 20)[0] == [pod("a", "1"), long, pod("b", "2")]


@pytest.mark.parametrize("items", [[], None])
def test_a_list_without_items_is_left_as_it_is(items: Any) -> None:
    assert split(msgspec.json.encode(listing(items)), [10, 20]) == ([], listing(items))


def test_only_the_lists_own_items_are_its_items() -> None:
    whole = {"metadata": {"annotations": {"items": "["}, "items": [1]}, "items": [{"a": 1}]}
    assert split(msgspec.json.encode(whole), []) == ([{"a": 1}], {**whole, "items": []})


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.99])
def test_a_list_that_is_cut_off_is_malformed_and_gives_no_half_items(cut: float) -> None:
    items = [pod(f"p{number}", str(number)) for number in range(30)]
    body = msgspec.json.encode(listing(items))
    body = body[: int((len(body) - 2) * cut)]
    splitter: ListSplitter[Any] = ListSplitter(msgspec.json.decode)
    came = splitter.feed(body)
    assert came == items[: len(came)]
    with pytest.raises(MalformedStream, match="cut off"):
        splitter.finish()


@pytest.mark.parametrize("body", [b'{"items":[{"a":1} {"a":2}]}', b'{"items":[{"a":1},7]}', b'{"items":[{"a":}]}'])
def test_malformed_items_are_an_error(body: bytes) -> None:
    with pytest.raises(MalformedStream):
        split(body, [])


def examined(body: bytes, size: int) -> int:
    """How many bytes the splitter looks at to find the ends of the items."""
    splitter: ListSplitter[Any] = ListSplitter(msgspec.json.decode)
    for start in range(0, len(body), size):
        splitter.feed(body[start : start + size])
    splitter.finish()
    return splitter.bytes_examined


def many_strings(size: int) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "data": {f"key{number}": "x" * 20 for number in range(size // 32)}}


def one_string(size: int) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "data": '\\"' * (size // 4)}


def like_items(size: int) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "claims": [{"metadata": {"name": "x"}}] * (size // 25)}


@pytest.mark.long
@pytest.mark.parametrize("item", [many_strings, one_string, like_items])
@pytest.mark.parametrize("chunk", [4096, 65536])
def test_the_work_grows_with_the_bytes_and_not_faster(item: Any, chunk: int) -> None:
    """A 3 MB item took 3.4 s: each chunk was searched, and each doubling counted, from the item's beginning."""
    for size in (500_000, 3_000_000):
        body = msgspec.json.encode(listing([pod("small", "1"), item(size), item(size), pod("b", "2")]))
        assert len(body) > 1.5 * size
        assert examined(body, chunk) <= 2.1 * len(body)


@pytest.mark.slow
def test_what_comes_whole_and_cannot_be_decoded_is_handed_over_and_the_others_come() -> None:
    deep = b'{"metadata":{"name":"deep"},"a":' + b"[" * 5000 + b"]" * 5000 + b"}"
    body = b'{"items":[{"metadata":{"name":"a"}},%b,{"metadata":{"name":"b"}}, %b ]}' % (deep, deep)
    for size in (1, 7, 1000, len(body)):
        handed: list[bytes] = []
        splitter: ListSplitter[Any] = ListSplitter(
            msgspec.json.decode,
            lambda item, error, seen=handed: seen.append(bytes(item)),  # type: ignore[misc]
        )
        items: list[Any] = []
        for start in range(0, len(body), size):
            items += splitter.feed(body[start : start + size])
        rest, _ = splitter.finish()
        assert handed == [deep, deep]
        assert [each["metadata"]["name"] for each in items + rest if each] == ["a", "b"]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_lists_head_may_come_in_pieces(size: int) -> None:
    whole = {"kind": "x", "metadata": {"items": [1]}, "items": [{"a": 1}], "z": "items"}
    body = json.dumps(whole, indent=1).encode()
    assert split(body, [size] * (len(body) // size)) == ([{"a": 1}], {**whole, "items": []})


@pytest.mark.parametrize("size", [1, 700, 5000])
def test_the_word_items_as_a_value_is_no_key_whatever_follows_it(size: int) -> None:
    body = b'{"a": 1, "kind": "items"%b, "items": [{"a":1}], "z":"items"%b}' % (b" " * 3000, b" " * 3000)
    assert split(body, [size] * (len(body) // size))[0] == [{"a": 1}]


def test_what_is_no_list_comes_back_as_it_is() -> None:
    splitter: ListSplitter[Any] = ListSplitter(msgspec.json.decode)
    assert splitter.feed(b"<html>what a proxy says</html>") == []
    assert splitter.finish() == ([], b"<html>what a proxy says</html>")
