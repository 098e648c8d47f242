"""The indexed store."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from informerd.errors import IndexExists, UnknownIndex
from informerd.objects import Object, ObjectMeta
from informerd.store import Store


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
