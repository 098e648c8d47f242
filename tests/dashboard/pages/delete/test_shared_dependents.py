"""Tests of dependents with several owners, which stay with the remaining owners, as in the garbage collector."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import KINDS, parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.pages.delete.dependents import SharedDependents, find_shared_dependents
from dashboard.pages.writes.target import Target
from informerd.clock import SystemClock
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of


def owner(name: str, uid: str, *, kind: str = "Mydemo", controller: bool = False) -> dict[str, Any]:
    version = "crddemo.k8s.io/v1" if kind == "Mydemo" else "v1"
    more = {"controller": True} if controller else {}
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid, **more}


async def test_what_has_other_owners_is_named_with_those_that_keep_it(
    browser: Browser,
    parts: SimpleNamespace,
    cluster: ControlPlane,
    namespace: str,
    collection: str,
) -> None:
    path = f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"
    uid = cluster.create(collection, mydemo("one"))["metadata"]["uid"]
    mine, gone = owner("one", uid), owner("gone", "gone")
    owners = {
        "both": [mine, owner("settings", "2", kind="ConfigMap"), gone],
        "left": [mine, gone],
        "led": [owner("one", uid, controller=True), owner("settings", "2", kind="ConfigMap")],
        "only": [mine],
        "others": [gone, owner("settings", "2", kind="ConfigMap")],
    }
    rows = [
        row_of("pods", {"metadata": {"name": name, "namespace": namespace, "uid": name, "ownerReferences": found}})
        for name, found in owners.items()
    ]
    demos = Feeder("mydemos.crddemo.k8s.io", parts.clock)
    put_feeders(parts.replicas, Feeder("pods", parts.clock, rows), demos)
    page = await browser.open(f"{path}delete/")
    assert f"Pod {namespace}/both stays while one of these exists: ConfigMap settings" in page.text
    assert f"Pod {namespace}/left is deleted, too: it has no other owner left" in page.text
    assert f"Pod {namespace}/led stays while one of these exists: ConfigMap settings" in page.text
    assert f"2 Pods {namespace}/left , {namespace}/only " in page.text
    assert f"Pod {namespace}/only stays" not in page.text
    assert f"Pod {namespace}/others" not in page.text
    demos.replica.state = "stale"
    page = await browser.open(f"{path}delete/")
    assert f"Pod {namespace}/left stays while one of these exists: Mydemo gone" in page.text


def owned(name: str, *owners: dict[str, Any]) -> Row:
    """As the worker makes it."""
    metadata = {"name": name, "namespace": "default", "uid": name, "ownerReferences": list(owners)}
    return row_of("pods", {"metadata": metadata})


async def test_what_goes_is_told_from_what_stays_however_far_down() -> None:
    web, set_1 = owner("web", "web", kind="Deployment"), owner("set-1", "set-1", kind="ReplicaSet")
    set_2, other = owner("set-2", "set-2", kind="ReplicaSet"), owner("settings", "2", kind="ConfigMap")
    sets = [owned("set-1", {**web, "controller": True}), owned("set-2", web, other)]
    pods = [
        owned("plain", {**set_1, "controller": True}),
        owned("shared", {**set_1, "controller": True}, other),
        owned("none-leads", set_1, other),
        owned("both", web, set_1),
        owned("of-what-stays", {**set_2, "controller": True}),
        owned("kept-by-what-stays", set_1, set_2),
    ]
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), parse_kinds(["replicasets.apps", "pods"]), clock)
    put_feeders(replicas, Feeder("replicasets.apps", clock, sets), Feeder("pods", clock, pods))
    found = await find_shared_dependents(Target(KINDS["deployments.apps"], "default", "web"), "web", replicas)
    assert [
        (each.words, [one.name for one in each.first_dependents], each.owner_kinds) for each in found.dependents
    ] == [
        ("1 ReplicaSet", ["default/set-1"], ()),
        ("2 Pods", ["default/both", "default/plain"], ("ReplicaSet",)),
    ]
    assert {each.words: each.keeping_owners for each in found.first_shared} == {
        "ReplicaSet default/set-2": ("ConfigMap settings",),
        "Pod default/shared": ("ConfigMap settings",),
        "Pod default/none-leads": ("ConfigMap settings",),
        "Pod default/kept-by-what-stays": ("ReplicaSet set-2",),
        "Pod default/both": (),
    }


async def shared_among(pods: list[Row], nodes: tuple[Row, ...] = ()) -> SharedDependents:
    """With Deployment ``web``, when the pods and nodes are all that is watched."""
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), parse_kinds(["pods", "nodes"]), clock)
    put_feeders(replicas, Feeder("pods", clock, pods), Feeder("nodes", clock, nodes))
    return await find_shared_dependents(Target(KINDS["deployments.apps"], "default", "web"), "web", replicas)


async def test_a_ring_of_owners_keeps_itself() -> None:
    web = owner("web", "web", kind="Deployment")
    ring = [owned("one", web, owner("two", "two", kind="Pod")), owned("two", owner("one", "one", kind="Pod"))]
    found = await shared_among(ring)
    assert found.dependents == ()
    assert {each.words: each.keeping_owners for each in found.first_shared} == {"Pod default/one": ("Pod two",)}


async def test_an_owner_of_another_namespace_keeps_nothing_and_takes_nothing_with_it() -> None:
    web, elsewhere = owner("web", "web", kind="Deployment"), owner("far", "far", kind="Pod")
    far, of_web = (
        row_of("pods", {"metadata": {"name": name, "namespace": "other", "uid": name, "ownerReferences": owners}})
        for name, owners in (("far", []), ("misled", [web]))
    )
    node = row_of("nodes", {"metadata": {"name": "node", "uid": "node", "ownerReferences": [web]}})
    found = await shared_among([owned("both", web, elsewhere), far, of_web], (node,))
    assert [(each.words, [one.name for one in each.first_dependents]) for each in found.dependents] == [
        ("1 Pod", ["default/both"])
    ]
