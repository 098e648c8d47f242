"""Tests of counting with limit=1, which equals a whole list, on the real API server."""

from __future__ import annotations

import pytest

from dashboard.live.object_counts.count_request import count
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane

LEVELS = Resource(
    group="flowcontrol.apiserver.k8s.io", version="v1", plural="prioritylevelconfigurations", kind="X", namespaced=False
)
CLASSES = Resource(group="scheduling.k8s.io", version="v1", plural="priorityclasses", kind="X", namespaced=False)
ATTACHMENTS = Resource(group="storage.k8s.io", version="v1", plural="volumeattachments", kind="X", namespaced=False)


@pytest.mark.parametrize("resource", [LEVELS, CLASSES, ATTACHMENTS], ids=lambda each: each.plural)
async def test_the_count_is_that_of_a_whole_list(controlplane: ControlPlane, resource: Resource) -> None:
    """Kinds of which the API server has some by itself, and one of which nobody here makes any."""
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        whole = len((await client.list(resource)).object()["items"])
        assert await count(client, resource) == whole
        assert (whole > 1) == (resource is not ATTACHMENTS)
