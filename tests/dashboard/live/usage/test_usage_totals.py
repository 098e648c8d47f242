"""Tests of what objects use beside what they may use, and of the sums by namespace and owner."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.usage.metrics_api import Measured
from dashboard.live.usage.usage_totals import usages_of
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.usage import Usage
from tests.support.objects.rows import made, row_of

MEBIBYTE = 2**20
NOW = 1_900_000_000.0
MYDEMOS = "mydemos.crddemo.k8s.io"


def controller(kind: str, name: str, api_version: str = "apps/v1") -> dict[str, Any]:
    uid = f"uid-shop-{name}"
    owner = {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": True}
    return {"metadata": {"ownerReferences": [owner]}}


def pod(name: str, *limits: dict[str, str], owner: str = "", node: str = "n1", **spec: Any) -> Row:
    containers = [
        {"name": f"c{number}", "image": "i", **({"resources": {"limits": limit}} if limit else {})}
        for number, limit in enumerate(limits or ({},))
    ]
    parts = controller("ReplicaSet", owner) if owner else {}
    return row_of("pods", made("Pod", name, spec={"nodeName": node, "containers": containers, **spec}, **parts))


def node(name: str, cpu: str, memory: str) -> Row:
    status = {"allocatable": {"cpu": cpu, "memory": memory}}
    return row_of("nodes", made("Node", name, namespace="", status=status))


def measured(key: str, cpu: float, mebibytes: int, at: float = NOW, window: float = 15.0) -> Measured:
    return Measured(key, at, window, cpu, mebibytes * MEBIBYTE)


def by_uid(*rows: Row) -> dict[str, Row]:
    return {row.uid: row for row in rows}


async def used(
    of_pods: list[Measured], of_nodes: list[Measured], /, **rows: dict[str, Row]
) -> dict[tuple[str, str], Usage]:
    """By kind and key; `rows` by the key of their kind, with `_` for its dot."""
    named = {key.replace("_", "."): each for key, each in rows.items()}
    found = await usages_of(of_pods, of_nodes, named)
    return {(key, usage.key): usage for key, usages in found.items() for usage in usages}


@pytest.mark.parametrize(
    ("limits", "spec", "cpu", "memory"),
    [
        ([{"cpu": "500m", "memory": "1Gi"}], {}, (0.5, "limit"), (1024, "limit")),
        ([{"memory": "1Gi"}], {}, (4.0, "allocatable"), (1024, "limit")),
        ([], {}, (4.0, "allocatable"), (8192, "allocatable")),
        ([{"memory": "1Gi"}, {"memory": "512Mi"}], {}, (4.0, "allocatable"), (1536, "limit")),
        ([{"memory": "1Gi"}, {}], {}, (4.0, "allocatable"), (8192, "allocatable")),
        ([{}, {}], {"resources": {"limits": {"memory": "2Gi"}}}, (4.0, "allocatable"), (2048, "limit")),
    ],
    ids=["limits", "one limit", "no limits", "of two containers", "of one of two", "of the pod"],
)
async def test_a_pod_may_use_its_limit_else_what_its_node_has(
    limits: list[dict[str, str]], spec: dict[str, Any], cpu: tuple[float, str], memory: tuple[int, str]
) -> None:
    web = pod("web", *limits, **spec)
    found = await used([measured("shop/web", 0.25, 256)], [], pods=by_uid(web), nodes=by_uid(node("n1", "4", "8Gi")))
    usage = found["pods", "shop/web"]
    assert (usage.cpu_capacity, usage.cpu_basis) == cpu
    assert (usage.memory_capacity, usage.memory_basis) == (memory[0] * MEBIBYTE, memory[1])
    assert (usage.cpu, usage.memory) == (0.25, 256 * MEBIBYTE)


async def test_of_a_pod_without_limits_on_a_node_that_is_not_known_there_is_no_share() -> None:
    found = await used([measured("shop/web", 0.25, 256)], [], pods=by_uid(pod("web")))
    assert found["pods", "shop/web"].cpu_share is None
    assert found["pods", "shop/web"].memory_basis == ""


async def test_a_node_may_use_what_it_has_for_pods() -> None:
    found = await used([], [measured("n1", 1.0, 2048), measured("gone", 1.0, 1)], nodes=by_uid(node("n1", "4", "8Gi")))
    assert [key for _, key in found] == ["n1"]
    usage = found["nodes", "n1"]
    assert (usage.cpu_share, usage.memory_share, usage.cpu_basis) == (0.25, 0.25, "allocatable")


async def test_pods_are_summed_up_for_their_namespace_and_all_their_owners() -> None:
    demo = row_of(MYDEMOS, made("Mydemo", "demo", api_version="crddemo.k8s.io/v1"))
    deployment = row_of(
        "deployments.apps", made("Deployment", "dep", api_version="apps/v1", **controller("Mydemo", "demo"))
    )
    replica_sets = [
        row_of("replicasets.apps", made("ReplicaSet", name, api_version="apps/v1", **controller("Deployment", "dep")))
        for name in ("new", "old")
    ]
    limit = {"cpu": "1", "memory": "512Mi"}
    pods = [pod("a", limit, owner="new"), pod("b", limit, owner="new"), pod("c", {"memory": "512Mi"}, owner="old")]
    kinds = {
        "deployments_apps": by_uid(deployment),
        "replicasets_apps": by_uid(*replica_sets),
        MYDEMOS: by_uid(demo),
    }
    amounts = [measured("shop/a", 0.1, 100, NOW - 9, 30), measured("shop/b", 0.2, 200), measured("shop/c", 0.4, 300)]
    found = await used(amounts, [], pods=by_uid(*pods), **kinds)
    new, old = found["replicasets.apps", "shop/new"], found["replicasets.apps", "shop/old"]
    assert new.cpu == pytest.approx(0.3)
    assert (new.memory, new.cpu_capacity, new.memory_share) == (300 * MEBIBYTE, 2.0, 300 / 1024)
    assert (old.cpu_share, old.memory_share) == (None, 300 / 512)
    for place in (("deployments.apps", "shop/dep"), (MYDEMOS, "shop/demo"), ("namespaces", "shop")):
        total = found[place]
        assert total.cpu == pytest.approx(0.7)
        assert total.memory == 600 * MEBIBYTE
        assert (total.at, total.window) == (NOW - 9, 30)
        assert (total.cpu_share, total.memory_share) == (None, 600 / 1536)


async def test_owners_in_a_cycle_are_summed_up_once_each_step() -> None:
    first = row_of("deployments.apps", made("Deployment", "a", api_version="apps/v1", **controller("ReplicaSet", "b")))
    second = row_of("replicasets.apps", made("ReplicaSet", "b", api_version="apps/v1", **controller("Deployment", "a")))
    kinds = {"deployments_apps": by_uid(first), "replicasets_apps": by_uid(second)}
    found = await used([measured("shop/web", 0.5, 10)], [], pods=by_uid(pod("web", owner="b")), **kinds)
    assert found["deployments.apps", "shop/a"].cpu == 0.5
    assert found["replicasets.apps", "shop/b"].cpu == 0.5


async def test_what_an_earlier_pod_of_the_name_used_is_not_its_own() -> None:
    web = pod("web")
    assert web.created is not None
    before, after = (measured("shop/web", 1.0, 1, web.created + seconds) for seconds in (-1, 1))
    assert await used([before], [], pods=by_uid(web)) == {}
    assert ("pods", "shop/web") in await used([after], [], pods=by_uid(web))
    assert await used([measured("shop/other", 1.0, 1)], [], pods=by_uid(web)) == {}


@pytest.mark.parametrize(
    ("phase", "node", "unmeasured"),
    [("Running", "n1", 1), ("Pending", "n1", 1), ("Pending", "", 0), ("Succeeded", "n1", 0), ("Failed", "n1", 0)],
)
async def test_a_sum_counts_the_pods_that_may_run_and_were_not_measured(phase: str, node: str, unmeasured: int) -> None:
    replica_set = row_of("replicasets.apps", made("ReplicaSet", "web", api_version="apps/v1"))
    other = made("Pod", "b", spec={"nodeName": node}, status={"phase": phase}, **controller("ReplicaSet", "web"))
    rows = {"pods": by_uid(pod("a", owner="web"), row_of("pods", other)), "replicasets_apps": by_uid(replica_set)}
    found = await used([measured("shop/a", 0.5, 10)], [], **rows)
    for place in (("namespaces", "shop"), ("replicasets.apps", "shop/web")):
        assert (found[place].pods, found[place].unmeasured) == (1, unmeasured)
        assert found[place].cpu == 0.5
    both = await used([measured("shop/a", 0.5, 10), measured("shop/b", 0.5, 10)], [], **rows)
    assert (both["namespaces", "shop"].pods, both["namespaces", "shop"].unmeasured) == (2, 0)
    assert await used([], [], **rows) == {}, "of nothing measured there is no sum"
