"""Web process with a made-up cluster: real pages, hub, consumer and daphne, with changes at any rate.

`web_process_with_changing_feed` and `web_process_with_changing_rows` are its programs. Its import installs daphne's
reactor, which has to come before any other import of Twisted.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

from dashboard.server.daphne import bind_socket, install_reactor, serve  # noqa: E402

install_reactor()

from channels.db import aclose_old_connections  # noqa: E402, F401 -- before daphne imports it with another reactor
from channels.layers import InMemoryChannelLayer  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402

from dashboard.access.rights import RIGHTS, UNLIMITED  # noqa: E402
from dashboard.cluster.connection import CONNECTION  # noqa: E402
from dashboard.live.hub.hub import (  # noqa: E402
    HUB,
    Hub,
)
from dashboard.live.hub.on_demand_kinds import (  # noqa: E402
    INTEREST,
    Interest,
)
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS  # noqa: E402
from dashboard.live.object_counts.worker_client import ObjectCountsClient  # noqa: E402
from dashboard.live.replication.messages import Frame, InterestMessage, SnapshotChunk  # noqa: E402
from dashboard.live.replication.replica import Replica  # noqa: E402
from dashboard.live.replication.replicas import REPLICAS  # noqa: E402
from dashboard.objects.kinds.catalog import KindInfo, parse_kinds  # noqa: E402
from dashboard.objects.kinds.feed_entry import Entry, Operation  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.pages.controllers.worker_client import (  # noqa: E402
    CONTROLLERS_CLIENT,
    ControllersClient,
)
from dashboard.runtime.app_state import (  # noqa: E402
    CLOCK,
    SCOPE_KEY,
    AppState,
)
from dashboard.runtime.concurrency_limit import Limits  # noqa: E402
from dashboard.server.consumers import LiveConsumer  # noqa: E402
from dashboard.server.live_view_quotas import VIEW_QUOTAS, ViewQuotas  # noqa: E402
from dashboard.server.socket_limits import SOCKET_LIMITS, SocketLimits  # noqa: E402
from informerd.cache.health import Health  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.rest.load_config import ClusterConfig  # noqa: E402

KINDS = parse_kinds(["pods", "events", "namespaces"])
FRAMES_A_SECOND = 20
"""As many as a worker's ticks."""


class FakeReplicaSource:
    """One kind's replica, and the source of its frames."""

    def __init__(self, key: str, clock: SystemClock, epoch: str) -> None:
        self.replica = Replica(key, clock)
        self._clock = clock
        self._epoch = epoch
        self._live_since = clock.time()
        self._seq = self._entries = 0
        self.send()
        self.replica.receive_chunk(SnapshotChunk(key, epoch, 0, "s", 0, 1, self._health()))

    def entry(self, row: Row, op: Operation, words: str, **more: Any) -> Entry:
        self._entries += 1
        head = (self._entries, self._clock.time(), op, row.namespace, row.name, row.uid, row.version, words, row.tone)
        owner = f"{row.owner[0]}/{row.owner[1]}" if row.owner else ""
        return Entry(*head, self._epoch, row.status, row.labels, owner, **more)

    def send(self, rows: tuple[Row, ...] = (), gone: tuple[str, ...] = (), entries: tuple[Entry, ...] = ()) -> None:
        """One frame; without anything the heartbeat."""
        self._seq += bool(rows or gone or entries)
        ops = [entry.op for entry in entries]
        rates = (ops.count("added"), ops.count("modified"), ops.count("deleted"))
        frame = (self.replica.key, self._epoch, self._seq, self._clock.time(), self._health(), rows, gone, entries)
        self.replica.receive_frame(Frame(*frame, rates))

    def tick(self) -> None:
        """Let time pass. Where this process stood still for so long that the replica asks, tell it what it has."""
        if self.replica.tick() is not None:
            now = (self.replica.key, self._epoch, self._seq, f"s{self._seq}", 0, 1, self._health())
            self.replica.receive_chunk(SnapshotChunk(*now, tuple(self.replica.rows.values())))

    def _health(self) -> Health:
        return Health(state="live", since=self._live_since, heard=self._clock.time())


class FakeReplicas:
    """All of them, as the hub knows them."""

    channel_problem = ""
    kinds = KINDS

    def __init__(self, clock: SystemClock) -> None:
        epoch = f"{int(clock.time() * 1000):013d}-bench"
        self.by_key = {kind.key: FakeReplicaSource(kind.key, clock, epoch) for kind in KINDS}

    def __iter__(self) -> Iterator[Replica]:
        return iter([source.replica for source in self.by_key.values()])

    def __contains__(self, key: str) -> bool:
        return key in self.by_key

    def get(self, key: str) -> Replica:
        return self.by_key[key].replica

    def follow(self, kind: KindInfo) -> None:
        """No other kinds here."""

    def unfollow(self, key: str) -> None:
        """Nor any that goes."""

    async def send_interest(self, want: InterestMessage) -> None:
        """Nobody is asked."""


@dataclass
class FakeConnection:
    """Part of dashboard.cluster.connection.Connection that pages use."""

    client: None = None
    discovery: None = None
    cluster: ClusterConfig = ClusterConfig(name="benchmark", server="https://nowhere", why="a benchmark")  # noqa: RUF009
    problem: str = ""
    kubeconfig: str = ""
    kubectl: str = ""
    is_demo: bool = False
    version: str = "v1.37.1"


class ChangeGenerator(Protocol):
    """Brings changes to the kinds."""

    def generate(self, number: int) -> None:
        """Generate that many changes in one step."""


def serve_changes(changing: Callable[[FakeReplicas], ChangeGenerator], rate: int) -> None:
    """Serve pages and sockets, print the port, and bring `rate` changes a second, in FRAMES_A_SECOND frames."""
    clock = SystemClock()
    sources = FakeReplicas(clock)
    layer = InMemoryChannelLayer()
    link = ControllersClient(layer, clock)
    hub = Hub(sources, clock, sources=(link.reports,))
    state = AppState(
        {
            CLOCK: clock,
            CONNECTION: FakeConnection(),
            CONTROLLERS_CLIENT: link,
            HUB: hub,
            INTEREST: Interest(sources, hub, clock),
            OBJECT_COUNTS: ObjectCountsClient(layer, clock),
            REPLICAS: sources,
            RIGHTS: UNLIMITED,
            SOCKET_LIMITS: SocketLimits(in_all=100_000, per_user=100_000),
            VIEW_QUOTAS: ViewQuotas(Limits(1_000_000, 1_000_000), clock, Counter()),
        }
    )
    changes = changing(sources)
    pages, sockets = get_asgi_application(), LiveConsumer.as_asgi()
    listening = bind_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    running: set[asyncio.Task[None]] = set()

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope = {**scope, SCOPE_KEY: state}
        await (sockets if scope["type"] == "websocket" else pages)(scope, receive, send)

    async def feed() -> None:
        due, number, frames = clock.now(), 0.0, 0
        while True:
            due, frames = due + 1 / FRAMES_A_SECOND, frames + 1
            number += rate / FRAMES_A_SECOND
            changes.generate(int(number))
            number -= int(number)
            for source in sources.by_key.values():
                source.tick()
            if frames % FRAMES_A_SECOND == 0:
                for source in sources.by_key.values():
                    source.send()
            await asyncio.sleep(max(0.0, due - clock.now()))

    async def started() -> None:
        running.update({asyncio.create_task(hub.run()), asyncio.create_task(feed())})
        print(f"port {port}", flush=True)

    serve(application, listening, on_started=started)
