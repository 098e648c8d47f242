"""Tests of effects that only the deletion of a pod has."""

from __future__ import annotations

from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.workloads_and_budgets import READY, hold, pod


async def test_a_budget_that_an_eviction_would_wait_for_is_named_for_a_deletion_asks_none(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("web-1", node="nowhere"))
    address = f"/resources/pods/{namespace}/web-1/"
    held = hold(cluster, namespace)
    assert "PodDisruptionBudget" not in (await browser.open(f"{address}delete/")).text, "of one that has not begun"
    cluster.patch(f"{pods}/web-1/status", {"status": READY})
    page = await browser.open(f"{address}delete/")
    assert "The PodDisruptionBudget keep-web (at least 1 available) allows no disruption now" in page.text
    assert "An eviction would wait for it; a deletion does not." in page.text
    assert f'href="{address}do/evict/"' in page.body
    cluster.delete(held)
    assert "PodDisruptionBudget" not in (await browser.open(f"{address}delete/")).text
    page = await browser.press(page, "delete")
    assert "deletionTimestamp" in cluster.get(f"{pods}/web-1")["metadata"]


async def test_a_pod_is_shut_down_in_its_grace_period_and_forced_where_that_is_asked_for(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    containers = [{"name": "main", "image": "nginx:1"}]
    # a pod that was never given a node is gone at once: this one has one
    cluster.create(pods, {"metadata": {"name": "web"}, "spec": {"nodeName": "nowhere", "containers": containers}})
    path = f"/resources/pods/{namespace}/web/delete/"
    page = await browser.open(path)
    assert "30 s: its containers are asked to stop" in page.text
    page = await browser.press(page, "delete")
    assert "left of the grace period of 30 s" in page.text
    page = await browser.press(await browser.open(path), "check", grace="now")
    assert "--grace-period=0 --force" in page.text
    page = await browser.press(page, "delete", grace="now")
    assert "The API server no longer has it" in page.text
    assert not cluster.exists(f"{pods}/web")
