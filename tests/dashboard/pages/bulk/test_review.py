"""Tests of the review of a bulk change beyond its differences: effects on pods, new values, and groups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dashboard.pages.bulk.conftest import Demos

KEY = "deployments.apps"
IMAGE = "spec: {template: {spec: {containers: [{name: app, image: x:2}]}}}"
SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def deployment(name: str, replicas: int, *others: str, **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    containers = [{"name": each, "image": "x:1"} for each in ("app", *others)]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    wanted = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, "strategy": SURGE}
    return {"metadata": {"name": name}, "spec": {**wanted, **spec}}


@pytest.fixture
def workloads(demos: Demos, namespace: str) -> Demos:
    demos.collection = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    demos.page = f"/resources/{KEY}/bulk/"
    return demos


def made(demos: Demos, *wanted: dict[str, Any]) -> None:
    demos.list(KEY, [demos.cluster.create(demos.collection, each) for each in wanted])


async def test_the_review_says_what_becomes_of_pods_in_each_group_and_in_all(workloads: Demos) -> None:
    made(
        workloads,
        deployment("a", 3),
        deployment("b", 5),
        deployment("hard", 2, strategy={"type": "Recreate"}),
        deployment("still", 4, paused=True),
    )
    page = await workloads.review(verb="patch", patch=IMAGE)
    assert "in 2 ways" not in page.text, "the difference is the same, though not what it does"
    assert "Changes spec.template.spec.containers[name=app].image of 4 Deployments" in page.text
    assert "10 pods are replaced in all. 2 of them end first" in page.text
    assert "Rolls out 8 pods of 2 Deployments, each 1 at a time, none is missing meanwhile." in page.text
    assert "Ends all 2 pods of 1 Deployment first, then creates new ones" in page.text
    assert "Paused: the new template of 1 Deployment is rolled out once it is resumed." in page.text
    effects = page.main[page.main.index('aria-label="What it will do"') :]
    assert effects.index("Ends all 2 pods") < effects.index("/hard</a>") < effects.index("Paused: ")


async def test_that_a_label_restarts_nothing_is_said_of_workloads(workloads: Demos) -> None:
    made(workloads, deployment("a", 3))
    page = await workloads.review(verb="label", label_set="team=x")
    assert "No pod starts, restarts or ends because of it." in page.text
    assert "Changes metadata.labels.team of 1 Deployment" in page.text


async def test_an_autoscaler_that_sets_the_number_again_is_named(workloads: Demos, namespace: str) -> None:
    made(workloads, deployment("a", 2), deployment("b", 2))
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    autoscalers = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    spec = {"scaleTargetRef": about, "minReplicas": 2, "maxReplicas": 9}
    workloads.cluster.create(autoscalers, {"metadata": {"name": "busy"}, "spec": spec})
    page = await workloads.review(verb="patch", patch="spec: {replicas: 4}")
    assert "Scales all 2 Deployments from 2 to 4 pods each: 4 more in all." in page.text
    assert "The HorizontalPodAutoscaler (busy) sets the number of 1 Deployment again within seconds" in page.text
    assert "4 pods more are made." in page.text


async def test_a_container_that_a_patch_adds_because_few_have_it_is_called_out(workloads: Demos) -> None:
    made(workloads, deployment("a", 1), deployment("b", 1), deployment("c", 1, "sidecra"))
    patch = "spec: {template: {spec: {containers: [{name: sidecra, image: s:2}]}}}"
    page = await workloads.review(verb="patch", patch=patch)
    words = "Adds container sidecra to 2 of 3 Deployments, which have none of that name, and changes it in 1."
    assert words in page.text
    assert "Is the name right?" in page.text
    assert "Adds container sidecra of 2 Deployments" in page.text
    assert "Changes spec.template.spec.containers[name=sidecra].image of 1 Deployment" in page.text
    assert "4 fields set by the API server" in page.text, "folded, for nobody asked for them"
    page = await workloads.review(verb="patch", patch=IMAGE)
    assert "Is the name right?" not in page.text, "each has it"


async def test_of_many_items_that_are_added_the_title_and_the_notes_are_bounded(workloads: Demos) -> None:
    made(workloads, deployment("a", 1))
    env = ", ".join(f"{{name: V{number}, value: x}}" for number in range(30))
    added = "{name: late, image: x:1}"
    patch = f"spec: {{template: {{spec: {{containers: [{{name: app, env: [{env}]}}, {added}]}}}}}}"
    page = await workloads.review(verb="patch", patch=patch)
    assert page.main.count('class="note added') == 25
    assert "And 6 more are added." in page.text
    assert page.text.index("Adds container late to") < page.text.index("Adds variable V0")
    assert "variable V2 of container app and 28 more, changes" in " ".join(page.text.split())


async def test_why_what_would_be_added_is_refused_says_that_it_is_not_there(workloads: Demos) -> None:
    made(workloads, deployment("a", 1))
    patch = "spec: {template: {spec: {containers: [{name: ap, imagePullPolicy: Always}]}}}"
    page = await workloads.review(verb="patch", patch=patch)
    assert "1 refused" in page.text
    assert "There is no container ap to change: the patch would add it." in page.text


async def test_what_a_change_does_may_not_become_something_else_unseen(workloads: Demos) -> None:
    made(workloads, deployment("a", 3), deployment("b", 3))
    await workloads.review(verb="patch", patch=IMAGE)
    workloads.patch("a", {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}})
    workloads.patch("b", {"spec": {"replicas": 4}})
    await workloads.press("start")
    page = await workloads.shows("not everything was done")
    assert "1 changed meanwhile" in page.text
    assert "1 done" in page.text, "that an autoscaler set another number is no other change"
    await workloads.press("look")
    page = await workloads.shows("Review: ")
    assert "nothing of it runs in between (strategy Recreate)." in page.text


async def test_a_list_of_custom_resources_is_told_item_by_item(demos: Demos) -> None:
    demos.make("a", finalizers=["example.com/old", "example.com/kept"])
    page = await demos.review(verb="patch", patch="metadata: {finalizers: [example.com/kept, example.com/new]}")
    assert "Changes metadata.finalizers of 1 Mydemo" in page.text
    assert "metadata.finalizers 1 goes, 1 comes, 1 stays" in page.text
    assert "<del>example.com/old</del>" in page.main
    assert "<ins>example.com/new</ins>" in page.main
    assert "example.com/kept stays" in page.text
    demos.patch("a", {"metadata": {"finalizers": None}})


async def test_groups_of_a_deletion_are_titled_by_what_holds_them(demos: Demos) -> None:
    demos.make("a", "b", "c")
    demos.patch("b", {"metadata": {"finalizers": ["example.com/hold"]}})
    page = await demos.review(verb="delete", grace="default")
    assert "Deletes 2 Mydemos" in page.text
    assert "Deletes 1 Mydemo held by finalizers" in page.text
    demos.patch("b", {"metadata": {"finalizers": None}})


async def test_those_whose_controllers_may_make_others_are_one_group(demos: Demos, namespace: str) -> None:
    demos.collection, demos.page = f"/api/v1/namespaces/{namespace}/configmaps", "/resources/configmaps/bulk/"
    made = []
    for name, owner in (("a", "one"), ("b", "two"), ("c", "two"), ("d", "")):
        reference = {"apiVersion": "x.example.com/v1", "kind": "Keeper", "name": owner, "uid": owner}
        owners = [{**reference, "controller": True}] if owner else []
        metadata = {"name": name, "ownerReferences": owners}
        made.append(demos.cluster.create(demos.collection, {"metadata": metadata}))
    demos.list("configmaps", made)
    page = await demos.review(verb="delete", grace="default")
    assert "Deletes 3 ConfigMaps with a controller" in page.text
    assert "Keeper two (2), Keeper one (1) control all 3 ConfigMaps and may create others instead." in page.text
    assert "nothing is known to hold them up or to create others in their place" in page.text
