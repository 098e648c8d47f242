"""Socket of a client's connection, which does not close a file descriptor that another connection has by now."""

from __future__ import annotations

import os
import socket

import aiohttp

_KEEPALIVE = (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 30_000))


class ConnectionSocket(socket.socket):
    """A socket that may be given to an event loop's `create_connection`.

    uvloop 0.23 closes the descriptor of a connection that is reset while it is made, and does not tell the socket
    object (it attaches the object after the transport has begun, see `Loop.create_connection`; compare
    MagicStack/uvloop#738). A plain socket closes the same number again when it is collected. By then it is likely to be
    another connection's: the event loop then refuses each further socket with this number, made or accepted.
    """

    def __init__(self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None) -> None:  # noqa: A002
        super().__init__(family, type, proto, fileno)
        self._file = _file_of(self.fileno())

    @property
    def has_descriptor(self) -> bool:
        """Whether its descriptor is open and still its own."""
        return self.fileno() >= 0 and _file_of(self.fileno()) == self._file

    def __del__(self) -> None:
        if not self.has_descriptor:
            self.detach()
        super().__del__()  # type: ignore[misc] # socket.socket has it


def new_socket(address: aiohttp.AddrInfoType) -> ConnectionSocket:
    """A socket that notices a peer which vanished without a word within half a minute, for a connector of aiohttp."""
    family, kind, protocol = address[:3]
    made = ConnectionSocket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


def _file_of(descriptor: int) -> tuple[int, int] | None:
    """Device and inode of what a descriptor has open: no two sockets have the same; None where it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
