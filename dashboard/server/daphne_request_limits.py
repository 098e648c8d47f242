"""Daphne's connections and requests with limits that are enforced while a request arrives.

Twisted receives a body completely, into a file where it is large, and parses a posted form, before daphne calls the
application; and it waits for a request as long as a byte a minute arrives. Here

* a connection beyond the limits is closed at once (connection_limits.py).
* a request with a body is judged by the guard's rules once its headers are there, and its body counts for the owners
  of its work.
* it is refused as soon as its headers announce too much, or once more has arrived than it may have. What follows is
  thrown away, for a moment, so that the browser can read the answer (as nginx's lingering_close).
* a websocket of somebody who opens too many, let in or not, is refused before its handshake, which costs more than the
  refusal.
* it must arrive in ARRIVAL_SECONDS and a second more for each MIN_BYTES_PER_SECOND.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from daphne import http_protocol

from dashboard.access.person import PERSON_KEY, Person
from dashboard.access.quota_owner import quota_owners
from dashboard.runtime.concurrency_limit import Owners
from dashboard.runtime.quotas import RETRY_AFTER
from dashboard.server.body_limits import BodyLimits, BodyRoom, BodyTooLarge, NoRoomForBody
from dashboard.server.connection_limits import Client, OpenConnections
from dashboard.server.guard import REJECTION_HEADERS, Rejection, Scope
from dashboard.server.socket_limits import SocketRates

LINGER_SECONDS = 2.0
"""Seconds in which the rest of a refused body is read and thrown away."""
ARRIVAL_SECONDS = 30.0
MIN_BYTES_PER_SECOND = 16 * 1024
TOO_SLOW = "This request arrived too slowly, so it was not read, and nothing was done. Send it again."
TOO_MANY_SOCKETS = "You open too many of Deltaboard's live pages. They connect again by themselves in a few seconds."
"""Read by programs: a browser tells its page of a refused handshake only that there is no connection."""
_CONTINUE = b"Expect"
_REASONS: Mapping[int, bytes] = {
    400: b"Bad Request",
    401: b"Unauthorized",
    403: b"Forbidden",
    408: b"Request Timeout",
    413: b"Content Too Large",
    422: b"Unprocessable Content",
    429: b"Too Many Requests",
}
http_protocol.http.RESPONSES.update(_REASONS)  # Twisted calls 422 and 429 "Unknown Status"


@dataclass(frozen=True, slots=True)
class ArrivalLimits:
    """What connections and requests need to judge what arrives."""

    bodies: BodyLimits
    room: BodyRoom
    sockets: SocketRates
    connections: OpenConnections
    identify: Callable[[Scope], Rejection | Person]
    """The guard's rules: the first that a request breaks, else who asks."""
    refused: Counter[str]
    """Counts refusals, under "bodies" and "sockets"."""


def install_arrival_limits(limits: ArrivalLimits) -> None:
    """Make daphne's servers of this process keep these limits, whichever command started them.

    Daphne has no setting for it: its factory takes the request's class from its module for each connection.
    """
    LimitedRequest.limits = LimitedFactory.limits = limits
    http_protocol.WebRequest = LimitedRequest


class LimitedFactory(http_protocol.HTTPFactory):  # type: ignore[misc] # daphne has no types
    """Makes the protocol of a connection, unless too many are open."""

    limits: ArrivalLimits | None = None

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 -- Twisted's name
        """The protocol; None where the connection must be closed."""
        if self.limits is not None and not self.limits.connections.enter(client_of(addr)):
            return None
        self.protocol = LimitedChannel
        return super().buildProtocol(addr)

    def acceptableProtocols(self) -> list[bytes]:  # noqa: N802 -- Twisted's name
        """HTTP/1.1 only: what arrives over HTTP/2 would not be limited."""
        return [b"http/1.1"]


def connection_ended(transport: Any) -> None:
    """A connection has ended, as one of HTTP or of a websocket."""
    if LimitedFactory.limits is not None:
        LimitedFactory.limits.connections.leave(client_of(transport.getPeer()))


