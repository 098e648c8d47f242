"""API servers that a test can kill and start again: kube-apiserver and the demo cluster's, behind one protocol."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Protocol

from devcluster.certificates import make_certificates
from devcluster.crds import create_crds
from devcluster.demo_server import DemoServer
from devcluster.server.api_server_core import ApiServer
from informerd.rest.cluster_config import ClusterConfig, TlsConfig, UserConfig
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane


class Cluster(Protocol):
    """An API server that can be killed and loses nothing by it."""

    port: int

    @property
    def config(self) -> ClusterConfig:
        """How to reach it directly."""
        ...

    async def kill(self) -> None:
        """End it as a crash would."""

    async def start_again(self) -> None:
        """Start it on the same port with the same data, and wait until it answers."""

    async def compact(self) -> None:
        """Forget the history up to now, so that watches from before it expire."""


class RealCluster:
    """kube-apiserver and etcd."""

    def __init__(self, controlplane: ControlPlane) -> None:
        self.config = load_kubeconfig(controlplane.kubeconfig)
        self.port = controlplane.api_port
        self._controlplane = controlplane

    async def kill(self) -> None:
        await asyncio.to_thread(self._controlplane.kill)

    async def start_again(self) -> None:
        self._controlplane.launch_apiserver()  # from this thread: it ends with the one that starts it
        await asyncio.to_thread(self._controlplane.wait_until_ready)

    async def compact(self) -> None:
        """Compact etcd. An API server with a watch cache does not notice."""
        await asyncio.to_thread(self._controlplane.etcd.compact)


class DemoCluster:
    """The demo cluster's API server in this process, its workload at rest; `start_again` before use."""

    def __init__(self) -> None:
        self._certificates = make_certificates()
        self._garbage: asyncio.Task[None] | None = None
        self._core = ApiServer(now=time.time, rng=random.Random(1))
        create_crds(self._core)
        self._serving: DemoServer | None = None
        self.port = 0

    @property
    def config(self) -> ClusterConfig:
        return ClusterConfig(
            name="demo",
            server=f"https://127.0.0.1:{self.port}",
            tls=TlsConfig(ca_data=self._certificates.authority),
            credentials=UserConfig(token="token"),
        )

    async def start_again(self) -> None:
        serving = DemoServer(
            self._core, port=self.port, token="token", bookmark_seconds=0.5, certificates=self._certificates
        )
        self._serving = await serving.__aenter__()
        self._garbage = asyncio.create_task(self._core.garbage_collector.run())
        self.port = int(serving.url.rpartition(":")[2])

    async def kill(self) -> None:
        if self._serving is not None:
            await self._serving.__aexit__(None, None, None)
            self._serving = None
        if self._garbage is not None:
            self._garbage.cancel()
            await asyncio.gather(self._garbage, return_exceptions=True)
            self._garbage = None

    async def compact(self) -> None:
        self._core.store.compact()
