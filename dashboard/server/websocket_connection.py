"""The connection of a websocket as its consumer sees it: close codes, limits, and whether anything can be written."""

from __future__ import annotations

from contextvars import ContextVar

BAD_MESSAGE = 4400
NOT_FOUND = 4404
TOO_MUCH = 4429
BUSY = 4503
"""Close codes of refusals. Pages show each in a sentence and try again after 4503 only, see
static/js/live/status_text.js.
"""
MAX_MESSAGE_BYTES = 16 * 1024
"""Maximum bytes of a message from a browser."""


class WebSocketConnection:
    """A connection without limits, as under servers other than daphne and in tests of a consumer alone."""

    refusal: int | None = None
    """The close code with which the connection has refused what the browser sent, before the consumer saw it."""
    is_writable = True
    """Whether the transport takes more: it does not while it holds bytes that the browser does not read."""

    async def wait_until_writable(self) -> None:
        """Return once the transport takes more."""

    def message_handled(self) -> None:
        """The consumer has handled the last message; the next one may come."""

    def abort(self) -> None:
        """End the connection now, whatever has not been written."""


CONNECTION: ContextVar[WebSocketConnection] = ContextVar("websocket connection", default=WebSocketConnection())  # noqa: B039 -- it has no state
"""The connection that the running task serves. A context variable: daphne's scope has no place for it."""
