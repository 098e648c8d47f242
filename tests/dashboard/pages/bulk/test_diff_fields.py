"""Tests of a replaced list, which is shown item by item: removed, added, unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.merge.diff import changes
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.bulk.diff_fields import MOST_FIELDS, diff_fields
from dashboard.pages.bulk.run import DiffField


def field(old: Any, new: Any) -> DiffField:
    was, now = ({"spec": {"hosts": value}} for value in (old, new))
    (found,), more = diff_fields(changes(was, now), was, now, {"spec": {"hosts": new}}, UNKNOWN, secret=False)
    assert (found.field, more, found.by_server) == ("spec.hosts", 0, False)
    return found


def pieces(old: Any, new: Any) -> list[tuple[str, ...]]:
    return [tuple(filter(None, (each.how, each.text, each.was_text, each.now_text))) for each in field(old, new).pieces]


def test_of_a_list_of_other_length_what_goes_stays_and_comes_is_told_apart() -> None:
    assert pieces(["a", "b", "c"], ["a", "c", "d", "e"]) == [
        ("kept", "a"), ("gone", "b"), ("kept", "c"), ("new", "d"), ("new", "e"),
    ]  # fmt: skip
    assert field(["a", "b", "c"], ["a", "c", "d", "e"]).now_text == "1 goes, 2 come, 2 stay"


def test_a_list_of_the_same_length_is_not_told_by_places() -> None:
    assert pieces(["a", "b", "c"], ["b", "c", "d"]) == [("gone", "a"), ("kept", "b"), ("kept", "c"), ("new", "d")]


def test_an_item_at_another_place_stays() -> None:
    assert {each.how for each in field(["a", "b"], ["b", "a"]).pieces} == {"kept", "moved"}


def test_only_as_many_stand_elsewhere_as_went() -> None:
    found = field(["a", "b", "c"], ["b", "c", "a", "a"])
    assert sorted(each.how for each in found.pieces) == ["kept", "kept", "moved", "new"]
    assert sorted(each.how for each in field(["a", "b"], ["b", "a", "a"]).pieces) == ["kept", "moved", "new"]
    assert sorted(each.how for each in field(["a", "a", "b"], ["b", "a"]).pieces) == ["gone", "kept", "moved"]


@pytest.mark.parametrize("wrapped", [str, lambda text: {"run": text}])
@pytest.mark.parametrize("others", [([], []), (["-e"], ["-f", "-g"])])
def test_items_that_differ_behind_where_they_are_cut_are_other_items(wrapped: Any, others: Any) -> None:
    long = "x" * 400
    found = field([wrapped("-c"), *others[0], wrapped(long + "A")], [wrapped("-c"), *others[1], wrapped(long + "B")])
    assert "moved" not in {each.how for each in found.pieces}
    shown = [each.was_text + each.now_text + each.text for each in found.pieces if "xx" in str(each)]
    assert any("xA" in each for each in shown), shown
    assert any("xB" in each for each in shown), shown


def test_items_of_other_kinds_are_not_equal_because_their_texts_are() -> None:
    assert {each.how for each in field(["1", 2], [2, 1]).pieces} == {"gone", "kept", "new"}


def test_of_items_with_names_the_fields_that_change_are_told() -> None:
    http, tls, odd = {"name": "http", "port": 80}, {"name": "tls", "port": 443}, {"name": "odd", "port": 1}
    assert pieces([http, tls], [{"name": "http", "port": 8080}, tls, odd]) == [
        ("changed", "[0].port", "80", "8080"), ("kept", "name: tls port: 443"), ("new", "name: odd port: 1"),
    ]  # fmt: skip
    one = {"match": {"path": "/a"}, "to": "x"}
    assert pieces([one], [{**one, "to": "y"}]) == [("changed", "[0].to", "x", "y")], "nothing but the place names it"


def test_a_list_that_goes_or_comes_as_a_whole_is_told_by_its_items() -> None:
    was: dict[str, Any] = {"spec": {"hosts": ["a", "b"]}}
    (gone,), _ = diff_fields(changes(was, {"spec": {}}), was, {"spec": {}}, {}, UNKNOWN, secret=False)
    assert [each.how for each in gone.pieces] == ["gone", "gone"]
    (come,), _ = diff_fields(
        changes({"spec": {}}, was), {"spec": {}}, was, {"metadata": {"a": 1}}, UNKNOWN, secret=False
    )
    assert [each.how for each in come.pieces] == ["new", "new"]
    assert come.by_server


def test_long_lists_and_many_fields_are_shortened_and_counted() -> None:
    found = field([str(n) for n in range(100)], [str(n) for n in range(50, 200)])
    assert found.now_text == "50 go, 100 come, 50 stay"
    assert len(found.pieces) == 41
    assert found.pieces[-1].text == "160 more"
    now = {f"f{n}": n for n in range(MOST_FIELDS + 5)}
    fields, more = diff_fields(changes({}, now), {}, now, now, UNKNOWN, secret=False)
    assert (len(fields), more) == (MOST_FIELDS, 5)


def test_keys_of_the_schema_tell_items_apart_where_the_whole_list_is_replaced() -> None:
    listed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]}
    schema = Schema({"properties": {"hosts": {**listed, "items": {"type": "object"}}}})
    was, now = {"hosts": [{"id": 1, "a": 1}, {"id": 2}]}, {"hosts": [{"id": 1, "a": 2}, {"id": 3}]}
    found, _ = diff_fields(changes(was, now, schema=schema), was, now, now, schema, secret=False)
    assert [(each.how, each.text) for each in found[0].pieces] == [
        ("changed", "[id=1].a"), ("gone", "id: 2"), ("new", "id: 3"),
    ]  # fmt: skip
    merged = Schema(schema.node, strategic=True)
    found, _ = diff_fields(changes(was, now, schema=merged), was, now, now, merged, secret=False)
    assert [each.field for each in found] == ["hosts[id=1].a", "hosts[id=2].id", "hosts[id=3].id"]
