"""Tests of the mapping that drops the least recently used entries."""

from __future__ import annotations

from informerd.lru_cache import LruCache


def test_the_least_recently_used_is_dropped_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.put("a", 4)
    cache.put("d", 5)
    assert [cache.get(key) for key in "acd"] == [4, None, 5]


def test_weights_are_counted_and_a_replaced_value_no_longer() -> None:
    cache: LruCache[str, int] = LruCache(10)
    cache.put("a", 1, 9)
    cache.put("a", 2, 4)
    cache.put("b", 3, 6)
    assert (cache.get("a"), cache.get("b")) == (2, 3)
    cache.put("c", 4, 5)
    assert [cache.get(key) for key in "abc"] == [None, None, 4]


def test_the_newest_is_kept_whatever_it_weighs() -> None:
    cache: LruCache[str, int] = LruCache(10)
    cache.put("a", 1)
    cache.put("b", 2, 100)
    assert (cache.get("a"), cache.get("b")) == (None, 2)
    cache.put("c", 3)
    assert (cache.get("b"), cache.get("c")) == (None, 3)
    assert len(cache) == 1


def test_what_is_removed_weighs_nothing() -> None:
    cache: LruCache[str, int] = LruCache(3)
    cache.put("a", 1, 2)
    cache.remove("a")
    cache.remove("a")
    cache.put("b", 2, 3)
    cache.put("c", 3, 1)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (None, None, 3)
    cache.remove("c")
    assert len(cache) == 0
