"""Tests of the limits of what a run stores of the items that a patch names, and of the reason of a refusal."""

from __future__ import annotations

from typing import Any

from dashboard.objects.fields.field_access import ABSENT
from dashboard.objects.merge.diff import Change
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.dry_run_mismatch import MAX_DIGEST_TEXT, MOST_DIGESTS, digest_fields
from dashboard.pages.bulk.list_items_in_patch import (
    MAX_NAMED_ITEMS,
    MAX_NAMED_TEXT,
    NamedItem,
    limit_items,
    missing_items_hint,
)
from dashboard.pages.bulk.review import ReviewGroup, added_items
from dashboard.pages.bulk.run import ChangeGroup, Item


def variable(name: str, how: Any = "added") -> NamedItem:
    return NamedItem(f"spec.containers[name=app].env[name={name}]", (("variable", name), ("container", "app")), how)


def test_a_run_stores_few_of_many_items_and_the_number_of_the_others() -> None:
    changed = [variable(f"OLD{number}", "changed") for number in range(50)]
    sidecar = NamedItem("spec.containers[name=sidecar]", (("container", "sidecar"),), "added")
    kept, more = limit_items([*changed, *(variable(f"V{number}") for number in range(1000)), sidecar])
    assert (len(kept), more) == (MAX_NAMED_ITEMS, 1001 - MAX_NAMED_ITEMS)
    assert kept[-1] == sidecar, "a container that would be created is said first, so it is kept"
    assert limit_items(changed[:3]) == (tuple(changed[:3]), 0)
    long_name = variable("x" * MAX_NAMED_TEXT)
    assert limit_items([sidecar, long_name]) == ((sidecar,), 1)


def test_a_title_counts_what_is_left_out() -> None:
    group = ReviewGroup((Item("", "a", "a"),), ChangeGroup(named_items=(variable("A"),), more_added_count=7))
    assert group.other_item_count == 7
    assert len(added_items([group])) == 1


def test_an_object_keeps_digests_of_few_fields_and_of_short_names() -> None:
    def change(name: str) -> Change:
        return Change((name,), ABSENT, "x")

    assert len(digest_fields([change(f"f{number}") for number in range(MOST_DIGESTS)])) == MOST_DIGESTS
    assert digest_fields([change(f"f{number}") for number in range(MOST_DIGESTS + 1)]) == ()
    assert digest_fields([change("x" * (MAX_DIGEST_TEXT + 1))]) == ()


def test_the_reason_of_a_refusal_names_few_items() -> None:
    env = {"type": "array", "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"}
    schema = Schema({"properties": {"env": env}}, strategic=True)
    patch = {"env": [{"name": f"V{number}"} for number in range(100)]}
    assert missing_items_hint(patch, schema, {"env": []}) == (
        "There is no variable V0, variable V1, variable V2, variable V3, variable V4 and 95 more to change: "
        "the patch would add them."
    )
