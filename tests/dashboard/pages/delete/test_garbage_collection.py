"""Tests that the predicted dependents are those that the real garbage collector deletes, with any other owners."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import KindInfo, parse_kinds
from dashboard.pages.delete.dependents import find_dependents
from dashboard.pages.delete.descendants import DescendantWalk
from dashboard.pages.writes.target import Target
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.e2e.conftest import CRD
from tests.support.controller_manager_and_kwok import controller_manager
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.long_tests import long_but
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually

pytestmark = pytest.mark.controlplane

KINDS = parse_kinds(["mydemos", "secrets", "configmaps", "clusterroles.rbac.authorization.k8s.io"])
DEMOS, SECRETS, MAPS, ROLES = KINDS
NAMESPACE = "garbage"
WITHIN = 60.0
"""Seconds: the collector reads what kinds there are before it begins."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ControlPlane]:
    """One that collects nothing yet: the collector would mend what its objects say before anybody read it."""
    made = ControlPlane(tmp_path / "cluster", controlplane_binaries())
    try:
        made.start()
        made.apply_crd(CRD)
        made.create_namespace(NAMESPACE)
        made.create_namespace("far")
        yield made
    finally:
        made.stop()


@pytest.fixture
async def replicas(cluster: ControlPlane) -> AsyncIterator[Replicas]:
    """What a web process has of it, through a worker."""
    layer, clock = InMemoryChannelLayer(capacity=1000), SystemClock()
    client = Client(load_kubeconfig(cluster.kubeconfig), clock=clock)
    made = Replicas(layer, KINDS, clock)
    running = [asyncio.create_task(each()) for each in (Worker(client, layer, KINDS, clock).run, made.run)]
    yield made
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await client.close()


