"""Which addresses this machine alone can reach, and why we bind to no other without sign-in."""

from __future__ import annotations

import ipaddress


class BindRefused(Exception):
    """The address asked for would let others in; the message is a sentence for the person who asked."""


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an IP, brackets allowed) reaches this machine only."""
    bare = host.strip("[]").partition("%")[0]
    if bare.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def check_bind(host: str, *, proxy_user_header: str) -> None:
    """Raise BindRefused unless `host` is this machine's own or a signing-in proxy is trusted."""
    if is_loopback(host) or proxy_user_header.strip():
        return
    raise BindRefused(
        f"Deltaboard does not listen on {host}: it has no sign-in yet, and whoever reaches it may read and change the "
        "cluster. Listen on 127.0.0.1, or put a proxy in front that signs people in and name the header it sets in "
        "DELTABOARD_TRUST_PROXY_USER."
    )
