"""What an eviction that the API server answers with 409 came to: the pod itself tells."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest

from dashboard.evictions.eviction import Gone, Held, evict
from dashboard.repeats import AGAIN_AFTER
from informerd.errors import Conflict, Status
from informerd.rest.client import Client
from tests.controlplane import ControlPlane
from tests.quick.objects import pod


async def test_after_a_conflict_the_pod_itself_tells_whether_it_changed_is_another_one_or_gone(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    uid = cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod("web-1"))["metadata"]["uid"]
    words = "the object has been modified; please apply your changes to the latest version and try again"
    conflict = Conflict(Status(code=409, reason="Conflict", message=words))
    # the API server itself loses this race only now and then, and tries for ten seconds where the uid is another one
    monkeypatch.setattr(Client, "create", AsyncMock(side_effect=conflict))
    assert await evict(parts.client, namespace, "web-1", uid) == Held(words, by_budget=False, again_after=AGAIN_AFTER)
    assert await evict(parts.client, namespace, "web-1", "another") == Gone(replaced=True)
    cluster.request("DELETE", f"/api/v1/namespaces/{namespace}/pods/web-1", {"gracePeriodSeconds": 0})
    assert await evict(parts.client, namespace, "web-1", uid) == Gone(replaced=False)
