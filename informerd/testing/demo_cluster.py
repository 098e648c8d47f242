"""Demo cluster for a test: an API server that starts within a second and ends with the test."""

from __future__ import annotations

from typing import Self

from informerd.clock import SystemClock
from informerd.rest.cluster_config import ClusterConfig
from informerd.testing.demo_process import DemoProcess
from informerd.testing.live_cluster import LiveCluster


class DemoCluster(LiveCluster):
    """A fresh demo cluster in a process of its own, empty but for its namespaces; with `workload`, alive.

    It serves deployments, pods and the other kinds of its docs by the real API server's rules, but nothing runs them:
    a test gives pods the status that it wants with `apply`. Raises ConfigError where it does not start.
    """

    def __init__(self, *, workload: bool = False) -> None:
        super().__init__(ClusterConfig(name="demo", server=""))
        self._process = DemoProcess(SystemClock(), options=() if workload else ("--no-workload",))

    async def __aenter__(self) -> Self:
        self.config = await self._process.start("a test asked for it")
        try:
            return await super().__aenter__()
        except BaseException:
            await self._process.stop()
            raise

    async def __aexit__(self, *_: object) -> None:
        try:
            await super().__aexit__()
        finally:
            await self._process.stop()
