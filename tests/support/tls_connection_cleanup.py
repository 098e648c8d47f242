"""Cleanup of closed TLS connections that still wait for the peer's close_notify when a test's event loop ends.

A server closes a TLS connection by sending close_notify, and keeps its socket until the other side has sent the same,
for 30 s at most. Where both are in this process and the loop ends before, the socket is left to the garbage collector,
which reports a leak in whichever test runs then. The kernel decides when a close_notify arrives, so no number of turns
is enough to wait for it. A connection that nobody closed stays as it is, and is still reported: it is a leak.
"""

from __future__ import annotations

import asyncio
from asyncio.selector_events import BaseSelectorEventLoop
from asyncio.sslproto import SSLProtocol, SSLProtocolState

_WAITING = (SSLProtocolState.FLUSHING, SSLProtocolState.SHUTDOWN)
_close = BaseSelectorEventLoop.close


def abort_unanswered_close_notify() -> None:
    """From now on every event loop of this process does so before it is closed. May be called again."""
    BaseSelectorEventLoop.close = _abort_and_close  # type: ignore[assignment, method-assign]


def _abort_and_close(loop: BaseSelectorEventLoop) -> None:
    if not loop.is_closed() and not loop.is_running():
        waiting = [each for each in list(loop._transports.values()) if _is_waiting(each)]  # type: ignore[attr-defined]
        for transport in waiting:
            transport.abort()
        if waiting:
            loop.run_until_complete(asyncio.sleep(0))  # in this turn their sockets are closed
    _close(loop)


def _is_waiting(transport: asyncio.Transport) -> bool:
    """Whether it carries a TLS connection that was closed on this side."""
    protocol = transport.get_protocol()
    return isinstance(protocol, SSLProtocol) and protocol._state in _WAITING  # type: ignore[attr-defined]
