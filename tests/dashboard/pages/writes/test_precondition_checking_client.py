"""Tests of the client that checks the preconditions of every write in the tests of writing pages."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.objects.kinds.catalog import KINDS
from tests.support.controlplane import ControlPlane

MYDEMOS = KINDS["mydemos.crddemo.k8s.io"].resource


async def test_no_write_passes_that_is_not_about_one_state_of_one_object(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, one: str
) -> None:
    client, before = parts.client, cluster.get(one)
    uid, version = before["metadata"]["uid"], before["metadata"]["resourceVersion"]
    for metadata in ({}, {"uid": uid}, {"resourceVersion": version}):
        changed = {**before, "metadata": {"name": "one", **metadata}}
        with pytest.raises(AssertionError, match=r"PUT .* could be about what nobody saw"):
            await client.update(MYDEMOS, changed, namespace)
        with pytest.raises(AssertionError, match="PATCH"):
            await client.patch(MYDEMOS, "one", namespace, {"metadata": metadata})
    for conditions in ({}, {"uid": uid}, {"resource_version": version}):
        with pytest.raises(AssertionError, match="DELETE"):
            await client.delete(MYDEMOS, "one", namespace, **conditions)
    assert cluster.get(one) == before
    await client.delete(MYDEMOS, "one", namespace, uid=uid, resource_version=version)
