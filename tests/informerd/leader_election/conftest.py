"""Fixtures with API servers for elections."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.restartable_api_servers import DemoCluster


@pytest.fixture(params=[pytest.param("real", marks=pytest.mark.controlplane), "demo"])
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[ClusterConfig]:
    """The real API server, and the demo cluster."""
    if request.param == "real":
        controlplane: ControlPlane = request.getfixturevalue("controlplane")
        yield load_kubeconfig(controlplane.kubeconfig)
        return
    demo = DemoCluster()
    await demo.start_again()
    yield demo.config
    await demo.kill()
