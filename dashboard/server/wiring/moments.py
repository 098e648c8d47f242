"""Builds what shows moments of the past in a web process, from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from dashboard.cluster.connection import Connection
from dashboard.live.history.cluster_identity import read_cluster_identity
from dashboard.live.history.reader import HistoryReader
from dashboard.live.hub.heartbeat_message import ClusterInfoSource
from dashboard.live.moments.at_parameter import keep_moment
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.list_comparisons import ListComparisons
from dashboard.live.moments.moments import Moments
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.live.replication.scoped_replicas import FindKind
from dashboard.server.wiring.history import build_parts
from informerd.clock import Clock
from informerd.rest.client import Client


class PastMoments:
    """The moments of the connected cluster. `run` finds out which history is its own."""

    def __init__(
        self,
        connection: Connection,
        replicas: ReplicaSource,
        clock: Clock,
        *,
        cluster: ClusterInfoSource,
        find_kind: FindKind,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._reader: HistoryReader | None = None
        self.history = HistoryObjects(lambda: self._reader, clock)
        self.list_comparisons = ListComparisons(self.history, clock)
        self.moments = Moments(replicas, self.history, clock, _renderer, cluster=cluster, find_kind=find_kind)

    @property
    def is_readable(self) -> bool:
        """Whether it is known which history is the cluster's."""
        return self._reader is not None

    async def run(self) -> None:
        """Read the cluster's identity, again where another one is chosen, and keep the moments, until cancelled."""
        keeping = asyncio.create_task(self.moments.run(), name="moments of the past")
        try:
            client: Client | None = None
            while True:
                if self._connection.client is not client:
                    client, self._reader = self._connection.client, None
                    self.moments.drop_all()
                    await self.list_comparisons.drop_all()
                    if client is not None:
                        identity = await read_cluster_identity(client, self._connection.cluster.server, self._clock)
                        self._reader = HistoryReader(build_parts(), identity)
                await self._clock.sleep(1.0)
        finally:
            keeping.cancel()
            await asyncio.wait((keeping,))
            await self.list_comparisons.drop_all()


def build_moments(
    connection: Connection, replicas: ReplicaSource, clock: Clock, *, cluster: ClusterInfoSource, find_kind: FindKind
) -> PastMoments | None:
    """None where DELTABOARD_HISTORY is off."""
    if not settings.DELTABOARD_HISTORY:
        return None
    return PastMoments(connection, replicas, clock, cluster=cluster, find_kind=find_kind)


def _renderer(at: float) -> Callable[..., str]:
    def render(template_name: str, context: dict[str, Any]) -> str:
        return keep_moment(render_to_string(template_name, context), at)

    return render
