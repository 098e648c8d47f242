"""WebSocket of a page, at ``/live/?path=<path and query of the page>&view=<id>&seq=<what it shows already>``.

``beside=<seq>`` is the state of the object that its path opens beside a list (``open=``). It speaks JSON. From the
browser: ``{"view": path, "seq": seq, "beside": seq}`` when the page shows another view, and ``{"ack": units}`` for what
it has applied since it connected. To the browser: see dashboard/live/hub/hub.py and static/js/live/main.js.
dashboard/server/guard.py has checked before whether the browser may connect at all. Later refusals are close codes that
the page shows: 4400 malformed or too long, 4401 signed out, 4403 not allowed, 4404 no such page, 4429 too many messages
or views of this page, 4503 too many sockets or views of one user or in all. The page connects again after 4503 only.
Under daphne the connection itself refuses what is too long or too much, see dashboard/server/limited_websocket.py.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import msgspec
from autobahn.exception import Disconnected
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from dashboard.access.quota_owner import quota_owners
from dashboard.live.hub.browser_socket import RECONNECT_CODE, Message, Socket
from dashboard.live.hub.hub import HUB, Hub
from dashboard.pages.layout.requested_kind import UnavailableKind, open_kind
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, state_of
from dashboard.runtime.concurrency_limit import LimitReached
from dashboard.server.guard import Receive, Scope, Send
from dashboard.server.live_view_quotas import VIEW_QUOTAS, TooManyViews
from dashboard.server.live_view_routing import BadPath, UnknownKind, UnknownPath, open_drawer_view, open_live_view
from dashboard.server.person_states import PersonState
from dashboard.server.rights_layer import person_state_of
from dashboard.server.socket_limits import SOCKET_LIMITS
from dashboard.server.token_bucket import TokenBucket
from dashboard.server.websocket_connection import (
    BAD_MESSAGE,
    BUSY,
    CONNECTION,
    MAX_MESSAGE_BYTES,
    NOT_FOUND,
    TOO_MUCH,
)

logger = logging.getLogger(__name__)

VIEW_BURST = 20
"""Views that a page may request in a burst: making one sorts every row of its kind."""
VIEWS_PER_SECOND = 2.0
"""Views per second that it may request in the long run."""


class BrowserMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A message from a browser; it has one of the two fields."""

    view: str | None = None
    seq: str = ""
    beside: str = ""
    ack: int | None = None


