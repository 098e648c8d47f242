"""Clusters that tests may harm, with programs running on them: the real one and the demo one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from devcluster.kubeconfig import write_kubeconfig
from tests.support.cluster_terminal import Terminal
from tests.support.controlplane import ControlPlane
from tests.support.long_tests import long_but
from tests.support.program import ROOT
from tests.support.restartable_api_servers import Cluster, DemoCluster, RealCluster

DEFINITION = ROOT / "deploy" / "crd" / "mydemos.yaml"
NAME = "mydemos.crddemo.k8s.io"


class FragileTerminal(Terminal):
    """A terminal at a cluster that can be killed; it begins without the definition of Mydemos."""

    def __init__(self, kubeconfig: Path, cluster: Cluster, *, controlplane: ControlPlane | None = None) -> None:
        super().__init__(kubeconfig, controlplane=controlplane)
        self.cluster = cluster

    async def define(self) -> None:
        """Have the API server know Mydemos, and wait until it serves them."""
        await self.do("create", "--validate=false", f"--filename={DEFINITION}")
        await self.do("wait", "--for=condition=Established", f"crd/{NAME}", "--timeout=20s")


@asynccontextmanager
async def fragile_demo(directory: Path) -> AsyncIterator[FragileTerminal]:
    """The demo cluster's API server, in this process, whose data outlive it."""
    cluster, kubeconfig = DemoCluster(), directory / "kubeconfig"
    await cluster.start_again()
    try:
        authority, token = cluster.config.tls.ca_data, cluster.config.credentials.token
        write_kubeconfig(kubeconfig, server=cluster.config.server, authority=authority, token=token)
        terminal = FragileTerminal(kubeconfig, cluster)
        await terminal.do("delete", "crd", NAME)
        yield terminal
    finally:
        await cluster.kill()


@pytest.fixture(params=long_but(["kube-apiserver", "demo cluster"], "kube-apiserver"))
async def fragile(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FragileTerminal]:
    """Each of the two in turn, for one test."""
    if request.param == "demo cluster":
        async with fragile_demo(tmp_path) as terminal:
            yield terminal
        return
    controlplane: ControlPlane = request.getfixturevalue("own_controlplane")
    yield FragileTerminal(controlplane.kubeconfig, RealCluster(controlplane), controlplane=controlplane)
