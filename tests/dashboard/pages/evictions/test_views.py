"""Tests of evicting one pod on the real API server: budgets are respected and named."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest

from informerd.errors import Unreachable
from tests.support.controlplane import ControlPlane
from tests.support.edit.lost_answers import LostAnswers
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.workloads_and_budgets import READY, budget, hold, pod, workload

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "1"}


async def test_a_pod_is_evicted_and_its_deletion_followed(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    uid = cluster.create(pods, pod("web-1", owner=OWNER))["metadata"]["uid"]
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    assert "ReplicaSet web-1 creates another one elsewhere" in page.text
    assert "The API server has just accepted a dry run of this." in page.text
    page = await browser.press(page, "evict")
    assert (page.status, page.location) == (303, f"/resources/pods/{namespace}/web-1/delete/?uid={uid}")
    assert not cluster.exists(f"{pods}/web-1")


async def test_a_budget_that_holds_it_is_named_with_its_numbers_and_it_is_tried_again(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("web-1", node="nowhere", owner=OWNER))
    cluster.patch(f"{pods}/web-1/status", {"status": READY})
    held = hold(cluster, namespace)
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    words = (
        "The PodDisruptionBudget keep-web (at least 1 available) allows no disruption now: 1 of its 1 pods are healthy"
    )
    assert words in page.text
    page = await browser.press(page, "evict")
    assert page.status == 429
    assert words in page.text
    assert "Sending again" in page.text
    assert "deletionTimestamp" not in cluster.get(f"{pods}/web-1")["metadata"]
    cluster.delete(held)
    page = await browser.press(page, "do")
    assert page.status == 303
    assert "deletionTimestamp" in cluster.get(f"{pods}/web-1")["metadata"]


async def test_no_budget_is_said_to_hold_a_pod_that_the_api_server_lets_go(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    held = hold(cluster, namespace)
    for name in ("web-pending", "web-unready"):
        cluster.create(pods, pod(name, "nowhere", OWNER))
    cluster.patch(f"{pods}/web-unready/status", {"status": {"phase": "Running"}})
    for name in ("web-pending", "web-unready"):
        page = await browser.open(f"/resources/pods/{namespace}/{name}/do/evict/")
        assert "No PodDisruptionBudget holds it." in page.text
        assert "The API server has just accepted a dry run of this." in page.text
    cluster.patch(f"{held}/status", {"status": {"currentHealthy": 0}})
    page = await browser.open(f"/resources/pods/{namespace}/web-unready/do/evict/")
    assert "The PodDisruptionBudget keep-web" in page.text
    assert "The API server would refuse it now" in page.text
    cluster.patch(held, {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}})
    page = await browser.open(f"/resources/pods/{namespace}/web-unready/do/evict/")
    assert "No PodDisruptionBudget holds it." in page.text
    cluster.create(held.rpartition("/")[0], budget("keep-too", "web", 1))
    page = await browser.open(f"/resources/pods/{namespace}/web-unready/do/evict/")
    assert "Several PodDisruptionBudgets select it" in page.text
    assert "The PodDisruptionBudget keep-web" in page.text
    assert "The PodDisruptionBudget keep-too" in page.text
    assert "The API server would refuse it" in page.text
    assert "more than one PodDisruptionBudget" in page.text


async def test_where_budgets_cannot_be_read_none_is_said_to_be_missing(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod("web-1", "nowhere", OWNER))
    cluster.patch(f"/api/v1/namespaces/{namespace}/pods/web-1/status", {"status": READY})
    monkeypatch.setattr(parts.client, "list", AsyncMock(side_effect=Unreachable("connection refused")))
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    assert "Whether a PodDisruptionBudget holds it is not known: they could not be read." in page.text
    assert "No PodDisruptionBudget" not in page.text


async def test_of_a_mirror_pod_only_the_object_is_said_to_go(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    static = pod("web-static", "nowhere")
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "1"}
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", static)
    page = await browser.open(f"/resources/pods/{namespace}/web-static/do/evict/")
    assert "its containers keep running, and the kubelet creates the object again" in page.text
    assert "It is shut down" not in page.text


async def test_what_nobody_makes_again_has_to_be_agreed_to(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("alone", volumes=[{"name": "scratch", "emptyDir": {}}]))
    page = await browser.open(f"/resources/pods/{namespace}/alone/do/evict/")
    values = {name: value for name, value in page.form.values.items() if name not in ("emptydir", "unmanaged")}
    page = await browser.send(page.form.action or f"/resources/pods/{namespace}/alone/do/evict/", values)
    assert page.status == 422
    assert cluster.exists(f"{pods}/alone")
    page = await browser.press(page, "evict", emptydir="yes", unmanaged="yes")
    assert page.status == 303


async def test_a_daemon_sets_pod_comes_back_on_its_node_but_not_what_it_kept_nor_past_its_budget(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    pods, sets = f"/api/v1/namespaces/{namespace}/pods", f"/apis/apps/v1/namespaces/{namespace}/daemonsets"
    made = cluster.create(sets, workload("log"))
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "log", "uid": made["metadata"]["uid"]}
    cluster.create(pods, pod("web-log", "nowhere", owner, volumes=[{"name": "scratch", "emptyDir": {}}]))
    cluster.patch(f"{pods}/web-log/status", {"status": READY})
    hold(cluster, namespace)
    page = await browser.open(f"/resources/pods/{namespace}/web-log/do/evict/")
    assert "it is evicted; DaemonSet log creates another one on the same node; the data in its emptyDir" in page.text
    assert "The PodDisruptionBudget keep-web" in page.text
    assert "emptydir" in page.body
    assert "nothing recreates it" not in page.text
    cluster.delete(f"{sets}/log")
    page = await browser.open(f"/resources/pods/{namespace}/web-log/do/evict/")
    assert "DaemonSet log does not exist any more, so nothing recreates it" in page.text
    assert 'name="unmanaged"' in page.body


async def test_another_pod_of_the_name_is_left_alone(browser: Browser, cluster: ControlPlane, namespace: str) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("web-1", owner=OWNER))
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    cluster.delete(f"{pods}/web-1")
    cluster.create(pods, pod("web-1", owner=OWNER))
    page = await browser.press(page, "evict")
    assert page.status == 409
    assert f"Evict {namespace}/web-1" in page.text
    assert "another one has its name now" in page.text
    assert cluster.exists(f"{pods}/web-1")


async def test_pressed_while_the_api_server_is_down_it_is_sent_again_with_a_countdown(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("web-1", owner=OWNER))
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    request = parts.client.request
    parts.client.request = AsyncMock(side_effect=Unreachable("connection refused"))
    page = await browser.press(page, "evict")
    assert (page.status, "Sending again in 5 s (try 1 of 10)" in page.text) == (503, True)
    given_up = await browser.send(page.form.action, {**page.form.values, "tries": "10"})
    assert "The API server is unreachable" in given_up.text
    lost = await browser.send(page.form.action, {**page.form.values, "lost": "yes", "tries": "10"})
    assert "It may or may not be evicted." in lost.text
    assert "Asking again in 5 s (try 11)" in lost.text
    parts.client.request = request
    page = await browser.press(lost, "do")
    assert page.status == 303


async def evict_with_a_lost_answer(browser: Browser, parts: SimpleNamespace, namespace: str, **losing: bool) -> Page:
    """The page of an eviction whose answer was lost."""
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    request = parts.client.request
    parts.client.request = LostAnswers(parts.client, method="POST", **losing).request
    page = await browser.press(page, "evict")
    parts.client.request = request
    return page


@pytest.mark.parametrize("on_node", ["", "nowhere"], ids=["gone at once", "ending"])
async def test_an_eviction_whose_answer_was_lost_is_found_by_reading(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, on_node: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    uid = cluster.create(pods, pod("web-1", on_node, OWNER))["metadata"]["uid"]
    page = await evict_with_a_lost_answer(browser, parts, namespace, arrives=True, stays_down=False)
    assert (page.status, page.location) == (303, f"/resources/pods/{namespace}/web-1/delete/?uid={uid}")


async def test_an_eviction_that_was_lost_is_said_not_to_be_done_and_is_sent_again(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.create(pods, pod("web-1", owner=OWNER))
    page = await evict_with_a_lost_answer(browser, parts, namespace, arrives=False, stays_down=False)
    assert page.status == 503
    assert "Sending again in 5 s (try 1 of 10)" in page.text
    assert cluster.exists(f"{pods}/web-1")
    page = await browser.press(page, "do")
    assert page.status == 303
    assert not cluster.exists(f"{pods}/web-1")


async def test_while_nothing_can_be_read_nobody_says_that_an_eviction_is_done_or_not(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod("web-1", owner=OWNER))
    page = await evict_with_a_lost_answer(browser, parts, namespace, arrives=True)
    assert "It may or may not be evicted." in page.text
    page = await browser.press(page, "do")
    assert page.status == 303
