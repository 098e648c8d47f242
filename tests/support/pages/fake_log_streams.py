"""Logs of a site without a cluster: each container has written one line, and a test sees which of them are followed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

from dashboard.live.logs.container_stream import ContainerId
from dashboard.live.logs.container_streams import TooManyStreams
from dashboard.live.logs.log_ring import LogRing
from informerd.logs.log_events import LogEvent, LogLines
from tests.support.objects.rows import Json, made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page

LINE = b"2026-11-28T07:00:00.000000001Z hello from "


class FakeLogStreams:
    """Stands for LogStreams, without a `run`."""

    def __init__(
        self, most: int = 1000, lines: Mapping[str, Sequence[bytes]] = MappingProxyType({}), long: str = ""
    ) -> None:
        """`lines` of containers, by their names; the log of `long` has older ones, too."""
        self.followed: list[ContainerId] = []
        self._most = most
        self._lines = lines
        self._long = long

    def join(self, container: ContainerId, listener: object) -> tuple[Any, list[LogEvent]]:
        if len(self.followed) >= self._most:
            raise TooManyStreams("there is no room for one more")
        self.followed.append(container)
        is_long = container.container == self._long
        lines = self._lines.get(container.container, [LINE + container.pod.encode()])
        stream = SimpleNamespace(
            container=container,
            has_ended=False,
            wait_until_begun=self._begun,
            begins_within=is_long,
            ring=LogRing(2**20),
        )
        return stream, [LogLines(container.container, lines)]

    async def _begun(self, seconds: float) -> None:
        """It has begun."""

    def leave(self, stream: Any, listener: object) -> None:
        self.followed.remove(stream.container)


class LogsSite(Site):
    """A site whose pods have logs."""

    def __init__(self, *objects: tuple[str, Json], streams: FakeLogStreams | None = None) -> None:
        super().__init__(*objects)
        self.streams = streams or FakeLogStreams()
        self.parts.log_streams = self.streams  # type: ignore[attr-defined]  # read by AttributeState

    async def page(self, path: str, **headers: str) -> str:
        """The page at this address; time passes while it waits for the first lines."""
        request = asyncio.create_task(page(self, path, 200, **headers))
        while not request.done():
            await self.clock.advance(0.05)
        return await request


def logging_pod(name: str, containers: int = 1, **metadata: object) -> tuple[str, Json]:
    names = ["main"] if containers == 1 else [f"main-{number}" for number in range(containers)]
    spec = {"containers": [{"name": each, "image": "main:1"} for each in names]}
    return "pods", made("Pod", name, namespace="shop", metadata=metadata, spec=spec, status={"phase": "Running"})
