"""Tests of creating a deleted object again from its last state, where no controller does."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser


async def test_what_was_deleted_is_made_again_with_one_click_from_its_last_state(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    before = cluster.create(collection, mydemo("one", port=1234, labels={"team": "a"}))
    page = await browser.press(await browser.open(f"{path}delete/"), "delete")
    page = await browser.press(page, "again")
    assert (page.status, page.location, page.said) == (302, path, True)
    now = cluster.get(f"{collection}/one")
    assert now["metadata"]["uid"] != before["metadata"]["uid"]
    assert (now["spec"], now["metadata"]["labels"]) == (before["spec"], {"team": "a"})


async def test_a_last_state_that_could_not_be_sent_leaves_no_draft(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    gone = await browser.press(await browser.open(f"{path}delete/"), "delete")
    parts.client, client = None, parts.client
    page = await browser.press(gone, "again")
    assert page.status == 503
    assert page.yaml == gone.yaml
    parts.client = client
    assert (await browser.press(gone, "again")).status == 302
    assert "You have an unsaved draft" not in (await browser.open(f"{path}edit/")).text


async def test_what_stood_for_that_very_object_is_not_made_again(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str, path: str
) -> None:
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    container = {"name": "c", "image": "x"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    before = cluster.create(jobs, {"metadata": {"name": "sum"}, "spec": {"template": template}})
    page = await browser.press(await browser.open(f"/resources/jobs.batch/{namespace}/sum/delete/"), "delete")
    page = await browser.press(page, "again")
    assert page.status == 302
    now = cluster.get(f"{jobs}/sum")
    assert now["spec"]["selector"] != before["spec"]["selector"]
    cluster.create(collection, mydemo("one", finalizers=["example.com/mine"]))
    page = await browser.press(await browser.open(f"{path}delete/"), "delete", propagation="Foreground")
    assert "- example.com/mine" in page.yaml
    assert "foregroundDeletion" not in page.yaml
    assert "metadata.finalizers (those that the deletion added)" in page.text
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})


async def test_it_is_not_made_again_in_place_of_another_one(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    gone = await browser.press(await browser.open(f"{path}delete/"), "delete")
    other = cluster.create(collection, mydemo("one", port=9))
    page = await browser.press(gone, "again")
    assert page.status == 409
    assert cluster.get(f"{collection}/one")["metadata"] == other["metadata"]
    uid = gone.form.values["base_uid"]
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "Another one has its name now" in page.text


async def test_what_a_controller_makes_again_is_not_offered_to_be_made_by_hand(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    metadata = {"name": "web-1", "ownerReferences": [owner]}
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", {"metadata": metadata, "spec": spec})
    page = await browser.open(f"/resources/pods/{namespace}/web-1/delete/")
    assert "ReplicaSet web, which creates another one under a new name immediately" in page.text
    page = await browser.press(page, "delete")
    assert "there is no need to create this one again by hand" in page.text
    assert "again" not in page.form.buttons


@pytest.mark.parametrize(
    ("path", "name", "said", "by_itself"),
    [
        ("api/v1/namespaces/{}/serviceaccounts", "default",
         "kube-controller-manager, which creates one in every", True),
        ("api/v1/namespaces/{}/configmaps", "kube-root-ca.crt", "kube-controller-manager, which creates one in", True),
        ("apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles", "basic",
         "the cluster itself, which creates it again whenever it starts", False),
        ("api/v1/namespaces/{}/configmaps", "mine", "", False),
    ],
)  # fmt: skip
async def test_what_the_cluster_makes_again_by_itself_is_said(
    browser: Browser, cluster: ControlPlane, namespace: str, path: str, name: str, said: str, by_itself: bool
) -> None:
    plural = "roles.rbac.authorization.k8s.io" if path.endswith("roles") else path.rpartition("/")[2]
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    cluster.create(f"/{path.format(namespace)}", {"metadata": {"name": name, "labels": labels}})
    page = await browser.open(f"/resources/{plural}/{namespace}/{name}/delete/")
    assert f"It belongs to {said}" in page.text if said else "It belongs to" not in page.text
    page = await browser.press(page, "delete")
    assert ("again" in page.form.buttons) != by_itself
