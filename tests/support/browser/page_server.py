"""Web process whose cluster the test controls: real pages, hub, consumer and daphne, made-up rows.

``python -m tests.support.browser.page_server`` prints its port. POST a JSON object to /control to change something, see
`Control`.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, get_args

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django
import msgspec

django.setup()

from dashboard.server import response_backpressure  # noqa: E402
from dashboard.server.daphne import bind_socket, install_reactor, serve  # noqa: E402

install_reactor()

from channels.db import aclose_old_connections  # noqa: E402, F401 -- before daphne imports it with another reactor
from channels.layers import InMemoryChannelLayer  # noqa: E402

from dashboard.live.hub.hub import Hub  # noqa: E402
from dashboard.live.hub.live_view import LiveView  # noqa: E402
from dashboard.live.hub.on_demand_kinds import Interest  # noqa: E402
from dashboard.live.object_counts.messages import KindCount, ObjectCounts  # noqa: E402
from dashboard.live.object_counts.worker_client import ObjectCountsClient  # noqa: E402
from dashboard.objects.kinds.catalog import KindInfo, find_kind, parse_kinds  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.objects.printers import columns_for  # noqa: E402
from dashboard.pages.controllers.worker_client import ControllersClient  # noqa: E402
from dashboard.pages.details.live_detail import LiveDetail  # noqa: E402
from dashboard.pages.drafts.store import DraftStore  # noqa: E402
from dashboard.pages.layout.page import cluster_info  # noqa: E402
from dashboard.pages.lists.live_list import LiveList  # noqa: E402
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits  # noqa: E402
from dashboard.runtime.quotas import Quotas, Work  # noqa: E402
from dashboard.server import daphne_server  # noqa: E402
from dashboard.server.socket_limits import SocketLimits  # noqa: E402
from informerd.cache.health import Health  # noqa: E402
from informerd.rest.load_config import ClusterConfig  # noqa: E402
from tests.support.browser.fast_forwarded_hours import HastenedClock, Hours  # noqa: E402
from tests.support.browser.page_server_application import Application  # noqa: E402
from tests.support.controllers.sample_worker import Sample  # noqa: E402
from tests.support.live.fake_usage import FakeUsage, usage  # noqa: E402
from tests.support.live.replica_feeder import EPOCH, Feeder, Feeders, pod  # noqa: E402
from tests.support.pages.app_state import AttributeState  # noqa: E402

KINDS = parse_kinds(["pods", "namespaces", "events"])


@dataclass
class Parts:
    """What the pages need of dashboard.server.wiring.web.Live."""

    replicas: Feeders
    hub: Hub
    clock: HastenedClock
    controllers: ControllersClient
    interest: Interest
    object_counts: ObjectCountsClient
    socket_limits: SocketLimits
    quotas: Quotas
    drafts: DraftStore
    client: None = None
    discovery: None = None
    cluster: ClusterConfig = ClusterConfig(name="test", server="https://nowhere", why="a test")  # noqa: RUF009
    problem: str = ""
    kubeconfig: str = ""
    version: str = "v1.37.1"

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self.replicas.kinds


class PatientServer(daphne_server.DaphneServer):
    """Leaves it to the application to end with its client; daphne ends it ten seconds later."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, application_close_timeout=3600, **kwargs)


