"""What settings say of an authenticating proxy: the header with the user, where it connects from, its secret."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

UNIX_SOCKET = "unix"
_HEADER = re.compile(r"[A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class ProxyPeers:
    """Addresses from which the proxy connects."""

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
    has_unix_socket: bool = False
    """Whether connections through a Unix socket come from the proxy."""

    def includes(self, client: Sequence[object] | None) -> bool:
        """Whether the other end of a connection is one of them: host and port, None for a Unix socket."""
        if client is None:
            return self.has_unix_socket
        try:
            address = ipaddress.ip_address(str(client[0]).partition("%")[0])
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self.networks)


def read_peers(text: str) -> ProxyPeers:
    """Addresses, networks and the word “unix”, separated by commas. Raises ValueError."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not entries:
        raise ValueError("it names no address, so nobody could sign in. Leave it out for the addresses of this machine")
    networks = tuple(_network(entry) for entry in entries if entry != UNIX_SOCKET)
    return ProxyPeers(networks, has_unix_socket=UNIX_SOCKET in entries)


def read_header_name(text: str) -> str:
    """The name of a header. Raises ValueError for one that cannot arrive."""
    if _HEADER.fullmatch(text):
        return text
    raise ValueError(
        f"{text!r} is not a header that can arrive: write letters, digits and dashes. "
        "Headers with an underscore are dropped, because a proxy may take them for the same with a dash"
    )


def read_proxy_secret(text: str) -> str:
    """The secret of a header. Raises ValueError where a header cannot contain it; the message does not repeat it."""
    if text.isascii() and text.isprintable() and "," not in text:
        return text
    raise ValueError("it must be printable ASCII without a comma, because the proxy sends it in a header")


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ValueError(
            f"{error}. Write an address such as 10.0.0.7, a network such as 10.0.0.0/24, or {UNIX_SOCKET}"
        ) from None