class Objects:
    """Makes objects that name others as their owners, and notes them all."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.made: dict[str, tuple[KindInfo, dict[str, Any]]] = {}
        self._cluster = cluster

    def path(self, kind: KindInfo, namespace: str = NAMESPACE, name: str = "") -> str:
        return kind.resource.path(namespace=namespace if kind.namespaced else "", name=name)

    def make(self, kind: KindInfo, name: str, *owners: dict[str, Any], namespace: str = NAMESPACE, **meta: Any) -> None:
        meta["ownerReferences"] = list(owners)
        body = mydemo(name, **meta) if kind is DEMOS else {"metadata": {"name": name, **meta}}
        made = self._cluster.create(self.path(kind, namespace), body)
        self.made[name] = kind, made["metadata"]

    def by(self, name: str, **more: bool) -> dict[str, Any]:
        """A reference to one of them."""
        kind, metadata = self.made[name]
        version, word = kind.resource.api_version, kind.resource.kind
        return {"apiVersion": version, "kind": word, "name": name, "uid": metadata["uid"], **more}

    def delete(self, name: str, policy: str) -> None:
        kind, metadata = self.made[name]
        self._cluster.delete(self.path(kind, metadata.get("namespace", ""), name), {"propagationPolicy": policy})

    @property
    def left(self) -> set[str]:
        """The names of those that are there, however far their deletion is."""
        there = (self._cluster.get(self.path(kind, each))["items"] for kind in KINDS for each in (NAMESPACE, "far"))
        return {each["metadata"]["name"] for items in there for each in items} & self.made.keys()


async def known(replicas: Replicas, objects: Objects) -> None:
    """Wait until the web process has all of them."""
    uids = {metadata["uid"] for _, metadata in objects.made.values()}
    await eventually(
        lambda: uids <= {uid for each in replicas for uid in each.rows} and all(e.is_live for e in replicas)
    )


def going(replicas: Replicas, objects: Objects, name: str) -> tuple[set[str], dict[str, list[str]]]:
    """What is said to go with it; and what is said to stay, with the owners that keep it."""
    kind, metadata = objects.made[name]
    walk = DescendantWalk(kind, {metadata["uid"]: (metadata.get("namespace", ""), name)}, replicas)
    deleted = {step[1].name for step in walk if step is not None}
    staying = {row.name: [owner.name for owner in walk.keeping_owners(row)] for _, row in walk.staying.values()}
    return deleted, staying


@pytest.mark.parametrize("policy", long_but(["Background", "Foreground"], "Foreground"))
async def test_what_is_said_to_go_goes_and_what_is_said_to_stay_stays(
    cluster: ControlPlane, replicas: Replicas, tmp_path: Path, policy: str
) -> None:
    objects = Objects(cluster)
    make, by = objects.make, objects.by
    for demo in ("one", "two"):
        make(DEMOS, demo)
    make(MAPS, "elsewhere", namespace="far")
    make(ROLES, "top")
    ghost = {**by("two"), "name": "ghost", "uid": "never-was"}
    blocks = {"controller": True, "blockOwnerDeletion": True}
    make(SECRETS, "only", by("one", **blocks))
    make(SECRETS, "both", by("one"), by("two"))
    make(SECRETS, "led", by("one", **blocks), by("two"))
    make(SECRETS, "with-ghost", by("one"), ghost)
    make(SECRETS, "with-elsewhere", by("one"), by("elsewhere"))
    make(SECRETS, "of-what-goes", by("only", **blocks))
    make(SECRETS, "of-what-stays", by("one"), by("both"))
    make(SECRETS, "of-all-that-goes", by("one"), by("only"), by("with-ghost"))
    make(SECRETS, "ring-b", ghost)
    make(SECRETS, "ring-a", by("one"), by("ring-b"))
    ring = {"metadata": {"ownerReferences": [by("ring-a")]}}
    await asyncio.to_thread(cluster.patch, objects.path(SECRETS, NAMESPACE, "ring-b"), ring)
    make(ROLES, "misled", by("one"))
    make(SECRETS, "of-top", by("top"))
    make(ROLES, "sub", by("top"))
    make(ROLES, "sub-misled", by("top"), by("two"))
    await known(replicas, objects)
    ring_b = objects.made["ring-b"][1]["uid"]
    await eventually(lambda: ring_b in replicas.get(SECRETS.key).by_owner.uids_of(objects.made["ring-a"][1]["uid"]))
    with_one, kept_of_one = going(replicas, objects, "one")
    with_top, kept_of_top = going(replicas, objects, "top")
    assert with_one == {"only", "with-ghost", "with-elsewhere", "of-what-goes", "of-all-that-goes"}
    assert kept_of_one == {"both": ["two"], "led": ["two"], "of-what-stays": ["both"], "ring-a": ["ring-b"]}
    assert (with_top, kept_of_top) == ({"of-top", "sub"}, {"sub-misled": ["two"]})
    expected = objects.made.keys() - {"one", "top"} - with_one - with_top
    for name in ("one", "top"):
        objects.delete(name, policy)
    with controller_manager(cluster, tmp_path / "manager", "garbage-collector-controller"):
        await eventually(lambda: objects.left == expected, within=WITHIN, what="what stays is left")
        make(SECRETS, "last", ghost)
        await eventually(lambda: "last" not in objects.left, within=WITHIN, what="the collector has come by once more")
        assert objects.left == expected


@pytest.mark.long
async def test_a_foreground_deletion_waits_for_what_says_so_and_for_nothing_else(
    cluster: ControlPlane, replicas: Replicas, tmp_path: Path
) -> None:
    objects = Objects(cluster)
    for demo, blocks in (("waits", True), ("goes", False)):
        objects.make(DEMOS, demo)
        owner = objects.by(demo, blockOwnerDeletion=blocks)
        objects.make(SECRETS, f"of-{demo}", owner, finalizers=["example.com/hold"])
    await known(replicas, objects)

    async def waited_for(name: str) -> list[str]:
        target, uid = Target(DEMOS, NAMESPACE, name), objects.made[name][1]["uid"]
        return [
            one.name
            for each in await find_dependents(target, uid, replicas, only_blocking=True)
            for one in each.first_dependents
        ]

    assert (await waited_for("waits"), await waited_for("goes")) == ([f"{NAMESPACE}/of-waits"], [])
    for demo in ("waits", "goes"):
        objects.delete(demo, "Foreground")
    with controller_manager(cluster, tmp_path / "manager", "garbage-collector-controller"):
        await eventually(lambda: "goes" not in objects.left, within=WITHIN, what="it waits for nothing")
        deleting = lambda: "deletionTimestamp" in cluster.get(objects.path(SECRETS, NAMESPACE, "of-waits"))["metadata"]  # noqa: E731
        await eventually(deleting, within=WITHIN, what="the other's is asked to go")
        assert objects.left == {"waits", "of-waits", "of-goes"}
        await asyncio.to_thread(
            cluster.patch, objects.path(SECRETS, NAMESPACE, "of-waits"), {"metadata": {"finalizers": None}}
        )
        await eventually(lambda: "waits" not in objects.left, within=WITHIN, what="then it goes, too")
