"""Tests of the indexed store."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable

import pytest

from informerd.cache.index import NAMESPACE, by_namespace
from informerd.cache.store import Store
from informerd.errors import IndexExists, UnknownIndex
from informerd.objects import Object, ObjectMeta


def obj(name: str, namespace: str = "n", **labels: str) -> Object:
    return Object(kind="Pod", metadata=ObjectMeta(name=name, namespace=namespace, label_map=labels))


def by_colours(each: Object) -> Iterable[str]:
    return each.metadata.labels.get("colours", "").split()


def filled(*objects: Object) -> Store[Object]:
    store: Store[Object] = Store({"colour": by_colours})
    for each in objects:
        store.put(each.key, each)
    return store


def test_keys_are_namespace_and_name_or_the_name_alone() -> None:
    assert obj("a").key == "n/a"
    assert obj("node", "").key == "node"


def test_put_and_remove_give_what_was_there() -> None:
    store = filled()
    first, second = obj("a"), obj("a", colours="red")
    assert store.put("n/a", first) is None
    assert store.put("n/a", second) is first
    assert store.get("n/a") is second
    assert ("n/a" in store, len(store), store.list(), [*store.keys()]) == (True, 1, [second], ["n/a"])
    assert store.remove("n/a") is second
    assert store.remove("n/a") is None
    assert len(store) == 0


def test_an_object_is_found_under_each_of_its_values() -> None:
    both = obj("a", colours="red blue")
    store = filled(both, obj("b", colours="blue"))
    assert store.by_index("colour", "red") == [both]
    assert sorted(store.index_keys("colour", "blue")) == ["n/a", "n/b"]
    assert store.by_index("colour", "green") == []


def test_an_update_moves_entries() -> None:
    store = filled(obj("a", colours="red blue"))
    store.put("n/a", obj("a", colours="blue green"))
    assert {value: store.index_keys("colour", value) for value in store.index_values("colour")} == {
        "blue": ["n/a"],
        "green": ["n/a"],
    }


def test_delete_removes_empty_sets_from_the_index() -> None:
    store = filled(obj("a", colours="red"))
    store.remove("n/a")
    assert store.index_values("colour") == []
    assert store.index_values("namespace") == []


def test_every_store_has_an_index_of_namespaces() -> None:
    store = filled(obj("a", "one"), obj("b", "two"), obj("c", "two"))
    assert sorted(store.index_keys("namespace", "two")) == ["two/b", "two/c"]


async def test_replace_indexes_the_new_content_and_gives_the_old() -> None:
    store = filled(obj("a", colours="red"))
    new = obj("b", colours="blue")
    assert [*await store.replace({"n/b": new}, "7")] == ["n/a"]
    assert store.resource_version == "7"
    assert store.index_values("colour") == ["blue"]
    assert store.list() == [new]


def test_an_index_added_to_a_filled_store_has_what_is_there() -> None:
    store = filled(obj("a"))
    store.add_index("name", lambda each: [each.metadata.name])
    assert store.index_keys("name", "a") == ["n/a"]


def test_a_name_used_twice_and_an_unknown_index_are_errors() -> None:
    store = filled()
    with pytest.raises(IndexExists, match="colour"):
        store.add_index("colour", by_colours)
    with pytest.raises(UnknownIndex, match="there is no index 'size'; there are colour, namespace"):
        store.by_index("size", "1")


def test_an_object_whose_index_function_raises_is_kept_unindexed(caplog: pytest.LogCaptureFixture) -> None:
    store = filled()
    store.add_index("strict", lambda each: [each.metadata.labels["must"]])
    store.put("n/a", obj("a"))
    assert store.get("n/a") is not None
    assert store.index_values("strict") == []
    assert "index strict failed on n/a" in caplog.text
    store.put("n/a", obj("a", must="x"))
    assert store.index_keys("strict", "x") == ["n/a"]


def test_an_object_whose_index_function_begins_to_raise_leaves_the_index_and_comes_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = filled()
    store.add_index("strict", lambda each: [each.metadata.labels["must"]])
    for colours in ({"must": "x"}, {}, {"must": "y"}):
        store.put("n/a", obj("a", **colours))
    assert (store.index_keys("strict", "x"), store.index_keys("strict", "y")) == ([], ["n/a"])
    store.put("n/a", obj("a"))
    assert store.index_values("strict") == []
    assert store.remove("n/a") is not None
    assert store.index_failures == {"namespace": 0, "colour": 0, "strict": 2}
    assert caplog.text.count("index strict failed on n/a") == 2


def test_an_index_function_that_fails_half_way_leaves_its_object_out_of_all_values() -> None:
    def values(each: Object) -> Iterable[str]:
        yield "first"
        yield each.metadata.labels["second"]

    store = filled(obj("a"), obj("b", second="x"))
    store.add_index("half", values)
    assert {value: store.index_keys("half", value) for value in store.index_values("half")} == {
        "first": ["n/b"],
        "x": ["n/b"],
    }


def test_values_that_cannot_be_looked_up_are_a_failure_of_the_function(caplog: pytest.LogCaptureFixture) -> None:
    store = filled(obj("a"))
    store.add_index("lists", lambda each: [["no", "text"]])  # type: ignore[list-item]
    assert store.index_values("lists") == []
    assert store.get("n/a") is not None
    assert "index lists failed on n/a" in caplog.text


def test_a_value_given_twice_counts_once() -> None:
    store = filled(obj("a", colours="red red"))
    assert store.index_keys("colour", "red") == ["n/a"]
    store.put("n/a", obj("a", colours="red"))
    assert store.index_keys("colour", "red") == ["n/a"]
    store.remove("n/a")
    assert store.index_values("colour") == []


def test_a_failed_add_of_an_index_leaves_the_first_one_as_it_is() -> None:
    store = filled(obj("a", colours="red"))
    with pytest.raises(IndexExists):
        store.add_index("colour", lambda each: ["other"])
    assert store.index_values("colour") == ["red"]


async def test_readers_see_the_old_content_whole_until_the_new_is_there_whole() -> None:
    store = filled(obj("old", colours="red"))
    new = {f"n/p{number}": obj(f"p{number}", colours="blue") for number in range(2500)}
    replacing = asyncio.create_task(store.replace(new, "7"))
    seen = set()
    while not replacing.done():
        red, blue = len(store.by_index("colour", "red")), len(store.by_index("colour", "blue"))
        seen.add((len(store), red, blue, len(store.by_index("namespace", "n")), store.resource_version))
        await asyncio.sleep(0)
    await replacing
    assert seen == {(1, 1, 0, 1, "")}
    assert (len(store), len(store.by_index("colour", "blue")), store.resource_version) == (2500, 2500, "7")


async def test_an_index_added_while_a_list_is_taken_over_has_the_new_content() -> None:
    store = filled(obj("old"))
    new = {f"n/p{number}": obj(f"p{number}") for number in range(1500)}
    replacing = asyncio.create_task(store.replace(new, "7"))
    await asyncio.sleep(0)
    store.add_index("name", lambda each: [each.metadata.name])
    assert store.index_values("name") == ["old"]
    await replacing
    assert len(store.index_values("name")) == 1500
    assert store.index_keys("name", "p7") == ["n/p7"]


async def test_after_any_history_the_indexes_are_what_they_would_be_made_anew() -> None:
    chance = random.Random(20)
    store = filled()
    for step in range(3000):
        name, namespace = f"p{chance.randrange(30)}", chance.choice(["n", "m"])
        each = obj(name, namespace, colours=" ".join(chance.choices(["red", "blue", "green"], k=chance.randrange(3))))
        match chance.choices(["put", "remove", "replace"], [60, 35, 1])[0]:
            case "put":
                store.put(each.key, each)
            case "remove":
                store.remove(each.key)
            case "replace":
                await store.replace({each.key: each}, str(step))
        if step % 50 == 0:
            _check_indexes(store)
    _check_indexes(store)


def _check_indexes(store: Store[Object]) -> None:
    functions = {"colour": by_colours, NAMESPACE: by_namespace}
    for name, function in functions.items():
        wanted: dict[str, set[str]] = {}
        for each in store:
            for value in function(each):
                wanted.setdefault(value, set()).add(each.key)
        assert {value: set(store.index_keys(name, value)) for value in store.index_values(name)} == wanted


def test_an_index_function_may_return_a_text_which_is_one_value() -> None:
    store: Store[Object] = Store({"name": lambda obj: obj.metadata.name})
    store.put("web", Object(metadata=ObjectMeta(name="web")))
    assert store.index_values("name") == ["web"]
    assert [obj.key for obj in store.by_index("name", "web")] == ["web"]
    store.put("web", Object(metadata=ObjectMeta(name="db")))
    assert store.index_values("name") == ["db"]
