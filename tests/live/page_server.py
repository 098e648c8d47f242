"""A web process whose cluster the test turns by hand: real pages, real hub, real consumer, real daphne, made-up rows.

``python -m tests.live.page_server`` prints its port. POST a JSON object to /control to change something, see `Control`.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

from dashboard.serving import bound_socket, install_reactor, serve  # noqa: E402

install_reactor()

from channels.db import aclose_old_connections  # noqa: E402, F401 -- before daphne imports it with another reactor
from channels.layers import InMemoryChannelLayer  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402

from dashboard.controllers.link import ControllerLink  # noqa: E402
from dashboard.live.consumer import LiveConsumer  # noqa: E402
from dashboard.live.context import SCOPE_KEY  # noqa: E402
from dashboard.live.hub import Hub  # noqa: E402
from dashboard.live.interest import Interest  # noqa: E402
from dashboard.live.messages import Row  # noqa: E402
from dashboard.resources.kinds import KindInfo, kinds_named  # noqa: E402
from informerd.cache.health import Health  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.rest.cluster import ClusterConfig  # noqa: E402
from tests.controllers.sample import Sample  # noqa: E402
from tests.live.feeder import Feeder, Feeders, pod  # noqa: E402

KINDS = kinds_named(["pods", "namespaces", "events"])


@dataclass
class Parts:
    """What the pages need of dashboard.wiring.Live."""

    replicas: Feeders
    hub: Hub
    clock: SystemClock
    controllers: ControllerLink
    interest: Interest
    kinds: tuple[KindInfo, ...] = KINDS
    client: None = None
    discovery: None = None
    cluster: ClusterConfig = ClusterConfig(name="test", server="https://nowhere", why="a test")  # noqa: RUF009
    problem: str = ""
    version: str = "v1.37.1"


class Control:
    """Each method is a command: ``{"do": "put", "rows": [{"name": "a", "restarts": 3}]}``."""

    def __init__(self, parts: Parts, sample: Sample, born: float) -> None:
        self.parts = parts
        self.sample = sample
        self.cured: set[str] = set()
        sample.is_cured = self.cured.__contains__
        self.born = born
        self.refuse = 0
        self.frozen = False
        self._ticking: asyncio.Task[None] | None = None

    @property
    def pods(self) -> Feeder:
        return self.parts.replicas.feeders["pods"]

    def put(self, rows: list[dict[str, Any]]) -> None:
        self.pods.put(*map(self._row, rows))

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
        """The channel layer cannot be used, in these words; empty: it can."""
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
        """Another process in our place: no view and no token is known any more."""
        for watched in list(self.parts.hub.views.values()):
            for socket in list(watched.sockets):
                self.parts.hub.leave(socket)
        self.parts.hub.views.clear()

    def skip(self) -> None:
        """As if a frame had been lost on its way: every view is at a state that no page has."""
        for watched in self.parts.hub.views.values():
            watched.view.number += 5

    def run_controllers(self, keys: list[str]) -> None:
        """Begin to run the controller ``sample``, and have these keys reconciled."""
        self.sample.runner.start()
        self.sample.put(*keys)

    async def end_controllers(self) -> None:
        """The worker is gone."""
        await self.sample.runner.stop()

    async def forget_controllers(self) -> None:
        """No worker has ever been heard."""
        await self.end_controllers()
        self.parts.controllers.board._heard.clear()

    def cure(self, name: str) -> None:
        """From here on keys of this name succeed."""
        self.cured.add(name)

    async def close(self, code: int) -> None:
        """Close every socket with this code."""
        for socket in list(self.parts.hub.sockets):
            self.parts.hub.leave(socket)
            await socket.close(code)

    def turn_away(self, code: int) -> None:
        """From now on accept sockets only to close them with this code; 0: let them in again."""
        self.refuse = code

    def stats(self) -> dict[str, Any]:
        hub = self.parts.hub
        return {
            "sockets": len(hub.sockets),
            "opened": hub.metrics.sockets_opened,
            "windows": hub.metrics.windows,
            "acknowledged": max((socket.acknowledged for socket in hub.sockets), default=0),
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


class Application:
    """Pages, socket and control."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._pages = get_asgi_application()
        self._sockets = LiveConsumer.as_asgi()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope = {**scope, SCOPE_KEY: self._control.parts}
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["path"] == "/control":
            await self._command(receive, send)
        else:
            await self._pages(scope, receive, send)

    async def _socket(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not self._control.refuse:
            await self._sockets(scope, receive, send)
            return
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": self._control.refuse})

    async def _command(self, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        command = json.loads(body)
        answer = getattr(self._control, command.pop("do"))(**command)
        if asyncio.iscoroutine(answer):
            answer = await answer
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


def main() -> None:
    clock = SystemClock()
    born = float(int(clock.time()) - 60)
    feeders = Feeders(
        Feeder("pods", clock, [pod(f"pod-{index:03d}", created=born) for index in range(30)]),
        Feeder("namespaces", clock),
        Feeder("events", clock),
    )
    layer = InMemoryChannelLayer()
    link = ControllerLink(layer, clock)
    hub = Hub(feeders, clock, problem=lambda: feeders.channel_problem, board=link.board)
    control = Control(
        Parts(feeders, hub, clock, link, Interest(feeders, hub, clock)), Sample(layer, is_cured=lambda _: False), born
    )
    listening = bound_socket("127.0.0.1", 0)

    async def started() -> None:
        control.thaw()
        print(f"port {listening_port}", flush=True)  # noqa: T201 -- what the test reads

    listening_port = listening.getsockname()[1]
    serve(Application(control), listening, started=started)


if __name__ == "__main__":
    main()
