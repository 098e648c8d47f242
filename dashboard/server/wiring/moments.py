"""Builds what shows moments of the past in a web process, from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from dashboard.cluster.connection import Connection
from dashboard.live.history.cluster_identity import (
    RETRY,
    ask_cluster_identity,
    connection_key,
    is_away,
    remembered_identity,
)
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.reader import HistoryReader
from dashboard.live.hub.heartbeat_message import ClusterInfoSource
from dashboard.live.moments.at_parameter import keep_moment
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.list_comparisons import ListComparisons
from dashboard.live.moments.moments import Moments
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.live.replication.scoped_replicas import FindKind
from dashboard.runtime.background_tasks import cancel_all
from dashboard.server.wiring.history import build_parts
from informerd.clock import Clock, within
from informerd.errors import InformerdError
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig

CHECK_INTERVAL = 1.0
"""Seconds between two looks at which cluster is chosen."""
REMEMBERED = (
    "The API server has not said yet which cluster this is: history is that of the cluster that was recorded last by "
    "the same address, certificate authority and context."
)


class PastMoments:
    """The moments of the connected cluster. `run` finds out which history is its own.

    While the API server is away, that is the history of the cluster that was recorded last by the same connection:
    only where all have the rights of the account, because it cannot say what others may see.
    """

    def __init__(
        self,
        connection: Connection,
        replicas: ReplicaSource,
        clock: Clock,
        *,
        cluster: ClusterInfoSource,
        find_kind: FindKind,
        drop_views: Callable[[], None] = lambda: None,
    ) -> None:
        """`drop_views` ends the views of the present, which have lines of history, too."""
        self._drop_views = drop_views
        self._parts = build_parts()
        self._connection = connection
        self._clock = clock
        self._reader: HistoryReader | None = None
        self._is_verified = False
        """Whether the API server has said that the history is the cluster's."""
        self.history = HistoryObjects(lambda: self._reader, clock)
        self.list_comparisons = ListComparisons(self.history, clock)
        self.moments = Moments(
            replicas, self.history, clock, _renderer, note=lambda: self.note, cluster=cluster, find_kind=find_kind
        )

    @property
    def is_readable(self) -> bool:
        """Whether it is known, or remembered, which history is the cluster's."""
        return self._reader is not None

    @property
    def note(self) -> str:
        """That the cluster's identity is remembered and not verified, as a sentence; else empty."""
        return REMEMBERED if self._reader is not None and not self._is_verified else ""

    async def run(self) -> None:
        """Read the cluster's identity, again where another one is chosen, and keep the moments, until cancelled."""
        keeping = asyncio.create_task(self.moments.run(), name="moments of the past")
        try:
            client: Client | None = None
            asked_at = float("-inf")
            while True:
                if self._connection.client is not client:
                    client, asked_at = self._connection.client, float("-inf")
                    await self._read("", is_verified=False)
                if client is not None and not self._is_verified and self._clock.now() - asked_at >= RETRY:
                    await self._identify(client)
                    asked_at = self._clock.now()
                if self._connection.client is client:
                    await self._clock.sleep(CHECK_INTERVAL)
        finally:
            keeping.cancel()
            await asyncio.wait((keeping,))
            await self.list_comparisons.drop_all()

    async def _identify(self, client: Client) -> None:
        """Ask for the cluster's identity, until another client is chosen: an answer may take long, or never come."""
        asking = asyncio.create_task(self._ask(client), name="asking for the cluster's identity")
        try:
            while not asking.done() and self._connection.client is client:
                with suppress(TimeoutError):
                    async with within(CHECK_INTERVAL, self._clock):
                        await asyncio.wait((asking,))
        finally:
            await cancel_all((asking,))
        if self._connection.client is client:
            identity, is_verified = asking.result()
            await self._read(identity, is_verified=is_verified)

    async def _ask(self, client: Client) -> tuple[str, bool]:
        """The identity, empty where it is not known, and whether the API server has said it."""
        cluster = self._connection.cluster
        try:
            return await ask_cluster_identity(client, cluster.server), True
        except (InformerdError, TimeoutError) as error:
            if not is_away(error) or settings.DELTABOARD_RIGHTS != "account":
                return "", False
        return self._reader.cluster if self._reader is not None else await self._remembered(cluster), False

    async def _read(self, identity: str, *, is_verified: bool) -> None:
        """Read the history of this cluster; of none where `identity` is empty."""
        if self._reader is not None and self._reader.cluster != identity:
            self._reader = None
            await self.moments.drop_all()
            await self.list_comparisons.drop_all()
            self._drop_views()
        if self._reader is None and identity:
            self._reader = HistoryReader(self._parts, identity)
        self._is_verified = is_verified

    async def _remembered(self, cluster: ClusterConfig) -> str:
        try:
            return await asyncio.to_thread(remembered_identity, self._parts, connection_key(cluster))
        except HistoryUnavailable:  # it is tried again
            return ""


def build_moments(
    connection: Connection,
    replicas: ReplicaSource,
    clock: Clock,
    *,
    cluster: ClusterInfoSource,
    find_kind: FindKind,
    drop_views: Callable[[], None] = lambda: None,
) -> PastMoments | None:
    """None where DELTABOARD_HISTORY is off."""
    if not settings.DELTABOARD_HISTORY:
        return None
    return PastMoments(connection, replicas, clock, cluster=cluster, find_kind=find_kind, drop_views=drop_views)


def _renderer(at: float) -> Callable[..., str]:
    def render(template_name: str, context: dict[str, Any]) -> str:
        return keep_moment(render_to_string(template_name, context), at)

    return render