class Control:
    """Each method is a command: ``{"do": "put", "rows": [{"name": "a", "restarts": 3}]}``."""

    def __init__(self, parts: Parts, sample: Sample, used: FakeUsage, born: float) -> None:
        self.parts = parts
        self.used = used
        self.sample = sample
        self.cured: set[str] = set()
        sample.is_cured = self.cured.__contains__
        self.born = born
        self.refuse = 0
        self.frozen = False
        self.closed: list[int] = []
        """Codes with which browsers have closed their sockets."""
        self._ticking: asyncio.Task[None] | None = None
        self._hours = Hours(parts.hub, parts.replicas, parts.clock)
        self._passing: asyncio.Task[None] | None = None
        self._occupied = AsyncExitStack()
        self.pages_open = 0
        self.body_bytes = 0
        """Requests of pages that are worked on, and the bytes that they have sent."""

    @property
    def pods(self) -> Feeder:
        return self.parts.replicas.feeders["pods"]

    def put(self, rows: list[dict[str, Any]]) -> None:
        self.pods.put(*map(self._row, rows))

    def measure(self, usages: list[dict[str, Any]]) -> None:
        """Pods use this, see `usage`."""
        self.used.state(*(usage(**each) for each in usages))

    def bulk(self, name: str, size: int) -> None:
        """One pod becomes an object of that many bytes that no compression makes small."""
        obj = {"kind": "Pod", "spec": {"noise": os.urandom(size // 2).hex(), "theEnd": "here"}}
        self.pods.put(self._row({"name": name, "version": 2, "obj": obj}))

    def _row(self, row: dict[str, Any]) -> Row:
        return pod(**{"created": self.born, **row})

    def drop(self, names: list[str]) -> None:
        self.pods.drop(*(f"uid-default-{name}" for name in names))

    def frame(self, rows: list[dict[str, Any]], gone: list[str]) -> None:
        """Rows and deletes in one frame."""
        self.pods.put_and_drop(map(self._row, rows), [f"uid-default-{name}" for name in gone])

    def say(self, number: int) -> None:
        self.pods.say(number)

    def health(self, state: Any, problem: str = "", retry_in: float = 3.0) -> None:
        now = self.parts.clock.time()
        live = state == "live"
        self.pods.beat(Health(state, now, now, problem, None if live else now + retry_in))

    def deafen(self, problem: str) -> None:
        """Report this problem of the channel layer; empty: none."""
        self.parts.replicas.channel_problem = problem

    def freeze(self) -> None:
        """The process goes on, but no socket hears anything."""
        self.frozen = True
        if self._ticking is not None:
            self._ticking.cancel()

    def thaw(self) -> None:
        self.frozen = False
        self._ticking = asyncio.create_task(self._tick())

    def forget(self) -> None:
        """Forget every view and token, as a new process would."""
        for watched in list(self.parts.hub.views.values()):
            for socket in list(watched.sockets):
                self.parts.hub.leave(socket)
        self.parts.hub.views.clear()

    def rename(self, salt: str) -> None:
        """Give each view another id, as a new version of the dashboard would."""
        self.forget()
        for kind in (LiveList, LiveDetail):
            kind.id_of = partial(_salted, kind, salt)  # type: ignore[method-assign]

    def skip(self) -> None:
        """Lose a frame: every view is at a state that no page has."""
        for watched in self.parts.hub.views.values():
            watched.view.number += 5

    def run_controllers(self, keys: list[str]) -> None:
        """Begin to run the controller ``sample``, and have these keys reconciled."""
        self.sample.runner.start()
        self.sample.put(*keys)

    async def end_controllers(self) -> None:
        """End the worker."""
        await self.sample.runner.stop()

    async def forget_controllers(self) -> None:
        """Be as if no worker had ever been heard."""
        await self.end_controllers()
        await asyncio.sleep(0.2)  # its last word may be on its way
        self.parts.controllers.reports._received.clear()

    def cure(self, name: str) -> None:
        """From now on reconciling keys of this name succeeds."""
        self.cured.add(name)

    def census(self, counts: dict[str, int | None], problems: dict[str, str] | None = None) -> None:
        """A worker reports these kinds, beside pods, with so many objects."""
        named = [KindCount(kind.resource) for kind in KINDS]
        now = self.parts.clock.time()
        for key, number in counts.items():
            kind = find_kind(key)
            assert kind is not None
            resource = msgspec.structs.replace(kind.resource, verbs=frozenset({"list", "watch"}))
            named.append(KindCount(resource, number, None if number is None else now, (problems or {}).get(key, "")))
        self.parts.object_counts.receive(ObjectCounts(EPOCH, tuple(named), "test-machine, process 7"))

    def name(self, names: list[str]) -> None:
        """The cluster has these namespaces."""
        self.parts.replicas.feeders["namespaces"].put(*map(self._namespace, names))

    def _namespace(self, name: str) -> Row:
        cells: dict[str, Any] = {"name": name, "status": "Active", "age": self.born}
        values = tuple(cells.get(column.id) for column in columns_for("namespaces"))
        return Row(f"uid-{name}", "", name, "1", self.born, "Active", "ok", values, {})

    def own(self, kubeconfig: str) -> None:
        """The cluster is the dashboard's own, and this file leads kubectl to it."""
        self.parts.kubeconfig = kubeconfig

    def look_at(self, key: str) -> None:
        """Somebody opens a page of a kind that nobody watched."""
        kind = find_kind(key)
        assert kind is not None
        assert self.parts.interest.follow(kind)

    def looked(self) -> bool:
        """Whether somebody has looked at dated counts."""
        return self.parts.object_counts._announced_at > 0

    async def close(self, code: int) -> None:
        """Close every socket with this code."""
        for socket in list(self.parts.hub.sockets):
            self.parts.hub.leave(socket)
            await socket.close(code)

    def turn_away(self, code: int) -> None:
        """From now on accept sockets only to close them with this code; 0: let them in again."""
        self.refuse = code

    def lose_patience(self) -> None:
        """Clients that read nothing are disconnected at once."""
        response_backpressure.SILENT_SECONDS = 0.0

    async def occupy_forms(self) -> None:
        """Forms get no turn from now on, and are refused at once."""
        forms = ConcurrencyLimit(Limits(1, 1), self.parts.clock, max_waiting=0)
        self.parts.quotas.by_work["forms"] = forms
        await self._occupied.enter_async_context(forms.slot(("somebody else",)))

    async def free_forms(self) -> None:
        """Forms get their turns again."""
        await self._occupied.aclose()

    def put_ahead(self, seconds: float) -> None:
        """Put the clock forward at once: what waits for a time finds it over."""
        self.parts.clock.ahead += seconds

    def pass_time(self, seconds: int) -> None:
        """Let so many seconds pass as fast as pages take them."""
        self.freeze()
        self._passing = asyncio.create_task(self._hours.pass_by(seconds))
        self._passing.add_done_callback(lambda _: self.thaw())

    def stats(self) -> dict[str, Any]:
        hub = self.parts.hub
        return {
            "sockets": len(hub.sockets),
            "opened": hub.metrics.sockets_opened,
            "windows": hub.metrics.windows_rendered,
            "messages": hub.metrics.messages,
            "beats": hub.metrics.heartbeats,
            "stops": hub.metrics.socket_stops,
            "given_up": hub.metrics.sockets_given_up,
            "aborted": hub.metrics.sockets_aborted,
            "waiting": max((socket.sent_units - socket.delivered_units for socket in hub.sockets), default=0),
            "browser_messages": hub.metrics.browser_messages,
            "refused": {str(code): number for code, number in hub.metrics.sockets_refused.items()},
            "closed": self.closed,
            "lived": self._hours.lived,
            "acknowledged": max((socket.acknowledged_units for socket in hub.sockets), default=0),
            "pages_open": self.pages_open,
            "body_bytes": self.body_bytes,
            "views": sorted({socket.view.id for socket in hub.sockets if socket.view is not None}),
        }

    async def _tick(self) -> None:
        running = asyncio.create_task(self.parts.hub.run())
        hearing = asyncio.create_task(self.parts.controllers.run())
        try:
            while True:
                for feeder in self.parts.replicas.feeders.values():
                    feeder.beat(feeder.health if feeder.health.state != "live" else None)
                    feeder.replica.tick()
                await asyncio.sleep(0.3)
        finally:
            running.cancel()
            hearing.cancel()


def _salted(kind: type[LiveView], salt: str, state: str) -> str:
    return hashlib.blake2b(f"{salt} {kind.template} {state}".encode(), digest_size=8).hexdigest()


def cluster_of(control: Control) -> dict[str, Any]:
    """What the heartbeat says of the cluster."""
    return asdict(cluster_info(AttributeState(control.parts)))


def main() -> None:
    clock = HastenedClock()
    born = float(int(clock.time()) - 60)
    feeders = Feeders(
        Feeder("pods", clock, [pod(f"pod-{index:03d}", created=born) for index in range(30)]),
        Feeder("namespaces", clock),
        Feeder("events", clock),
    )
    layer = InMemoryChannelLayer()
    link = ControllersClient(layer, clock)
    used = FakeUsage()
    used.is_served = False
    hub = Hub(
        feeders,
        clock,
        usage=used,
        connection_problem=lambda: feeders.channel_problem,
        cluster=lambda: cluster_of(control),
        sources=(link.reports,),
    )
    control = Control(
        Parts(
            feeders,
            hub,
            clock,
            link,
            Interest(feeders, hub, clock),
            ObjectCountsClient(layer, clock),
            SocketLimits(in_all=2000, per_user=100),
            Quotas({work: Limits(1000, 1000) for work in get_args(Work)}, clock),
            DraftStore(clock),
        ),
        Sample(layer, is_cured=lambda _: False),
        used,
        born,
    )
    listening = bind_socket("127.0.0.1", 0)

    async def started() -> None:
        control.thaw()
        print(f"port {listening_port}", flush=True)  # noqa: T201 -- what the test reads

    listening_port = listening.getsockname()[1]
    daphne_server.DaphneServer = PatientServer  # type: ignore[misc]
    serve(Application(control), listening, on_started=started)


if __name__ == "__main__":
    main()
