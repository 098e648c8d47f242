"""WebSocket of a terminal, at ``/terminal/?path=<path of its page>``.

From the browser: a binary message is input; JSON ``{"start": {uid, container, shell, command, columns, rows}}`` begins,
``{"size": [columns, rows], "drawn": bytes}`` is a new size of the window, and what was drawn of the output. To the
browser: a binary message is output; ``{"opened": true}`` says that the command runs, ``{"ended": {"code", "reason"}}``
how it ended, and then the socket is closed. Nothing starts before ``start``, which only the page's own script sends:
dashboard/server/guard.py refuses sockets of other sites. Close codes are those of dashboard/server/consumers.py.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec
from autobahn.exception import Disconnected
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.urls import Resolver404, resolve

from dashboard.access.quota_owner import quota_owners
from dashboard.cluster.access_reviews import ACCOUNT, REVIEW_TIMEOUT, YOU, ResourceAttributes, denial_text, is_allowed
from dashboard.cluster.connection import CONNECTION as CLUSTER
from dashboard.live.hub.browser_socket import RECONNECT_CODE
from dashboard.live.hub.hub import HUB
from dashboard.pages.audit.actor import actor_of
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.terminal.session import Command, SessionEnd, TerminalSession
from dashboard.pages.terminal.shells import BadCommand, command_of
from dashboard.pages.terminal.views import RIGHTS
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, Key, state_of
from dashboard.runtime.background_tasks import cancel_all
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, LimitReached
from dashboard.runtime.read_only import READ_ONLY_REASON, is_read_only
from dashboard.server.guard import Receive, Scope, Send
from dashboard.server.person_states import PersonState
from dashboard.server.rights_layer import person_state_of
from dashboard.server.socket_limits import SOCKET_LIMITS
from dashboard.server.websocket_connection import BAD_MESSAGE, BUSY, CONNECTION, MAX_MESSAGE_BYTES, NOT_FOUND
from informerd.errors import InformerdError
from informerd.resource import PODS
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

TERMINALS: Key[ConcurrencyLimit] = Key("limit of open terminals")
TOO_MANY = (
    "You have as many terminals open as Deltaboard allows, or all users together have. Close one, and start again."
)
NOT_KNOWN = "Deltaboard cannot find out whether you may use a terminal here. Try again in a moment."
REPLACED = (
    "This page showed another Pod of this name, so nothing was started. Look at the containers of this one first."
)
NORMAL = 1000
"""The close code of a session that has ended."""
_MAX_SIZE = 1_000
"""Most columns and rows of a window."""


class StartRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody wants to be started."""

    uid: str
    """The pod's, as the page shows it."""
    container: str
    shell: str
    command: str = ""
    columns: int = 80
    rows: int = 24


class BrowserMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A text message from a browser: `start` alone, or one of the others, or both."""

    start: StartRequest | None = None
    size: tuple[int, int] | None = None
    drawn: int | None = None


_decoder = msgspec.json.Decoder(BrowserMessage)


class TerminalConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # channels has no types
    """One terminal. The command ends with the socket, and the socket with the command."""

    channel_layer_alias = "none: a terminal hears nothing of the cluster"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connection = CONNECTION.get()
        self._pod: tuple[str, str] | None = None
        self._session: TerminalSession | None = None
        self._running: asyncio.Task[None] | None = None
        self._checking: asyncio.Task[None] | None = None
        self._must_check = False
        self._is_turned_away = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the socket until it has ended. While it is open it counts for the limits of sockets."""
        limits, owners = state_of(scope)[SOCKET_LIMITS], quota_owners(scope)
        reached = limits.enter(owners)
        self._is_turned_away = reached is not None
        if reached is not None:
            state_of(scope)[HUB].metrics.sockets_turned_away[reached] += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stop()
            if reached is None:
                limits.leave(owners)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle one message; a socket has no database connections to close."""
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        await self.accept()
        if self._is_turned_away:
            await self._refuse(BUSY)
            return
        query = parse_qs(self.scope.get("query_string", b"").decode("latin-1"))
        self._pod = _pod_of(query.get("path", [""])[0])
        if self._pod is None:
            await self._refuse(NOT_FOUND)
        elif (person := person_state_of(self.scope)) is not None:
            person.on_change = partial(self._rights_changed, person)

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        """Handle one message; the connection reads the next one after that."""
        state_of(self.scope)[HUB].metrics.browser_messages += 1
        await super().websocket_receive(message)
        self._connection.message_handled()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle the browser's message; an invalid message ends the connection."""
        if bytes_data is not None:
            if self._session is not None:
                self._session.type(bytes_data)
            return
        message = _read_message(text_data or "")
        if message is None:
            await self._refuse(BAD_MESSAGE)
        elif message.start is not None:
            if self._running is None and self._pod is not None:
                self._running = asyncio.create_task(self._serve(message.start, *self._pod), name="terminal")
        elif self._session is not None:
            if message.size is not None:
                self._session.resize(*message.size)
            self._session.acknowledge(message.drawn or 0)

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 -- whatever ended it
        """The browser is gone: so is the command."""
        if self._connection.refusal is not None:
            state_of(self.scope)[HUB].metrics.sockets_refused[self._connection.refusal] += 1
        self._stop()

    async def _serve(self, start: StartRequest, namespace: str, pod: str) -> None:
        """Run the command, tell how it ended, and close."""
        try:
            end = await self._run(start, namespace, pod)
            self._running = self._session = None  # the first of them is this very task
            await self._send_message({"ended": {"code": end.exit_code, "reason": end.reason}})
            await self._end(NORMAL)
        except Disconnected:  # the browser is closing; daphne calls `disconnect` once the connection has ended
            self._running = None
        except Exception:
            logger.exception("a terminal failed")
            self._running = None
            await self._end(RECONNECT_CODE)

    async def _run(self, start: StartRequest, namespace: str, pod: str) -> SessionEnd:
        state = state_of(self.scope)
        client = state[CLUSTER].client
        if is_read_only():
            return SessionEnd(None, READ_ONLY_REASON)
        if client is None:
            return SessionEnd(None, f"Deltaboard is not connected to a cluster. {state[HUB].connection_problem()}")
        try:
            arguments = command_of(start.shell, start.command)
        except BadCommand as error:
            return SessionEnd(None, str(error))
        if denial := await self._denial(client, namespace, pod):
            return SessionEnd(None, denial)
        if problem := await _problem_of_pod(client, namespace, pod, start.uid):
            return SessionEnd(None, problem)
        size = (start.columns, start.rows) if _is_size(start.columns, start.rows) else (80, 24)
        try:
            async with state[TERMINALS].slot(quota_owners(self.scope)):
                self._session = session = TerminalSession(
                    client,
                    Command(namespace, pod, start.uid, start.container, arguments, *size),
                    self._show,
                    clock=state[CLOCK],
                    recorder=state[AUDIT],
                    actor=actor_of(self.scope),
                    idle_seconds=settings.DELTABOARD_TERMINAL_IDLE_MINUTES * 60,
                    records_contents=settings.DELTABOARD_TERMINAL_CONTENTS and state[AUDIT].is_on,
                )
                opening = asyncio.create_task(self._tell_opened(session), name="terminal opens")
                try:
                    return await session.run()
                finally:
                    await cancel_all([opening])
        except LimitReached:
            return SessionEnd(None, TOO_MANY)

    async def _tell_opened(self, session: TerminalSession) -> None:
        await session.opened.wait()
        with suppress(Disconnected):
            await self._send_message({"opened": True})

    def _rights_changed(self, person: PersonState) -> None:
        """Ask whether its person may still be here."""
        person.renew()
        self.scope[SCOPE_KEY] = person.state
        self._must_check = True
        if self._session is not None and self._checking is None:
            self._checking = asyncio.create_task(self._check_rights(self._session), name="right to a terminal")

    async def _check_rights(self, session: TerminalSession) -> None:
        """End the session where its person may not open it any more, or nobody knows: the API server lets what is
        open go on.
        """
        try:
            while self._must_check and self._pod is not None:
                self._must_check = False
                client = state_of(self.scope)[CLUSTER].client
                denial = await self._denial(client, *self._pod) if client is not None else NOT_KNOWN
                if denial:
                    session.end(denial)
        finally:
            self._checking = None

    async def _denial(self, client: Client, namespace: str, pod: str) -> str:
        """Why whoever `client` acts for may open no terminal in a pod, as a sentence; empty where they surely may. What
        is not known is denied.
        """
        for verb in RIGHTS:
            access = ResourceAttributes(verb, PODS, namespace, pod, "exec")
            try:
                async with asyncio.timeout(REVIEW_TIMEOUT):
                    if not await is_allowed(client, access):
                        return denial_text(access, ACCOUNT if person_state_of(self.scope) is None else YOU)
            except (InformerdError, TimeoutError):
                return NOT_KNOWN
        return ""

    async def _show(self, output: bytes) -> None:
        await self._connection.wait_until_writable()
        await self.send(bytes_data=output)

    async def _send_message(self, message: dict[str, Any]) -> None:
        await self.send(text_data=msgspec.json.encode(message).decode())

    async def _refuse(self, code: int) -> None:
        state_of(self.scope)[HUB].metrics.sockets_refused[code] += 1
        await self._end(code)

    async def _end(self, code: int) -> None:
        """Close the connection; abort it where nothing can be written, not even a close frame."""
        if self._connection.is_writable:
            await self.close(code)
        else:
            state_of(self.scope)[HUB].metrics.sockets_aborted += 1
            self._connection.abort()

    def _stop(self) -> None:
        for task in (self._running, self._checking):
            if task is not None:
                task.cancel()
        self._running = self._checking = self._session = None


def _pod_of(path: str) -> tuple[str, str] | None:
    """Namespace and name of the pod of a terminal's page; None for any other address."""
    try:
        match = resolve(unquote(path.partition("?")[0]))
    except Resolver404:
        return None
    return (match.kwargs["namespace"], match.kwargs["name"]) if match.url_name == "terminal" else None


async def _problem_of_pod(client: Client, namespace: str, name: str, uid: str) -> str:
    """Why nothing is started in a pod, as a sentence; empty where it is the one with this uid. Commands are started by
    a pod's name, which another one may have by now.
    """
    try:
        pod = (await client.get(PODS, name, namespace)).object()
    except InformerdError as error:
        return str(error)
    return "" if pod["metadata"]["uid"] == uid else REPLACED


def _read_message(text: str) -> BrowserMessage | None:
    """A message of the browser; None where it is none."""
    if len(text.encode(errors="replace")) > MAX_MESSAGE_BYTES:
        return None
    try:
        message = _decoder.decode(text)
    except msgspec.MsgspecError:
        return None
    if message.size is not None and not _is_size(*message.size):
        return None
    has_others = message.size is not None or message.drawn is not None
    is_one = (message.start is not None) != has_others
    return message if is_one and (message.drawn or 0) >= 0 else None


def _is_size(columns: int, rows: int) -> bool:
    return 0 < columns <= _MAX_SIZE and 0 < rows <= _MAX_SIZE
