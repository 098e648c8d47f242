"""Tests of merge patch, JSON patch and strategic merge patch."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.json import apply_json_patch
from devcluster.server.patch.merge import apply_merge_patch, merge_patch
from devcluster.server.patch.patch_types import MERGE_PATCH
from devcluster.server.patch.strategic import StrategicMerge
from devcluster.server.request_options import WriteOptions
from tests.support.devcluster.gadget_crd import gadget


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # the examples of RFC 7386, appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result


def test_merge_patch_leaves_its_arguments_alone() -> None:
    target, patch = {"a": {"b": 1}}, {"a": {"c": [1]}}
    merge_patch(target, patch)["a"]["c"].append(2)
    assert (target, patch) == ({"a": {"b": 1}}, {"a": {"c": [1]}})


def test_a_merge_patch_leaves_what_it_does_not_change_the_targets_own() -> None:
    target = {"a": {"b": [1, {"c": 2}]}, "d": {"e": True}, "f": {"g": 1}}
    result = merge_patch(target, {"a": {"b": [1, {"c": 2}]}, "d": {"e": 1}, "f": {"g": 1.0}})
    assert result["a"] is target["a"]
    assert [type(result["d"]["e"]), type(result["f"]["g"])] == [int, float]
    assert merge_patch(target, {}) is target


@pytest.mark.parametrize("patch", [[], "x", 5, None])
def test_a_merge_patch_that_is_no_object_is_a_bad_request(patch: Any) -> None:
    with pytest.raises(Failure) as caught:
        apply_merge_patch({}, patch)
    assert caught.value.code == 400


@pytest.mark.parametrize(
    ("patch", "result"),
    [
        ([{"op": "add", "path": "/b", "value": 1}], {"a": [1, 2], "b": 1}),
        ([{"op": "add", "path": "/a/1", "value": 9}], {"a": [1, 9, 2]}),
        ([{"op": "add", "path": "/a/-", "value": 9}], {"a": [1, 2, 9]}),
        ([{"op": "replace", "path": "/a/0", "value": 9}], {"a": [9, 2]}),
        ([{"op": "remove", "path": "/a/0"}], {"a": [2]}),
        ([{"op": "move", "from": "/a", "path": "/c"}], {"c": [1, 2]}),
        ([{"op": "copy", "from": "/a/0", "path": "/c"}], {"a": [1, 2], "c": 1}),
        ([{"op": "test", "path": "/a/1", "value": 2}], {"a": [1, 2]}),
        ([{"op": "add", "path": "/x~1y~0z", "value": 1}], {"a": [1, 2], "x/y~z": 1}),
        ([{"op": "add", "path": "/a/-1", "value": 9}], {"a": [1, 2, 9]}),
        ([{"op": "replace", "path": "/a/-1", "value": 9}], {"a": [1, 9]}),
        ([{"op": "replace", "path": "/a/01", "value": 9}], {"a": [1, 9]}),
        ([{"op": "test", "path": "/b", "value": None}], {"a": [1, 2]}),
        ([{"op": "add", "path": "/b"}], {"a": [1, 2], "b": None}),
        ([], {"a": [1, 2]}),
        (None, {"a": [1, 2]}),
    ],
)
def test_json_patch(patch: Any, result: Any) -> None:
    assert apply_json_patch({"a": [1, 2]}, patch) == result


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/a/1", "value": 3},
        {"op": "test", "path": "/b", "value": True},
        {"op": "remove", "path": "/x"},
        {"op": "remove", "path": ""},
        {"op": "add", "path": "/a/7", "value": 1},
        {"op": "add", "path": "/a/1_0", "value": 1},
        {"op": "add", "path": "/a/-4", "value": 1},
        {"op": "test", "path": "/b", "value": 1.0},
        {"op": "add", "path": "/x/y", "value": 1},
        {"op": "add", "path": "/b/y", "value": 1},
        {"op": "add", "path": "b", "value": 1},
        {"op": "add", "path": "", "value": [1]},
        {"op": "move", "from": "/x", "path": "/b"},
        {"op": "frob", "path": "/b"},
        {"path": "/b"},
        None,
    ],
)
def test_a_json_patch_that_cannot_be_done_is_unprocessable(operation: dict[str, Any]) -> None:
    with pytest.raises(Failure) as caught:
        apply_json_patch({"a": [1, 2], "b": 1}, [operation])
    assert caught.value.code == 422


def test_a_failed_json_patch_changes_nothing() -> None:
    target = {"a": [1]}
    with pytest.raises(Failure):
        apply_json_patch(target, [{"op": "add", "path": "/a/-", "value": 2}, {"op": "remove", "path": "/x"}])
    assert target == {"a": [1]}


@pytest.mark.parametrize("patch", [{"op": "add"}, [1], "x", [{"op": "add", "path": 5}], [{"op": {}}]])
def test_a_json_patch_that_is_no_list_of_operations_is_a_bad_request(patch: Any) -> None:
    with pytest.raises(Failure) as caught:
        apply_json_patch({}, patch)
    assert caught.value.code == 400


@pytest.fixture(scope="module")
def strategic() -> tuple[StrategicMerge, Any]:
    core = ApiServer(now=lambda: 0.0, rng=random.Random(1))
    return StrategicMerge(core.builtin_types), {"$ref": core.builtin_types.root_definition(core.kind("pods"))}


POD = {
    "metadata": {"finalizers": ["a/b", "c/d"]},
    "spec": {"containers": [{"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}]}, {"name": "b"}]},
}


@pytest.mark.parametrize(
    ("patch", "path", "result"),
    [
        (
            {"spec": {"containers": [{"name": "a", "image": "2"}]}},
            ("spec", "containers"),
            [{"name": "a", "image": "2", "env": [{"name": "X", "value": "1"}]}, {"name": "b"}],
        ),
        (
            {"spec": {"containers": [{"name": "a", "env": [{"name": "X", "$patch": "delete"}, {"name": "Y"}]}]}},
            ("spec", "containers", 0, "env"),
            [{"name": "Y"}],
        ),
        (
            {"spec": {"containers": [{"$patch": "delete", "name": "a"}]}},
            ("spec", "containers"),
            [{"name": "b"}],
        ),
        (
            {"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}]}},
            ("spec", "containers"),
            [{"name": "z"}],
        ),
        ({"spec": {"$patch": "replace", "nodeName": "n"}}, ("spec",), {"nodeName": "n"}),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "b"}], "containers": [{"name": "c"}]}},
            ("spec", "containers"),
            [{"name": "c"}, {"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}]}, {"name": "b"}],
        ),
        ({"metadata": {"finalizers": ["e/f"]}}, ("metadata", "finalizers"), ["e/f", "a/b", "c/d"]),
        ({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a/b"]}}, ("metadata", "finalizers"), ["c/d"]),
        ({"spec": {"containers": None}}, ("spec",), {}),
        ({"spec": {"$retainKeys": ["nodeName"], "nodeName": "n"}}, ("spec",), {"nodeName": "n"}),
    ],
)
def test_strategic_merge_patch(
    strategic: tuple[StrategicMerge, Any], patch: Any, path: tuple[str | int, ...], result: Any
) -> None:
    applier, schema = strategic
    found: Any = applier.apply(POD, patch, schema)
    for step in path:
        found = found[step]
    assert found == result


@pytest.mark.parametrize(
    ("patch", "code", "says"),
    [
        ({"spec": {"$patch": "frob"}}, 500, "unknown patch type: frob in map: map[$patch:frob]"),
        ({"spec": {"containers": [{"name": "a", "$patch": "frob"}]}}, 500, "unknown patch type: frob"),
        ({"spec": {"containers": [5]}}, 500, "list element types are not identical"),
        ({"spec": {"$retainKeys": 5}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$retainKeys": ["a"], "nodeName": "n"}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$setElementOrder/foo": []}}, 500, 'in struct PodSpec for the json field "foo"'),
        (
            {"metadata": {"$setElementOrder/finalizers": ["a/b", "c/d"], "finalizers": ["c/d", "a/b"]}},
            500,
            "The order in patch list:\n[c/d a/b]\n doesn't match $setElementOrder list:\n[a/b c/d]\n",
        ),
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)
def test_a_strategic_patch_that_is_none_is_refused(
    strategic: tuple[StrategicMerge, Any], patch: Any, code: int, says: str
) -> None:
    applier, schema = strategic
    with pytest.raises(Failure, match=re.escape(says)) as caught:
        applier.apply(POD, patch, schema)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("labels", {"$patch": "replace", "a": "b"}, None),
        ("labels", {"a": None, "b": "c"}, {"b": "c"}),
        ("ownerReferences", [{"name": "no uid"}, {"$patch": "delete"}], [{"name": "no uid"}]),
    ],
)
def test_what_was_not_there_is_taken_as_it_is_less_nulls_and_directives(
    strategic: tuple[StrategicMerge, Any], field: str, value: Any, kept: Any
) -> None:
    applier, schema = strategic
    assert applier.apply(POD, {"metadata": {field: value}}, schema)["metadata"].get(field) == kept


def test_an_item_without_its_merge_key_is_refused(strategic: tuple[StrategicMerge, Any]) -> None:
    applier, schema = strategic
    with pytest.raises(Failure) as caught:
        applier.apply(POD, {"spec": {"containers": [{"image": "x"}]}}, schema)
    assert (caught.value.code, caught.value.reason) == (500, "")


def test_patches_cannot_make_an_object_larger_than_etcd_takes(core: ApiServer) -> None:
    kind = core.kind("gadgets.devcluster.example")
    core.create(kind, "t", gadget("big"))

    def grow(name: str) -> None:
        patch = {"spec": {"free": {name: "x" * (1 << 20)}}}
        core.verbs.patch(kind, "t", "big", patch, MERGE_PATCH, WriteOptions())

    grow("a")
    with pytest.raises(Failure, match="etcdserver: request is too large"):
        grow("b")
    assert len(core.verbs.get(kind, "t", "big").raw) < 3 << 19
