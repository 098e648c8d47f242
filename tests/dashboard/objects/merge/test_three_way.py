"""Tests of the three-way merge: no change of either side is lost without a question."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, format_path, get, same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.merge.three_way import MergeResult, Side, merge
from dashboard.objects.schemas.schema import METADATA, Schema
from tests.support.call_count import calls_of
from tests.support.edit.random_objects import changed, random_object

SEEDS = range(600)

PORTS = Schema(
    {
        "properties": {
            "metadata": METADATA.node,
            "spec": {
                "properties": {
                    "ports": {
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["port", "protocol"],
                        "items": {"properties": {"port": {}, "protocol": {}, "name": {}}},
                    },
                    "hosts": {"x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "args": {"items": {"type": "string"}},
                }
            },
        }
    }
)


def ports(*items: tuple[int, str]) -> dict[str, Any]:
    return {"spec": {"ports": [{"port": port, "protocol": "TCP", "name": name} for port, name in items]}}


def triple(seed: int) -> tuple[Any, Any, Any]:
    rng = random.Random(seed)
    base = random_object(rng)
    return base, changed(rng, base), changed(rng, base)


def paths(merged: MergeResult) -> list[str]:
    return sorted(format_path(conflict.path) for conflict in merged.conflicts)


@pytest.mark.slow
def test_the_same_change_on_both_sides_is_that_change() -> None:
    for seed in SEEDS:
        base, one, _ = triple(seed)
        merged = merge(base, one, copy.deepcopy(one))
        assert same(merged.value, one), seed
        assert not merged.conflicts, seed


def test_a_change_of_one_side_is_taken() -> None:
    for seed in SEEDS:
        base, one, other = triple(seed)
        for merged, wanted in ((merge(base, one, base), one), (merge(base, base, other), other)):
            assert same(merged.value, wanted), seed
            assert not merged.conflicts, seed


def test_the_sides_differ_in_their_labels_only() -> None:
    for seed in SEEDS:
        base, one, other = triple(seed)
        there, back = merge(base, one, other), merge(base, other, one)
        assert paths(there) == paths(back), seed
        if not there.conflicts:
            assert same(there.value, back.value), seed
        turned = {conflict.path: (conflict.mine, conflict.theirs) for conflict in back.conflicts}
        for conflict in there.conflicts:
            theirs, mine = turned[conflict.path]
            assert same(theirs, conflict.theirs), seed
            assert same(mine, conflict.mine), seed


def test_no_change_of_either_side_is_lost_without_a_question() -> None:
    for seed in SEEDS:
        base, theirs, mine = triple(seed)
        merged = merge(base, theirs, mine)
        asked = {conflict.path for conflict in merged.conflicts}
        for path in _leaves(base, theirs) + _leaves(base, mine):
            if any(path[:length] in asked for length in range(len(path) + 1)):
                continue
            side = theirs if same(get(mine, path), get(base, path)) else mine
            assert same(get(merged.value, path), get(side, path)), (seed, format_path(path))


def test_each_answer_settles_its_question() -> None:
    for seed in SEEDS:
        base, theirs, mine = triple(seed)
        first = merge(base, theirs, mine)
        rng = random.Random(seed)
        choices: dict[Path, Side] = {
            conflict.path: "theirs" if rng.random() < 0.5 else "mine" for conflict in first.conflicts
        }
        second = merge(base, theirs, mine, choices=choices)
        assert not second.conflicts, seed
        for conflict in first.conflicts:
            wanted = conflict.theirs if choices[conflict.path] == "theirs" else conflict.mine
            assert same(get(second.value, conflict.path), wanted), seed


def test_merging_changes_none_of_the_three() -> None:
    base, theirs, mine = triple(7)
    before = copy.deepcopy((base, theirs, mine))
    merge(base, theirs, mine)
    assert (base, theirs, mine) == before


def test_true_is_not_one() -> None:
    merged = merge({"a": 1, "b": 1}, {"a": True, "b": 1}, {"a": 1, "b": 2})
    assert merged.value["a"] is True
    assert merged.value["b"] == 2


@pytest.mark.parametrize("value", ["", "1", "long enough not to be shared"])
@pytest.mark.parametrize("mine_renamed", [False, True], ids=["they renamed", "I renamed"])
def test_a_label_that_one_side_renamed_is_renamed_whatever_its_value(value: str, mine_renamed: bool) -> None:
    base, renamed = ({"metadata": {"labels": {name: value}}} for name in ("role/worker", "role/infra"))
    noted = {"metadata": {"labels": {"role/worker": value}, "annotations": {"note": "x"}}}
    merged = merge(base, noted, renamed) if mine_renamed else merge(base, renamed, noted)
    assert merged.value == {"metadata": {"labels": {"role/infra": value}, "annotations": {"note": "x"}}}
    assert not merged.conflicts


@pytest.mark.parametrize("value", [True, False, None, 1, ""])
@pytest.mark.parametrize("mine_moved", [False, True], ids=["they moved it", "I moved it"])
def test_a_value_that_one_side_moved_to_another_field_is_moved(value: Any, mine_moved: bool) -> None:
    base, moved = {"spec": {"hostPID": value, "image": "a"}}, {"spec": {"hostIPC": value, "image": "a"}}
    other = {"spec": {"hostPID": value, "image": "b"}}
    for beside in (other, copy.deepcopy(base)):
        merged = merge(base, beside, moved) if mine_moved else merge(base, moved, beside)
        assert merged.value == {"spec": {"hostIPC": value, "image": beside["spec"]["image"]}}
        assert not merged.conflicts


def test_both_changed_one_field_differently_is_asked() -> None:
    merged = merge({"spec": {"port": 1}}, {"spec": {"port": 2}}, {"spec": {"port": 3}})
    (conflict,) = merged.conflicts
    assert (conflict.path, conflict.base, conflict.theirs, conflict.mine) == (("spec", "port"), 1, 2, 3)


def test_a_removed_structure_that_the_other_side_changed_is_asked_as_a_whole() -> None:
    base = {"spec": {"tls": {"name": "a", "mode": "on"}}}
    merged = merge(base, {"spec": {}}, {"spec": {"tls": {"name": "b", "mode": "on"}}})
    assert paths(merged) == ["spec.tls"]
    assert merged.conflicts[0].theirs is ABSENT


def test_labels_are_merged_one_by_one_even_if_one_side_took_all_away() -> None:
    base = {"metadata": {"labels": {"a": "1"}}}
    merged = merge(base, {"metadata": {}}, {"metadata": {"labels": {"a": "1", "b": "2"}}})
    assert merged.value == {"metadata": {"labels": {"b": "2"}}}
    assert not merged.conflicts


def test_both_add_fields_to_something_new() -> None:
    merged = merge({"spec": {}}, {"spec": {"tls": {"a": 1}}}, {"spec": {"tls": {"b": 2}}})
    assert same(merged.value, {"spec": {"tls": {"a": 1, "b": 2}}})


def test_a_list_without_keys_is_one_value() -> None:
    base, theirs, mine = ({"spec": {"args": args}} for args in (["a"], ["a", "b"], ["c", "a"]))
    assert paths(merge(base, theirs, mine, schema=PORTS)) == ["spec.args"]


def test_a_list_with_keys_is_merged_item_by_item() -> None:
    base = ports((80, "web"), (443, "tls"))
    merged = merge(base, ports((80, "http"), (443, "tls")), ports((80, "web"), (443, "tls"), (9, "x")), schema=PORTS)
    assert same(merged.value, ports((80, "http"), (443, "tls"), (9, "x")))
    assert not merged.conflicts


def test_a_port_without_protocol_is_the_one_that_the_schemas_default_means() -> None:
    base = {"ports": [{"port": 80, "protocol": "TCP", "name": "web"}]}
    mine = {"ports": [{"port": 80, "name": "web"}]}
    theirs = {"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}
    items = {"properties": {"port": {}, "protocol": {"default": "TCP"}}}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": items}
    merged = merge(base, theirs, mine, schema=Schema({"properties": {"ports": keys}}))
    assert not merged.conflicts
    assert merged.value == {"ports": [{"port": 80, "name": "http"}]}


def test_an_item_removed_here_and_changed_there_is_asked() -> None:
    base = ports((80, "web"), (443, "tls"))
    merged = merge(base, ports((443, "tls")), ports((80, "http"), (443, "tls")), schema=PORTS)
    (conflict,) = merged.conflicts
    assert conflict.path == ("spec", "ports", ItemKey((("port", 80), ("protocol", "TCP"))))
    assert format_path(conflict.path) == "spec.ports[port=80,protocol=TCP]"


def test_a_list_that_both_reordered_differently_is_asked_as_a_whole() -> None:
    base = ports((1, "a"), (2, "b"), (3, "c"))
    theirs, mine = ports((3, "c"), (1, "a"), (2, "b")), ports((2, "b"), (1, "a"), (3, "c"))
    assert paths(merge(base, theirs, mine, schema=PORTS)) == ["spec.ports"]


def test_a_reordered_list_keeps_its_new_order_when_the_other_side_changes_an_item() -> None:
    base = ports((1, "a"), (2, "b"))
    merged = merge(base, ports((2, "b"), (1, "a")), ports((1, "z"), (2, "b")), schema=PORTS)
    assert same(merged.value, ports((2, "b"), (1, "z")))


def test_what_both_added_in_another_order_is_asked_as_a_whole() -> None:
    base, theirs, mine = ports((1, "a")), ports((2, "b"), (3, "c"), (1, "a")), ports((3, "c"), (2, "b"), (1, "a"))
    assert paths(merge(base, theirs, mine, schema=PORTS)) == ["spec.ports"]


def test_lists_in_another_order_have_mine_where_no_order_is_asked() -> None:
    base, theirs, mine = ports((1, "a")), ports((2, "b"), (3, "c"), (1, "a")), ports((3, "x"), (2, "b"))
    merged = merge(base, theirs, mine, schema=PORTS, order="mine")
    assert paths(merged) == ["spec.ports[port=3,protocol=TCP].name"]
    assert same(merged.value, ports((3, "x"), (2, "b")))


def test_a_map_that_is_atomic_is_one_value() -> None:
    schema = Schema({"properties": {"selector": {"additionalProperties": {}, "x-kubernetes-map-type": "atomic"}}})
    base, theirs, mine = ({"selector": each} for each in ({"app": "a"}, {"app": "b"}, {"app": "a", "tier": "front"}))
    assert paths(merge(base, theirs, mine, schema=schema)) == ["selector"]
    assert merge(base, theirs, base, schema=schema).value == theirs


def test_finalizers_are_a_set() -> None:
    base, theirs, mine = ({"metadata": {"finalizers": names}} for names in (["a", "b"], ["b"], ["a", "b", "c"]))
    merged = merge(base, theirs, mine)
    assert merged.value == {"metadata": {"finalizers": ["b", "c"]}}
    assert not merged.conflicts


@pytest.mark.parametrize("broken", [[{"port": 1}, {"port": 1}], ["word"], [{"port": {}}], [{"name": "web"}]])
def test_items_without_their_keys_make_the_list_one_value(broken: list[Any]) -> None:
    base, mine = ports((80, "web")), ports((80, "http"))
    theirs = {"spec": {"ports": broken}}
    assert paths(merge(base, theirs, mine, schema=PORTS)) == ["spec.ports"]


def test_text_that_did_not_change_keeps_its_comments_and_order() -> None:
    text = "kind: X # why\nspec:\n  # the port\n  port: 2 # mine\n  ip: 10.0.0.1 # theirs\n"
    document = parse(text)
    base = {"kind": "X", "spec": {"ip": "10.0.0.1", "port": 1}}
    theirs = {"kind": "X", "metadata": {"labels": {"a": "b"}}, "spec": {"ip": "10.0.0.2", "port": 1}}
    merged = rewrite(document, merge(base, theirs, document.value).value)
    assert merged == (
        "kind: X # why\nmetadata:\n  labels:\n    a: b\n"
        "spec:\n  # the port\n  port: 2 # mine\n  ip: 10.0.0.2 # theirs\n"
    )


@pytest.mark.slow
def test_merging_twice_as_large_an_object_takes_twice_the_calls() -> None:
    assert _calls_of_merge(2000) < 2.1 * _calls_of_merge(1000)


def _calls_of_merge(parts: int) -> int:
    """Calls that merging an object of five lines a part takes, with a change on each side."""
    base = {"kind": "X", "spec": {f"part{n}": {"a": n, "b": "text", "c": [1, 2]} for n in range(parts)}}
    theirs, mine = copy.deepcopy(base), copy.deepcopy(base)
    theirs["spec"]["part7"]["a"] = -1  # type: ignore[index]
    mine["spec"]["part990"]["b"] = "other"  # type: ignore[index]
    return calls_of(lambda: merge(base, theirs, mine))


def _leaves(base: Any, side: Any, path: Path = ()) -> list[Path]:
    """Where `side` differs from `base`, as deep as both are maps; labels are a map even where there are none."""
    if path == ("metadata", "labels"):
        base, side = base or {}, side or {}
    if isinstance(base, dict) and isinstance(side, dict):
        return [
            leaf
            for name in {**base, **side}
            for leaf in _leaves(base.get(name, ABSENT), side.get(name, ABSENT), (*path, name))
        ]
    return [] if same(base, side) else [path]
