"""Guard that ends a test which starts or connects to an external program without a marker that says so."""

from __future__ import annotations

import contextlib
import socket
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.external_program_markers import MARKERS

_LOOPBACK = ("127.", "::1", "localhost")
_EVERYWHERE = ("::", "0.0.0.0")
"""Addresses of all interfaces, which lead to this machine."""
_STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}
_LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""


class Guard:
    """Raises where a test starts a program, or connects to one, while `watching`; the test fails, whoever catches it.

    Connections to what this process serves are let through, and those to ports where nobody listens.
    """

    def __init__(self) -> None:
        self._on = False
        self._met: list[str] = []
        self._free: set[int] = set()
        """Ports at which nobody listened when this test asked; there are tests that try one a thousand times."""
        self._bound: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._installed = False

    def install(self) -> None:
        """Watch this process from now on; there is no way back."""
        if not self._installed:
            self._installed = True
            sys.addaudithook(self.audit)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Raises AssertionError at its end where something was met."""
        self._on, self._met, self._free = True, [], set()
        try:
            yield
        finally:
            self._on = False
        if self._met:
            raise AssertionError(self._met[0])

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Judge one event of `sys.addaudithook`."""
        if event == "socket.bind":
            self._bound.add(arguments[0])
        elif self._on and event in _STARTS:
            self._refuse(f"starts a program ({event} {str(arguments)[:200]})")
        elif self._on and event == "socket.connect" and self._is_elsewhere(arguments[1]):
            self._refuse(f"connects to {arguments[1]}, which another program serves")

    def _refuse(self, what: str) -> None:
        sentence = (
            f"the test {what}: mark it with one of {', '.join(MARKERS)} (see tests/support/external_program_markers.py)"
        )
        self._met.append(sentence)
        raise AssertionError(sentence)

    def _is_elsewhere(self, address: object) -> bool:
        if not isinstance(address, tuple):
            return isinstance(address, str | bytes) and bool(address)  # a Unix socket
        host, port = address[:2]
        if not str(host).startswith(_LOOPBACK) and host not in _EVERYWHERE:
            return True
        if port in self._free or port in self._own_ports():
            return False
        if _is_served(port):
            return True
        self._free.add(port)
        return False

    def _own_ports(self) -> set[int]:
        found = set()
        for each in self._bound:
            with contextlib.suppress(OSError):  # it is closed
                name = each.getsockname()
                if isinstance(name, tuple):
                    found.add(name[1])
        return found


def _is_served(port: int) -> bool:
    wanted = f":{port:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            lines = [line.split() for line in Path(table).read_text().splitlines()[1:]]
            if any(line[1].endswith(wanted) and line[3] == _LISTENS for line in lines):
                return True
    return False
