"""Daphne's server with what a client must not decide: the address it connects from and the path of the application.

Its module imports daphne.server, which installs Twisted's reactor: dashboard.server.daphne.install_reactor comes first.
"""

from __future__ import annotations

from typing import Any

import daphne.server

from dashboard.server.access_token import hide_token
from dashboard.server.daphne_request_limits import LimitedFactory, client_of
from dashboard.server.guard import Application
from dashboard.server.response_backpressure import end_with_client, wait_to_write
from dashboard.server.spooled_body import BODY_CHUNK, SpooledBody, read_spooled_bodies

daphne.server.HTTPFactory = LimitedFactory  # it has no setting for it


class DaphneServer(daphne.server.Server):  # type: ignore[misc] # daphne has no types
    """Guarantees for the scope: `client` is the other end of the connection, None for a Unix socket, whatever daphne's
    --proxy-headers reads from X-Forwarded-For; `root_path` is that of daphne's --root-path, whatever a client sends in
    Daphne-Root-Path. Its access log has no access token. `send` waits until a response's client has read enough of it.
    """

    def __init__(self, application: Application, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("request_buffer_size", BODY_CHUNK)
        super().__init__(read_spooled_bodies(end_with_client(application)), *args, **kwargs)

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """The application of one request or socket."""
        scope["client"] = client_of(protocol.transport.getPeer())
        scope["root_path"] = self.root_path
        queue = super().create_application(protocol, scope)
        return queue if queue is None or scope["type"] != "http" else SpooledBody(queue, protocol.content)

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Send a message of the application."""
        await wait_to_write(protocol, message)
        await super().handle_reply(protocol, message)

    def log_action(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        """Write a line of the access log."""
        super().log_action(protocol, action, {**details, "path": hide_token(details["path"])})
