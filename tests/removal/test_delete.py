"""Delete asks first, and deletes exactly what it showed."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest

from dashboard.live.messages import Owner, Row
from dashboard.removal.dependents import NAMED
from dashboard.removal.progress import progress_of
from informerd.clock import SystemClock
from informerd.errors import Forbidden, ServerError, Status, Unreachable
from informerd.rest.answer import Answer
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser
from tests.edits.objects import mydemo
from tests.live.feeder import hold


@pytest.fixture
def path(namespace: str) -> str:
    """Address of Mydemo ``one``."""
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"


async def test_delete_asks_and_then_says_that_it_is_gone(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    assert "No finalizers: it is gone at once." in page.text
    assert "A dry run of this was just accepted" in page.text
    assert f"delete mydemos.crddemo.k8s.io one -n {namespace}" in page.text
    assert cluster.exists(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server has it no more" in page.text
    assert f'href="/resources/mydemos.crddemo.k8s.io/?namespace={namespace}"' in page.body
    assert not cluster.exists(f"{collection}/one")


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


async def test_what_changed_since_it_was_shown_is_shown_first(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": ["example.com/new"]}})
    page = await browser.press(page, "delete")
    assert page.status == 409
    assert "nothing was deleted" in page.text
    assert "example.com/new" in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]


async def test_another_object_of_the_same_name_is_not_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.delete(f"{collection}/one")
    cluster.create(collection, mydemo("one"))
    page = await browser.press(page, "delete")
    assert page.status == 409
    assert cluster.exists(f"{collection}/one")


async def test_finalizers_hold_a_deletion_up_and_the_page_follows_until_it_is_gone(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    held = f"{collection}/one"
    cluster.create(collection, mydemo("one", finalizers=["example.com/hold", "foregroundDeletion"]))
    page = await browser.open(f"{path}delete/")
    assert "example.com/hold" in page.text
    assert "The garbage collector deletes what belongs to it first" in page.text
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "Waiting for the finalizer example.com/hold" in page.text
    assert "every 1500ms" in page.body
    metadata = cluster.get(held)["metadata"]
    assert "deletionTimestamp" in metadata
    page = await browser.open(f"{path}delete/")
    assert "being deleted already" in page.text
    cluster.patch(held, {"metadata": {"finalizers": None}})
    assert not cluster.exists(held)
    page = await browser.open(f"{path}delete/?uid={metadata['uid']}")
    assert "The API server has it no more" in page.text
    assert "every 1500ms" not in page.body


async def test_the_way_that_was_chosen_is_sent(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.press(await browser.open(f"{path}delete/"), "check", propagation="Foreground")
    assert "--cascade=foreground" in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]
    sent = {**page.form.values, "propagation": "Orphan", "check": ""}
    plan = await browser.send(page.form.action, sent, **{"HX-Request": "true"})
    assert "--cascade=orphan" in plan.body
    assert "A dry run of this was just accepted" in plan.body
    assert "What goes with it" not in plan.body
    plan = await browser.send(page.form.action, {**sent, "propagation": "Sideways"}, **{"HX-Request": "true"})
    assert (plan.status, "“Sideways” is no way to delete" in plan.body) == (422, True)
    await browser.press(page, "delete", propagation="Foreground")
    assert cluster.get(f"{collection}/one")["metadata"]["finalizers"] == ["foregroundDeletion"]
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"propagation": "Sideways"}, "“Sideways” is no way to delete"),
        ({"grace": "other", "seconds": "-1"}, "“-1” is no grace period"),
        ({"grace": "other", "seconds": "ten"}, "“ten” is no grace period"),
        ({"grace": "other", "seconds": "1000000000000"}, "is no grace period"),
        ({"grace": "soon"}, "“soon” is no grace period"),
    ],
)
async def test_nonsense_is_said_and_nothing_is_sent(
    browser: Browser, cluster: ControlPlane, collection: str, path: str, typed: dict[str, str], said: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.press(await browser.open(f"{path}delete/"), "delete", **typed)
    assert page.status == 422
    assert said in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]


async def test_an_object_that_is_gone_already_counts_as_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.delete(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server has it no more" in page.text


class Lossy:
    """Stands between a client and the API server: the answer to a DELETE is lost, and then as many reads fail."""

    def __init__(self, client: Client, *, arrives: bool, deaf: int = 0) -> None:
        self._request = client.request
        self._arrives = arrives
        self._deaf = deaf
        self._lost = False

    async def request(self, method: str, path: str, **options: Any) -> Answer:
        if method == "DELETE" and not (options.get("body") or {}).get("dryRun"):
            if self._arrives:
                await self._request(method, path, **options)
            self._lost = True
            raise ServerError(Status(code=500, message="etcdserver: request timed out"))
        if self._lost and self._deaf and "/mydemos/" in path:
            self._deaf -= 1
            raise Unreachable("connection reset")
        return await self._request(method, path, **options)


async def test_a_deletion_whose_answer_was_lost_is_found_to_be_done(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = Lossy(parts.client, arrives=True).request
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server has it no more" in page.text


@pytest.mark.parametrize("deaf", [0, 2], ids=["read", "deaf"])
async def test_where_a_deletion_cannot_be_found_out_the_page_claims_nothing(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str, deaf: int
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = Lossy(parts.client, arrives=False, deaf=deaf).request
    page = await browser.press(page, "delete")
    assert page.status == 503
    assert ("It may or may not be deleted" if deaf else "It was not deleted") in page.text
    assert "etcdserver: request timed out" in page.text
    assert "Nothing was changed" not in page.text
    assert "text is kept" not in page.text


async def test_a_refused_deletion_speaks_of_no_text(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    refused = Forbidden(Status(code=403, reason="Forbidden", message="no"))
    parts.client.delete = AsyncMock(side_effect=refused)
    page = await browser.press(page, "delete")
    assert page.status == 403
    assert "Nothing was changed in the cluster." in page.text


async def test_without_saying_which_state_nothing_is_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.send(f"{path}delete/", {"uid": "", "version": ""})
    assert page.status == 200
    assert cluster.exists(f"{collection}/one")


async def test_owner_and_dependents_are_named(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str, path: str
) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": "123", "controller": True}
    uid = cluster.create(collection, mydemo("one", ownerReferences=[owner]))["metadata"]["uid"]
    mine = ("Mydemo", "one", uid)
    hold(
        parts.replicas.get("pods"),
        *[row(namespace, f"web-{number:02}", f"uid-{number}", mine) for number in range(NAMED + 3)],
        row(namespace, "-odd name?", "odd", mine),
        row(namespace, "stranger", "stranger", ("Mydemo", "one", "another uid")),
    )
    page = await browser.open(f"{path}delete/")
    assert "It belongs to ConfigMap boss, which is its controller" in page.text
    assert f"{NAMED + 4} Pods" in page.text
    assert f"{namespace}/web-00" in page.text
    assert "and 4 more" in page.text
    assert f'href="/resources/pods/{namespace}/-odd%20name%3F/"' in page.body
    assert "stranger" not in page.text
    assert "of several owners" not in page.text


def row(namespace: str, name: str, uid: str, owner: tuple[str, str, str]) -> Row:
    return Row(uid, namespace, name, "1", None, "Running", "ok", (), {}, owner=owner)


async def test_what_belongs_to_what_belongs_to_it_is_counted_and_said_through_what(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str, path: str
) -> None:
    uid = cluster.create(collection, mydemo("one"))["metadata"]["uid"]
    hold(parts.replicas.get("mydemos.crddemo.k8s.io"), row(namespace, "child", "child", ("Mydemo", "one", uid)))
    hold(parts.replicas.get("pods"), row(namespace, "grandchild", "pod", ("Mydemo", "child", "child")))
    page = await browser.open(f"{path}delete/")
    assert f"1 Mydemo {namespace}/child" in page.text
    assert f"1 Pod through Mydemo {namespace}/grandchild" in page.text


async def test_a_stuck_deletion_is_explained_and_its_finalizer_taken_away_apart(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    held = f"{collection}/one"
    uid = cluster.create(collection, mydemo("one", finalizers=["example.com/hold"]))["metadata"]["uid"]
    cluster.delete(held)
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "Deleting: asked for" in page.text
    assert "by hand" not in page.text
    parts.clock = Later()
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "The deletion is stuck." in page.text
    assert "Take example.com/hold away by hand" in page.text
    page = await browser.open(f"{path}delete/finalizer/?name=example.com/hold")
    assert "This skips a clean-up that somebody asked for." in page.text
    cluster.patch(held, {"metadata": {"labels": {"racing": "writer"}}})
    page = await browser.press(page, "take", understood="yes")
    assert page.status == 409
    assert "The object changed while you were looking" in page.text
    assert cluster.get(held)["metadata"]["finalizers"] == ["example.com/hold"]
    without = dict(page.form.values)
    without.pop("understood")
    page = await browser.send(page.form.action, without)
    assert cluster.get(held)["metadata"]["finalizers"] == ["example.com/hold"]
    page = await browser.press(page, "take", understood="yes")
    assert "The API server has it no more" in page.text
    assert not cluster.exists(held)


class Later(SystemClock):
    """Two minutes ahead."""

    def time(self) -> float:
        return super().time() + 120


async def test_a_pod_is_shut_down_in_its_grace_period_and_forced_where_that_is_asked_for(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    containers = [{"name": "main", "image": "nginx:1"}]
    # a pod that was never given a node is gone at once: this one has one
    cluster.create(pods, {"metadata": {"name": "web"}, "spec": {"nodeName": "nowhere", "containers": containers}})
    path = f"/resources/pods/{namespace}/web/delete/"
    page = await browser.open(path)
    assert "30 s: its containers are told to end" in page.text
    page = await browser.press(page, "delete")
    assert "left of the grace period of 30 s" in page.text
    page = await browser.press(await browser.open(path), "check", grace="now")
    assert "--grace-period=0 --force" in page.text
    page = await browser.press(page, "delete", grace="now")
    assert "The API server has it no more" in page.text
    assert not cluster.exists(f"{pods}/web")


async def test_a_namespace_says_what_its_controller_says(cluster: ControlPlane, namespace: str) -> None:
    live = cluster.get(f"/api/v1/namespaces/{namespace}")
    live["metadata"]["deletionTimestamp"] = "2026-11-21T10:00:00Z"
    failure = {"type": "NamespaceDeletionContentFailure", "status": "True", "message": "no rights on widgets"}
    live["status"]["conditions"] = [failure, {"type": "NamespaceContentRemaining", "status": "False"}]
    progress = progress_of(live, {}, 1_795_255_300.0)
    words = [wait.words for wait in progress.waits]
    assert words == [
        "Waiting for the finalizer kubernetes",
        f"Some of its content could not be deleted: {failure['message']}",
    ]
    assert not any(wait.removable for wait in progress.waits)


async def test_what_a_namespace_holds_of_kinds_that_nobody_watches_is_asked_for(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    parts.discovery = Discovery(parts.client)
    cluster.create(collection, mydemo("one"))
    for name in ("a", "b"):
        cluster.create(f"/api/v1/namespaces/{namespace}/secrets", {"metadata": {"name": name}})
    page = await browser.open(f"/resources/namespaces/-/{namespace}/delete/")
    assert "Everything in the namespace goes with it." in page.text
    assert "2 Secrets asked for just now" in page.text
    assert f'href="/resources/secrets/?namespace={namespace}"' in page.body
    assert "1 Mydemo" in page.text
    assert "storageclasses.storage.k8s.io" not in page.text
    assert "propagation" not in page.form.radios  # nothing of it can be left


async def test_how_many_objects_go_with_their_definition_is_asked_for(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str
) -> None:
    parts.discovery = Discovery(parts.client)
    cluster.create(collection, mydemo("one"))
    name = "mydemos.crddemo.k8s.io"
    page = await browser.open(f"/resources/customresourcedefinitions.apiextensions.k8s.io/-/{name}/delete/")
    assert "Every object of this kind goes with it, in all namespaces." in page.text
    assert "The API server deletes every object of this kind first" in page.text
    assert re.search(r"\d+ Mydemos? asked for just now", page.text)


async def test_a_foreground_deletion_waits_for_what_belongs_to_it_and_says_how_many_are_left(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str, path: str
) -> None:
    uid = cluster.create(collection, mydemo("one"))["metadata"]["uid"]
    pods = parts.replicas.get("pods")
    hold(pods, *[row(namespace, f"web-{number}", f"uid-{number}", ("Mydemo", "one", uid)) for number in range(2)])
    loose = msgspec.structs.replace(row(namespace, "loose", "loose", ("Mydemo", "one", uid)), owners=(_owner(uid),))
    hold(pods, loose)  # it goes, too, but nobody waits for it
    page = await browser.press(await browser.open(f"{path}delete/"), "delete", propagation="Foreground")
    assert "Waiting for what belongs to it: 2 Pods" in page.text
    assert "Should be taken away by the garbage collector" in page.text
    hold(pods, gone=["uid-0"])
    assert "Waiting for what belongs to it: 1 Pod" in (await browser.open(f"{path}delete/?uid={uid}")).text
    hold(pods, gone=["uid-1", "loose"])
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "The API server has it no more" in page.text


def _owner(uid: str) -> Owner:
    return Owner("crddemo.k8s.io", "Mydemo", "one", uid)


async def test_what_a_controller_makes_again_is_not_offered_to_be_made_by_hand(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    metadata = {"name": "web-1", "ownerReferences": [owner]}
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", {"metadata": metadata, "spec": spec})
    page = await browser.open(f"/resources/pods/{namespace}/web-1/delete/")
    assert "ReplicaSet web, which makes another one under a new name at once" in page.text
    page = await browser.press(page, "delete")
    assert "to make this one again by hand makes no sense" in page.text
    assert "again" not in page.form.buttons


@pytest.mark.parametrize(
    ("path", "name", "said", "by_itself"),
    [
        ("api/v1/namespaces/{}/serviceaccounts", "default", "kube-controller-manager, which makes one in every", True),
        ("api/v1/namespaces/{}/configmaps", "kube-root-ca.crt", "kube-controller-manager, which makes one in", True),
        ("apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles", "basic",
         "the cluster itself, which makes it again whenever it starts", False),
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


@pytest.mark.parametrize(("namespace_typed", "name_typed"), [("default", "%2E%2E"), ("default", "%2E"), ("..", "one")])
@pytest.mark.parametrize("action", ["delete", "edit"])
async def test_dots_are_no_name_and_that_is_said(
    browser: Browser, namespace_typed: str, name_typed: str, action: str
) -> None:
    page = await browser.open(f"/resources/mydemos.crddemo.k8s.io/{namespace_typed}/{name_typed}/{action}/")
    assert page.status == 404
    assert "is no name that an object or a namespace can have" in page.text
