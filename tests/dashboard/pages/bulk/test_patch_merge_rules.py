"""Tests of a bulk patch's effect on lists, which is that of kubectl patch on the same kind, on the real API server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from dashboard.objects.fields.field_access import ItemKey
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.operation import BulkOperation, Verb
from dashboard.pages.bulk.operation_form import parse_operation
from dashboard.pages.bulk.patch_merge_rules import PatchedList, is_in_patch, patched_lists
from dashboard.pages.writes.object_client import Propagation
from tests.dashboard.pages.bulk.conftest import Demos

KEY = "deployments.apps"
KIND = KINDS[KEY]
APP = {"name": "app", "image": "x:1", "ports": [{"containerPort": 80}]}
SIDECAR = {"name": "sidecar", "image": "s:1"}
IMAGE = "spec: {template: {spec: {containers: [{name: app, image: x:2}]}}}"


class OrderOfBefore(msgspec.Struct, frozen=True):
    """As a web process that knows no strategic patches reads it."""

    verb: Verb
    patch: dict[str, Any] = {}
    propagation: Propagation = "Background"
    grace: int | None = None


def deployment(name: str, *containers: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": list(containers)}}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template}}


@pytest.fixture
def workloads(demos: Demos, namespace: str) -> Demos:
    """Two Deployments with the same containers in another order."""
    demos.collection = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    demos.page = f"/resources/{KEY}/bulk/"
    wanted = deployment("a", APP, SIDECAR), deployment("b", SIDECAR, APP)
    demos.list(KEY, [demos.cluster.create(demos.collection, each) for each in wanted])
    return demos


@pytest.fixture
async def schema(parts: SimpleNamespace) -> Schema:
    found: Schema = await parts.schemas.schema_of(parts.client, KIND.resource)
    return found


def containers(demos: Demos, name: str) -> dict[str, Any]:
    found = demos.get(name)["spec"]["template"]["spec"]["containers"]
    return {each["name"]: (each["image"], len(each.get("ports", ()))) for each in found}


async def test_the_one_container_that_is_named_changes_and_all_else_stays(workloads: Demos) -> None:
    page = await workloads.review(verb="patch", patch=IMAGE)
    assert "2 would be changed" in page.text
    assert "in 2 ways" not in page.text, "one change, wherever the container stands"
    assert "spec.template.spec.containers[name=app].image x:1 → x:2" in page.text
    assert "spec.template.spec.containers is merged item by item, by name" in page.text
    assert "kubectl patch deployments.apps a" in page.text
    assert "--type=strategic" in page.text
    commands = (await workloads.browser.open(f"{workloads.run}commands.txt")).body
    assert commands.count("--type=strategic -p ") == 2
    await workloads.press("start")
    await workloads.shows("2 changed.")
    assert containers(workloads, "a") == containers(workloads, "b") == {"app": ("x:2", 1), "sidecar": ("s:1", 0)}


async def test_an_item_is_taken_out_where_the_patch_says_so(workloads: Demos) -> None:
    patch = "spec: {template: {spec: {containers: [{name: sidecar, $patch: delete}]}}}"
    page = await workloads.review(verb="patch", patch=patch)
    assert "spec.template.spec.containers[name=sidecar] is removed." in page.text
    assert "set by the API server" not in page.text
    await workloads.press("start")
    await workloads.shows("2 changed.")
    assert containers(workloads, "a") == containers(workloads, "b") == {"app": ("x:1", 1)}


async def test_a_map_takes_the_others_place_where_the_patch_says_so(workloads: Demos) -> None:
    workloads.patch("a", {"metadata": {"labels": {"old": "x"}, "annotations": {"note": "x"}}})
    patch = "metadata: {labels: {$patch: replace, new: x}, annotations: {$patch: delete}}"
    page = await workloads.review(verb="patch", patch=patch)
    assert "1 needs no change" in page.text, "so the API server has it of one without labels"
    assert "metadata.labels is replaced as a whole in objects that have it" in page.text
    assert "metadata.annotations is emptied" in page.text
    await workloads.press("start")
    await workloads.shows("1 changed.")
    metadata = workloads.get("a")["metadata"]
    assert metadata["labels"] == {"new": "x"}
    assert "note" not in metadata.get("annotations", {})


async def test_lists_of_custom_resources_are_replaced_and_that_is_said(demos: Demos) -> None:
    demos.make("a", finalizers=["example.com/old"])
    page = await demos.review(verb="patch", patch="metadata: {finalizers: [example.com/new]}")
    assert "metadata.finalizers is replaced as a whole" in page.text
    assert "--type=merge" in page.text
    await demos.press("start")
    await demos.shows("1 changed.")
    assert demos.get("a")["metadata"]["finalizers"] == ["example.com/new"]
    page = await demos.choose(verb="patch", patch="metadata: {finalizers: [{$patch: replace}, example.com/a]}")
    assert page.status == 422
    assert "A list of this kind is replaced as a whole: write all items to keep" in page.text
    demos.patch("a", {"metadata": {"finalizers": None}})


async def test_finalizers_of_built_in_kinds_are_added_and_taken_out_by_name(workloads: Demos) -> None:
    workloads.patch("a", {"metadata": {"finalizers": ["example.com/old", "example.com/kept"]}})
    patch = "metadata: {finalizers: [example.com/new], $deleteFromPrimitiveList/finalizers: [example.com/old]}"
    page = await workloads.review(verb="patch", patch=patch)
    assert "metadata.finalizers is added to: items that the patch does not remove stay." in page.text
    assert "metadata.finalizers has example.com/old removed from it." in page.text
    await workloads.press("start")
    await workloads.shows("2 changed.")
    assert set(workloads.get("a")["metadata"]["finalizers"]) == {"example.com/kept", "example.com/new"}
    for name in ("a", "b"):
        workloads.patch(name, {"metadata": {"finalizers": None}})


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ("spec: {template: {spec: {containers: [{image: x:2}]}}}", "Write the “name” of each item"),
        ("spec: {template: {spec: {containers: [app]}}}", "Write the “name” of each item"),
        ("{$patch: replace, spec: {replicas: 1}}", "A directive at the top"),
        ("spec: {template: {spec: {$patch: 7}}}", "“$patch” must be “replace”"),
        ("spec: {template: {spec: {containers: [{name: app, $patch: repalce}]}}}", "“$patch” must be “replace”"),
        ("spec: {template: {spec: {containers: [{$patch: [replace]}]}}}", "“$patch” must be “replace”"),
        ("spec: {strategy: {$patch: replace, rollingUpdate: {$patch: delete}}}", "Everything around this replaces"),
        ("spec: {template: {spec: {tolerations: [{$patch: replace}]}}}", "Everything around this replaces"),
        (
            "metadata: {finalizers: [{$patch: replace}, example.com/a]}",
            "Write plain values: they are added to the list",
        ),
        ("metadata: {$deleteFromPrimitiveList/finalizers: example.com/a}", "Write a list of the values to remove"),
        ("metadata: {$patch: replace, labels: {a: b}}", "In metadata, only labels"),
    ],
)
async def test_what_names_no_item_or_is_about_the_whole_object_is_refused(
    schema: Schema, patch: str, words: str
) -> None:
    refusal = parse_operation({"verb": "patch", "patch": patch}, KIND, schema)
    assert isinstance(refusal, Refusal)
    assert words in refusal.problems[0].words


async def test_each_list_of_a_patch_is_told_with_what_becomes_of_it(schema: Schema) -> None:
    port = {"containerPort": 80, "name": "web"}
    pod = {"containers": [{"name": "app", "command": ["run"], "ports": [port]}], "volumes": [{"$patch": "replace"}]}
    assert patched_lists({"spec": {"template": {"spec": pod}}}, schema) == (
        PatchedList("spec.template.spec.containers", "merged", "name"),
        PatchedList("spec.template.spec.containers[name=app].command", "replaced"),
        PatchedList("spec.template.spec.containers[name=app].ports", "merged", "containerPort"),
        PatchedList("spec.template.spec.volumes", "replaced", "name"),
    )
    assert patched_lists({"spec": {"$patch": "replace", "template": {"spec": pod}}}, schema) == (
        PatchedList("spec", "exchanged"),
    )


async def test_a_change_is_the_patchs_where_it_names_the_item_and_else_the_servers(schema: Schema) -> None:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "app", "ports": [{"containerPort": 80}]}]}}}}
    app, other = (("spec", "template", "spec", "containers", ItemKey((("name", name),))) for name in ("app", "x"))
    port = ItemKey((("containerPort", 80), ("protocol", "TCP")))
    assert is_in_patch(patch, (*app, "ports", port), schema)
    assert not is_in_patch(patch, (*app, "image"), schema)
    assert not is_in_patch(patch, other, schema)
    assert is_in_patch(patch, other, Schema()), "a list that is replaced takes others out"


async def test_an_order_of_before_is_the_merge_patch_that_it_was_and_a_strategic_one_cannot_be_read_as_one(
    schema: Schema,
) -> None:
    assert schema.strategic
    order = parse_operation({"verb": "patch", "patch": IMAGE}, KIND, schema)
    assert isinstance(order, BulkOperation)
    kept = msgspec.to_builtins(order)
    assert msgspec.convert(kept, BulkOperation) == order
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(kept, OrderOfBefore)
    assert BulkOperation("patch", {"spec": {}}).requested_patch == {"spec": {}}
