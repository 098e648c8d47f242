"""Tests of a text applied to an existing object: fields that it does not name stay, in any order of the others."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.many.plan import merged_body

Json = dict[str, Any]

_KEYED = {"type": "array", "x-kubernetes-patch-merge-key": "name", "items": {"properties": {"name": {}}}}
POD = Schema({"properties": {"spec": {"properties": {"containers": _KEYED}}}})
A = {"name": "a", "image": "a:1", "resources": {"limits": {"cpu": "1"}}}
B, C = {"name": "b", "image": "b:1"}, {"name": "c", "image": "c:1"}


def pod(*containers: Json) -> Json:
    return {"kind": "Pod", "metadata": {"name": "one"}, "spec": {"containers": list(containers)}}


LIVE = {**pod(A, B, C), "metadata": {"name": "one", "uid": "1", "resourceVersion": "7"}}


@pytest.mark.parametrize(
    ("named", "names"),
    [
        ((B, {"name": "a", "image": "a:2"}), "bca"),
        (({"name": "a", "image": "a:2"}, B), "abc"),
        ((C, {"name": "a", "image": "a:2"}, B, {"name": "d"}), "cabd"),
    ],
    ids=["in another order", "in the same order", "in another order with a new one"],
)
def test_items_that_the_text_does_not_name_stay_and_so_do_fields_of_those_it_names(
    named: tuple[Json, ...], names: str
) -> None:
    after = merged_body(LIVE, pod(*named), POD)["spec"]["containers"]
    assert "".join(item["name"] for item in after) == names
    found = {item["name"]: item for item in after}
    assert found["a"] == {**A, "image": "a:2"}
    assert (found["b"], found["c"]) == (B, C)