_decoder = msgspec.json.Decoder(BrowserMessage)


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # channels has no types
    """Joins the hub as a Socket while the browser is connected."""

    channel_layer_alias = "none: the hub reaches sockets directly, so they need no channel each"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connection = CONNECTION.get()
        self._socket: Socket | None = None
        self._sending: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._allowance: TokenBucket | None = None
        self._is_turned_away = False
        self._address = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the socket until it has ended. While it is open it counts for the limits of sockets."""
        limits, owners = state_of(scope)[SOCKET_LIMITS], quota_owners(scope)
        reached = limits.enter(owners)
        if reached is not None:
            self._is_turned_away = True
            state_of(scope)[HUB].metrics.sockets_turned_away[reached] += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()
            if reached is None:
                limits.leave(owners)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle one message. Channels would first wait for a thread to close old database connections: a socket has
        none.
        """
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        """Accept, and begin to follow the view of the address."""
        await self.accept()
        if self._is_turned_away:
            return await self._refuse(BUSY)
        if (person := person_state_of(self.scope)) is not None:
            person.on_change = partial(self._rights_changed, person)
        query = parse_qs(self.scope.get("query_string", b"").decode("latin-1"))
        clock = state_of(self.scope)[CLOCK]
        self._allowance = TokenBucket(VIEW_BURST, VIEWS_PER_SECOND, clock)
        self._socket = Socket(self._deliver, self._end, clock)
        self._sending = asyncio.create_task(self._send_all(self._socket), name="socket")
        return await self._begin_to_follow(*(query.get(name, [""])[0] for name in ("path", "seq", "beside")))

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        """Handle one message; the connection reads the next one after that."""
        self._hub.metrics.browser_messages += 1
        await super().websocket_receive(message)
        self._connection.message_handled()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle the browser's message; an invalid message ends the connection."""
        if self._socket is None:
            return None  # the browser was refused and has not received the close yet
        if text_data is None or bytes_data is not None or len(text_data.encode(errors="replace")) > MAX_MESSAGE_BYTES:
            return await self._refuse(BAD_MESSAGE)
        try:
            browser_message = _decoder.decode(text_data)
        except msgspec.MsgspecError:
            return await self._refuse(BAD_MESSAGE)
        if browser_message.view is not None and browser_message.ack is None:
            await self._begin_to_follow(browser_message.view, browser_message.seq, browser_message.beside)
        elif browser_message.ack is not None and browser_message.view is None and browser_message.ack >= 0:
            self._hub.acknowledge(self._socket, browser_message.ack)
        else:
            await self._refuse(BAD_MESSAGE)
        return None

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 -- whatever ended it
        """Leave the hub."""
        if self._connection.refusal is not None:
            self._hub.metrics.sockets_refused[self._connection.refusal] += 1
        self._leave()

    @property
    def _hub(self) -> Hub:
        return state_of(self.scope)[HUB]

    async def _begin_to_follow(self, address: str, seq: str, beside_seq: str) -> None:
        """Follow another view in a task, which ends with the socket and with the next view that the page asks for."""
        if self._following is not None:
            self._following.cancel()
        self._address = address
        if self._allowance is None or not self._allowance.try_take():
            return await self._refuse(TOO_MUCH)
        if (person := person_state_of(self.scope)) is not None and person.renew(address):
            self._move_to(person)
        self._following = asyncio.create_task(self._follow(address, seq, beside_seq), name="follow view")
        return None

    def _rights_changed(self, person: PersonState) -> None:
        """Show the page what its person may see from now on, and nothing of what waits to be sent."""
        if self._socket is None or not person.renew():
            return
        self._move_to(person)
        self._socket.drop_unsent()
        if self._following is not None:
            self._following.cancel()
        self._following = asyncio.create_task(self._follow(self._address, "", ""), name="follow view")

    def _move_to(self, person: PersonState) -> None:
        """Leave the hub of the rights of before."""
        if self._socket is not None:
            self._hub.leave(self._socket)
        self.scope[SCOPE_KEY] = person.state

    async def _follow(self, address: str, seq: str, beside_seq: str) -> None:
        """Join the view of the address; where that fails, close with the code."""
        code = None
        try:
            await self._join_view_at(address, seq, beside_seq)
        except (TooManyViews, LimitReached):
            code = BUSY
        except BadPath:
            code = BAD_MESSAGE
        except UnknownPath:
            code = NOT_FOUND
        except Exception:
            logger.exception("a view could not be opened; the browser is asked to connect again")
            code = RECONNECT_CODE
        self._following = None
        if code is not None:
            await self._refuse(code)

    async def _join_view_at(self, address: str, seq: str, beside_seq: str) -> None:
        """Join the views of the address when the turn comes; their kind is followed again where it was dropped."""
        try:
            await self._join_in_turn(address, seq, beside_seq)
        except UnknownKind as error:
            if isinstance(await open_kind(self.scope, error.name), UnavailableKind):
                raise
            await self._join_in_turn(address, seq, beside_seq)

    async def _join_in_turn(self, address: str, seq: str, beside_seq: str) -> None:
        """Nothing waits for the API server here: all sockets share the turn."""
        state = state_of(self.scope)
        async with state[VIEW_QUOTAS].turn(quota_owners(self.scope)):
            view, beside = open_live_view(state, address), open_drawer_view(state, address)
            if self._socket is not None:
                self._hub.join(self._socket, view, seq, path=address, drawer_view=beside, drawer_seq=beside_seq)

    async def _refuse(self, code: int) -> None:
        self._leave()
        if code != RECONNECT_CODE:
            self._hub.metrics.sockets_refused[code] += 1
        await self._end(code)

    async def _end(self, code: int) -> None:
        """Close the connection; abort it where nothing can be written, not even a close frame."""
        if self._connection.is_writable:
            await self.close(code)
        else:
            self._hub.metrics.sockets_aborted += 1
            self._connection.abort()

    def _leave(self) -> None:
        if self._socket is not None:
            self._hub.leave(self._socket)
            self._socket = None
        for task in (self._sending, self._following):
            if task is not None:
                task.cancel()
        self._sending = self._following = None

    async def _send_all(self, socket: Socket) -> None:
        """Send what the hub posts. Where the transport refuses a message, the page is told to connect again."""
        try:
            await socket.run()
        except Disconnected:  # the browser is closing; daphne calls `disconnect` once the connection has ended
            self._sending = None  # this very task
            self._leave()
        except Exception:
            logger.exception("a message could not be sent; the browser is asked to connect again")
            self._sending = None  # this very task, which has to live until the socket is closed
            await self._refuse(RECONNECT_CODE)

    async def _deliver(self, message: Message) -> None:
        await self._connection.wait_until_writable()
        if isinstance(message, str):
            await self.send(text_data=message)
        else:
            await self.send(bytes_data=message)
