"""Tests of an eviction with a 409 response, whose outcome the pod itself shows."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest

from dashboard.pages.evictions.evict import Blocked, Gone, evict
from dashboard.runtime.request_retry import DEFAULT_RETRY_AFTER
from informerd.errors import Conflict, Status
from informerd.resource import PODS
from informerd.rest.client import Client
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import running
from tests.support.edit.workloads_and_budgets import budget, pod


async def test_after_a_conflict_the_pod_itself_tells_whether_it_changed_is_another_one_or_gone(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    uid = cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod("web-1"))["metadata"]["uid"]
    words = "the object has been modified; please apply your changes to the latest version and try again"
    conflict = Conflict(Status(code=409, reason="Conflict", message=words))
    # the API server itself loses this race only now and then, and tries for ten seconds where the uid is another one
    monkeypatch.setattr(Client, "create", AsyncMock(side_effect=conflict))
    assert await evict(parts.client, namespace, "web-1", uid) == Blocked(
        words, is_by_budget=False, retry_after=DEFAULT_RETRY_AFTER
    )
    assert await evict(parts.client, namespace, "web-1", "another") == Gone(replaced=True)
    cluster.request("DELETE", f"/api/v1/namespaces/{namespace}/pods/web-1", {"gracePeriodSeconds": 0})
    assert await evict(parts.client, namespace, "web-1", uid) == Gone(replaced=False)


async def test_an_eviction_of_another_version_would_use_up_the_budget_and_so_none_is_asked_for(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    """Why `evict` names the uid alone: should the API server ever look at the version first, it can name that, too."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    uid = cluster.create(pods, pod("web-1"))["metadata"]["uid"]
    cluster.patch(f"{pods}/web-1/status", running(), "strategic")
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    made = cluster.create(budgets, budget("web", "web", 0))
    numbers = {"disruptionsAllowed": 1, "currentHealthy": 1, "desiredHealthy": 0, "expectedPods": 1}
    seen = {"observedGeneration": made["metadata"]["generation"]}
    cluster.patch(f"{budgets}/web/status", {"status": numbers | seen})
    old = {"preconditions": {"uid": uid, "resourceVersion": "1"}}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web-1"}, "deleteOptions": old}
    with pytest.raises(Conflict):
        await parts.client.create(PODS, body, namespace, name="web-1", subresource="eviction")
    assert cluster.get(f"{budgets}/web")["status"]["disruptionsAllowed"] == 0
    held = await evict(parts.client, namespace, "web-1", uid)
    assert isinstance(held, Blocked)
    assert held.is_by_budget
