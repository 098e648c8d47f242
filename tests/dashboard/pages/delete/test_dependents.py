"""Tests of the dependents of a deleted object: named, counted through all owners, and waited for."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec

from dashboard.objects.kinds.row import Owner, Row
from dashboard.pages.delete.dependents import MAX_NAMED
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser
from tests.support.live.replica_feeder import hold


async def test_owner_and_dependents_are_named(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str, path: str
) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": "123", "controller": True}
    uid = cluster.create(collection, mydemo("one", ownerReferences=[owner]))["metadata"]["uid"]
    mine = ("Mydemo", "one", uid)
    hold(
        parts.replicas.get("pods"),
        *[row(namespace, f"web-{number:02}", f"uid-{number}", mine) for number in range(MAX_NAMED + 3)],
        row(namespace, "-odd name?", "odd", mine),
        row(namespace, "stranger", "stranger", ("Mydemo", "one", "another uid")),
    )
    page = await browser.open(f"{path}delete/")
    assert "It belongs to ConfigMap boss, which is its controller" in page.text
    assert f"{MAX_NAMED + 4} Pods" in page.text
    assert f"{namespace}/web-00" in page.text
    assert "and 4 more" in page.text
    assert f'href="/resources/pods/{namespace}/-odd%20name%3F/"' in page.body
    assert "stranger" not in page.text
    assert "with several owners" not in page.text


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
    assert "Should be removed by the garbage collector" in page.text
    hold(pods, gone=["uid-0"])
    assert "Waiting for what belongs to it: 1 Pod" in (await browser.open(f"{path}delete/?uid={uid}")).text
    hold(pods, gone=["uid-1", "loose"])
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "The API server no longer has it" in page.text


def _owner(uid: str) -> Owner:
    return Owner("crddemo.k8s.io", "Mydemo", "one", uid)