class LimitedChannel(http_protocol.http.HTTPChannel):  # type: ignore[misc] # daphne has no types
    """A connection whose requests must arrive in time, and which may be closed while it is idle."""

    def __init__(self) -> None:
        super().__init__()
        self._arriving: Any = None
        self._began = 0.0

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        super().connectionMade()
        self._is_idle()

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called with all bytes that have arrived."""
        if self._arriving is None and not self._handlingRequest:
            self._began = self.factory.reactor.seconds()
            self._arriving = self.callLater(ARRIVAL_SECONDS, self._judge_arrival)
        super().dataReceived(data)

    def allContentReceived(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when a request is complete."""
        self._stop_waiting()
        self._is_busy()
        super().allContentReceived()

    def requestDone(self, request: Any) -> None:  # noqa: N802 -- Twisted's name
        """Called when a response was written."""
        self._is_idle()
        super().requestDone(request)  # may go on with the next request, which has come already

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 -- Twisted's name
        self._stop_waiting()
        self._is_busy()
        try:
            super().connectionLost(reason)
        finally:
            connection_ended(self.transport)

    def abort(self) -> None:
        """Close the idle connection at once."""
        self.transport.abortConnection()

    def _is_idle(self) -> None:
        if LimitedFactory.limits is not None:
            LimitedFactory.limits.connections.idle(self, client_of(self.transport.getPeer()))

    def _is_busy(self) -> None:
        if LimitedFactory.limits is not None:
            LimitedFactory.limits.connections.busy(self)

    def _stop_waiting(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _judge_arrival(self) -> None:
        self._arriving = None
        request = self.requests[-1] if self.requests else None
        received = request.received if request is not None else 0
        left = self._began + ARRIVAL_SECONDS + received / MIN_BYTES_PER_SECOND - self.factory.reactor.seconds()
        if left > 0:
            self._arriving = self.callLater(left, self._judge_arrival)
        elif request is not None:
            request.refuse(408, TOO_SLOW)
        else:
            self.transport.abortConnection()


class LimitedRequest(http_protocol.WebRequest):  # type: ignore[misc] # daphne has no types
    """A request that refuses a body over the limit while it arrives. `limits` is set by `install_arrival_limits`."""

    limits: ArrivalLimits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "parsePOSTFormSubmission": False})  # Django parses it, within its limits
        self.received = 0
        """Bytes of the body that were counted."""
        self._refused = False
        self._owners: Owners = ()

    def gotLength(self, length: int | None) -> None:  # noqa: N802 -- Twisted's name
        """Called when all headers are there; None for a body that comes in chunks."""
        super().gotLength(length)
        if self._is_websocket:
            self._judge_socket()
        if length == 0:
            return  # the guard judges it in a moment
        scope = self._scope()
        person = self.limits.identify(scope)
        if isinstance(person, Rejection):
            self.refuse(person.status, person.message)
            return
        self._owners = quota_owners({**scope, PERSON_KEY: person})
        self._judge(length or 0)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called for each piece of the body."""
        if self._refused:
            return
        self._judge(self.received + len(data), arrived=len(data))
        if not self._refused:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called when the whole body is there."""
        if not self._refused:
            super().requestReceived(command, path, version)
            if self.transport is None:  # it has become a websocket, and is never finished
                self._forget_body()
                self.channel.requests.remove(self)  # ends the cycle of the two, see limited_websocket.py

    def finish(self) -> None:
        self._forget_body()
        super().finish()

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 -- Twisted's name
        self._forget_body()
        super().connectionLost(reason)

    def refuse(self, status: int, sentence: str, *, counted_as: str = "bodies") -> None:
        """Answer, let nothing of the rest reach the memory, and close the connection soon."""
        if self._refused:
            return
        self._refused = True
        self._forget_body()
        if status in (408, 413, 429):
            self.limits.refused[counted_as] += 1
        if self.content is not None:
            self.content.close()
        self.requestHeaders.removeHeader(_CONTINUE)  # else Twisted would ask for the body now
        body = f"{sentence}\n".encode()
        headers = {**REJECTION_HEADERS, "Content-Length": str(len(body)), "Connection": "close"}
        if status == 429:
            headers["Retry-After"] = str(RETRY_AFTER)
        lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in headers.items())
        transport = self.channel.transport
        transport.write(b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, _REASONS[status], lines, body))
        self.channel.persistent = False
        transport.loseWriteConnection()
        self.channel.callLater(LINGER_SECONDS, transport.abortConnection)

    @property
    def _is_websocket(self) -> bool:
        upgrade: bytes = self.requestHeaders.getRawHeaders(b"Upgrade", [b""])[0]
        return upgrade.lower() == b"websocket"

    def _scope(self) -> Scope:
        """What the guard needs of an ASGI scope. Headers with an underscore are dropped, as daphne does later."""
        path, _, query = self.channel._path.partition(b"?")  # noqa: SLF001 -- known to the channel alone until then
        headers = [
            (name.lower(), value)
            for name, values in self.requestHeaders.getAllRawHeaders()
            if b"_" not in name
            for value in values
        ]
        return {
            "type": "websocket" if self._is_websocket else "http",
            "method": self.channel._command.decode("latin-1"),  # noqa: SLF001 -- as above
            "path": unquote(path.decode("latin-1")),
            "query_string": query,
            "headers": headers,
            "client": client_of(self.channel.getPeer()),
            "server": client_of(self.channel.getHost()),
        }

    def _judge_socket(self) -> None:
        scope = self._scope()
        person = self.limits.identify(scope)
        if isinstance(person, Rejection):
            if person.is_for_doubled_header:
                self.refuse(person.status, person.message)
                return
            # counted apart, else another site's page would keep out its reader's own pages
            owners = tuple(f"not let in: {owner}" for owner in quota_owners(scope))
        else:
            owners = quota_owners({**scope, PERSON_KEY: person})
        if not self.limits.sockets.allow(owners):
            self.refuse(429, TOO_MANY_SOCKETS, counted_as="sockets")

    def _judge(self, size: int, *, arrived: int = 0) -> None:
        path = self.channel._path.partition(b"?")[0]  # noqa: SLF001 -- as above
        try:
            self.limits.bodies.check(self.channel._command, path, size)  # noqa: SLF001 -- as above
            if arrived:
                self.limits.room.take(self._owners, arrived)
                self.received += arrived
        except BodyTooLarge as error:
            self.refuse(413, str(error))
        except NoRoomForBody as error:
            self.refuse(429, str(error))

    def _forget_body(self) -> None:
        if self.received:
            self.limits.room.give_back(self._owners, self.received)
            self.received = 0


def client_of(address: Any) -> Client:
    """One end of a connection as in an ASGI scope: host and port, None for a Unix socket."""
    return [str(address.host), address.port] if hasattr(address, "host") else None
