"""The socket of a page, at ``/live/?path=<path and query of the page>&view=<id>&seq=<what it shows already>``.

``beside=<seq>`` is what it shows of the object that its path opens beside a list (``open=``).
It speaks JSON. From the browser: ``{"view": path, "seq": seq, "beside": seq}`` when the page shows another view, and
``{"ack": units}`` for what it has applied since it connected. To the browser: see dashboard/live/hub.py and
static/js/live.js. Whether the browser may connect at all was decided before this is reached (dashboard/access).
Refusals after that are close codes that the page shows and that end its trying: 4400 nonsense, 4403 not allowed, 4404
no such page, 4429 too many views at once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import parse_qs

import msgspec
from autobahn.exception import Disconnected
from channels.generic.websocket import AsyncWebsocketConsumer

from dashboard.live.context import live_of
from dashboard.live.hub import Hub
from dashboard.live.opening import BadPath, UnknownKind, UnknownPath, open_beside, open_view
from dashboard.live.socket import COME_BACK, Message, Socket
from dashboard.live.view import View
from dashboard.resources.opened import Unopened, open_kind
from informerd.clock import Clock

logger = logging.getLogger(__name__)

NONSENSE = 4400
NOT_FOUND = 4404
TOO_MANY = 4429
LONGEST = 16 * 1024
"""Bytes of a message from a browser."""
VIEWS_AT_ONCE = 20
"""Views that a page may ask for in a row: making one sorts every row of its kind."""
VIEWS_A_SECOND = 2.0
"""Views that it may ask for in the long run."""


class Said(msgspec.Struct, forbid_unknown_fields=True):
    """What a browser may say, one of the two at a time."""

    view: str | None = None
    seq: str = ""
    beside: str = ""
    ack: int | None = None


class Allowance:
    """So many at once, and so many a second in the long run."""

    def __init__(self, at_once: int, a_second: float, clock: Clock) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._left = float(at_once)
        self._at = clock.now()

    def take(self) -> bool:
        """Take one; False where none is left."""
        now = self._clock.now()
        self._left = min(self._at_once, self._left + (now - self._at) * self._a_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


_decoder = msgspec.json.Decoder(Said)


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # channels has no types
    """Joins the hub as a Socket for as long as the browser stays."""

    channel_layer_alias = "none: the hub reaches sockets directly, so they need no channel each"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._socket: Socket | None = None
        self._sending: asyncio.Task[None] | None = None
        self._allowance: Allowance | None = None

    async def connect(self) -> None:
        """Accept, then follow what the address asks for; what cannot be followed is closed with its code."""
        await self.accept()
        query = parse_qs(self.scope.get("query_string", b"").decode("latin-1"))
        clock = live_of(self.scope).clock
        self._allowance = Allowance(VIEWS_AT_ONCE, VIEWS_A_SECOND, clock)
        self._socket = Socket(self._deliver, self.close, clock)
        self._sending = asyncio.create_task(self._send_all(self._socket), name="socket")
        await self._follow(*(query.get(name, [""])[0] for name in ("path", "seq", "beside")))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take what the browser says; anything it should not say ends the connection."""
        if self._socket is None:
            return None  # it was refused already and has not heard yet
        if text_data is None or bytes_data is not None or len(text_data.encode(errors="replace")) > LONGEST:
            return await self._refuse(NONSENSE)
        try:
            said = _decoder.decode(text_data)
        except msgspec.MsgspecError:
            return await self._refuse(NONSENSE)
        if said.view is not None and said.ack is None:
            await self._follow(said.view, said.seq, said.beside)
        elif said.ack is not None and said.view is None and said.ack >= 0:
            self._hub.acknowledge(self._socket, said.ack)
        else:
            await self._refuse(NONSENSE)
        return None

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 -- whatever ended it
        """Leave the hub."""
        self._leave()

    @property
    def _hub(self) -> Hub:
        return live_of(self.scope).hub

    async def _follow(self, address: str, seq: str, beside_seq: str) -> None:
        if self._allowance is None or not self._allowance.take():
            return await self._refuse(TOO_MANY)
        try:
            view, beside = await self._views_at(address)
        except BadPath:
            return await self._refuse(NONSENSE)
        except UnknownPath:
            return await self._refuse(NOT_FOUND)
        except Exception:
            logger.exception("a view could not be made, the browser is asked to connect again")
            return await self._refuse(COME_BACK)
        if self._socket is not None:
            self._hub.join(self._socket, view, seq, path=address, beside=beside, beside_seq=beside_seq)
        return None

    async def _views_at(self, address: str) -> tuple[View | None, View | None]:
        """The page's view and the one beside it; their kind is followed anew where it was let go of meanwhile."""
        try:
            return open_view(self._hub, address), open_beside(self._hub, address)
        except UnknownKind as error:
            if isinstance(await open_kind(live_of(self.scope), error.name), Unopened):
                raise
            return open_view(self._hub, address), open_beside(self._hub, address)

    async def _refuse(self, code: int) -> None:
        self._leave()
        if code != COME_BACK:
            self._hub.metrics.refused[code] += 1
        await self.close(code)

    def _leave(self) -> None:
        if self._socket is not None:
            self._hub.leave(self._socket)
            self._socket = None
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    async def _send_all(self, socket: Socket) -> None:
        """Send what the hub posts. Where the transport refuses a message, the page is told to connect again."""
        try:
            await socket.run()
        except Disconnected:  # the browser has said that it goes, and daphne tells us once the connection has ended
            self._sending = None  # this very task
            self._leave()
        except Exception:
            logger.exception("a message could not be sent, the browser is asked to connect again")
            self._sending = None  # this very task, which has to live until the socket is closed
            await self._refuse(COME_BACK)

    async def _deliver(self, message: Message) -> None:
        if isinstance(message, str):
            await self.send(text_data=message)
        else:
            await self.send(bytes_data=message)
