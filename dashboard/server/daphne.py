"""Daphne with Deltaboard's settings: on uvloop where available, on a socket that is bound before anything starts."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from dashboard.server.guard import HIGHEST_PORT, check_bind

BACKLOG = 512
FULL_GC_EVERY = 100
"""Collections of the young generation to one of all objects, ten times Python's default: a full one visits every entry
of every open list, which takes 40 ms for a hundred lists of 50,000 rows.
"""
MESSAGE_LIMIT = 1024 * 1024
"""Maximum bytes of a websocket message to a browser: autobahn refuses to send a longer one (see MAX_MESSAGE_UNITS in
dashboard.live.hub.browser_socket). Messages from browsers have a far lower limit, see limited_websocket.py.
"""


class CannotListen(Exception):
    """Deltaboard cannot listen on the address; the message is a sentence for the user."""


def bind_socket(host: str, port: int, *, signs_in: bool = False, port_hint: str = "--port or PORT") -> socket.socket:
    """A listening socket; port 0 takes a free one. A host name is resolved, to the IPv4 address where it has both.

    `signs_in` says whether people sign in; `port_hint` is how to choose another port. Raises CannotListen, or
    BindRefused for an address that other machines can reach (see dashboard.server.guard).
    """
    family, address = _address(host, port)
    check_bind(address[0], signs_in=signs_in)
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"Port {port} of {host} is in use: choose another with {port_hint}, or stop what listens there."
            ) from None
        raise CannotListen(f"Deltaboard cannot listen on {host} port {port}: {error.strerror or error}.") from None
    return listening


def _address(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    """The address for the system's bind. The name is resolved once, so that the checked address is the bound one."""
    if not 0 <= port <= HIGHEST_PORT:
        raise CannotListen(
            f"{port} is not a port: a port is a number from 0 to {HIGHEST_PORT}, and 0 takes a free one."
        )
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CannotListen(
            f"Deltaboard cannot listen on {host!r}: the name cannot be resolved. Check its spelling."
        ) from None
    family, _, _, _, address = min(addresses, key=lambda each: each[0] != socket.AF_INET)
    return family, address


def install_reactor() -> Any:
    """Twisted's reactor on asyncio, on uvloop where it is installed. Must come before daphne.server is imported."""
    from twisted.internet import asyncioreactor

    if "twisted.internet.reactor" not in sys.modules:
        asyncioreactor.install(_new_loop())  # type: ignore[no-untyped-call]
    from twisted.internet import reactor

    return reactor


def serve(application: Any, listener: socket.socket, *, on_started: Callable[[], Awaitable[None]]) -> None:
    """Serve on `listener` until SIGINT or SIGTERM. `on_started` runs on the event loop once it runs; it may raise."""
    reactor = install_reactor()
    from dashboard.server.daphne_server import DaphneServer

    limit_websockets()
    log_failures()

    def listen() -> None:
        reactor.adoptStreamPort(listener.fileno(), listener.family, server.http_factory)
        listener.close()  # the reactor has a copy of its own
        reactor.callWhenRunning(begin)

    def begin() -> None:
        gc.collect()
        gc.freeze()  # what is loaded by now stays: collections need not go through it, which takes up to 50 ms
        gc.set_threshold(*gc.get_threshold()[:2], FULL_GC_EVERY)
        beginning.append(asyncio.ensure_future(_awaited(on_started)))
        beginning[0].add_done_callback(begun)

    def begun(future: asyncio.Future[None]) -> None:
        if not future.cancelled() and future.exception() is not None:
            reactor.stop()

    beginning: list[asyncio.Future[None]] = []
    server = DaphneServer(
        application,
        endpoints=["adopted"],
        ready_callable=listen,
        websocket_timeout=-1,  # daphne would close an open page after a day, with a code that ends reconnection
        websocket_max_message_size=MESSAGE_LIMIT,
        websocket_max_frame_size=MESSAGE_LIMIT,
        server_name="",
        verbosity=0,
    )
    server.endpoints = []
    server.run()
    for future in beginning:
        if future.done() and not future.cancelled():
            future.result()


def limit_websockets() -> None:
    """Limit what browsers may send over websockets; no effect under other servers."""
    if "daphne.ws_protocol" in sys.modules:
        from dashboard.server import limited_websocket

        limited_websocket.install()


def log_failures() -> None:
    """Write exceptions of Twisted's callbacks to the log "twisted": nobody is told of them else."""
    from twisted.logger import (
        FilteringLogObserver,
        LogLevel,
        LogLevelFilterPredicate,
        STDLibLogObserver,
        globalLogBeginner,
    )

    failures: Any = LogLevelFilterPredicate(defaultLogLevel=LogLevel.error)  # mypy does not see its interfaces
    log: Any = STDLibLogObserver()
    observer: Any = FilteringLogObserver(log, [failures])
    globalLogBeginner.beginLoggingTo([observer], discardBuffer=True, redirectStandardIO=False)


def use_own_server_class() -> None:
    """Have the command ``daphne``, where it is importing the application, serve with DaphneServer."""
    command: Any = sys.modules.get("daphne.cli")
    if command is not None:
        from dashboard.server.daphne_server import DaphneServer

        log_failures()
        command.CommandLineInterface.server_class = DaphneServer


def start_with_reactor(start: Callable[[], None]) -> None:
    """Call `start` on the event loop of daphne's reactor once that runs; no effect under other servers."""
    reactor: Any = sys.modules.get("twisted.internet.reactor")
    if reactor is not None:
        reactor.callWhenRunning(reactor.callLater, 0, start)  # "running" is said a moment before the loop turns


def stop_with_reactor(stop: Callable[[], Awaitable[None]]) -> None:
    """Make daphne's reactor wait for `stop` when it shuts down; no effect under other servers."""
    reactor = sys.modules.get("twisted.internet.reactor")
    if reactor is None:
        return
    from twisted.internet.defer import Deferred

    def stopped() -> Any:
        return Deferred.fromFuture(asyncio.ensure_future(_awaited(stop)))

    reactor.addSystemEventTrigger("before", "shutdown", stopped)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _awaited(run: Callable[[], Awaitable[None]]) -> None:
    await run()
