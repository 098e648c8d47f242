"""Choice of the HTTP proxy for an address from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go reads them.

Source of the rules: golang.org/x/net/http/httpproxy, which kubectl and client-go use.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from informerd.errors import ConfigError

SCHEMES = ("http", "https")
"""Kinds of proxies that can be used; SOCKS is none of them."""

_DEFAULT_PORTS = {"https": 443, "http": 80}


def proxy_for(server: str, environ: Mapping[str, str]) -> str:
    """The proxy's URL for `server`, or empty where it is to be reached directly.

    Loopback addresses and localhost are never proxied. Raises ConfigError for a proxy of a kind that cannot be used.
    """
    parts = urlsplit(server)
    host, port = parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    name = f"{parts.scheme}_proxy"
    proxy = _variable(environ, name)
    if not proxy or _is_loopback(host) or _is_excepted(host, port, _variable(environ, "no_proxy")):
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not is_usable(proxy):
        raise ConfigError(f"the variable {name.upper()} must name a proxy as http://host:port or https://host:port")
    return proxy


def is_usable(proxy: str) -> bool:
    """Whether requests can go through the proxy of this URL."""
    try:
        parts = urlsplit(proxy)
        return parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is no number
        return False


def _variable(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name.upper()) or environ.get(name) or ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_excepted(host: str, port: int, no_proxy: str) -> bool:
    exceptions = (each.strip().lower() for each in no_proxy.split(","))
    return any(_matches(host.lower(), port, each) for each in exceptions if each)


def _matches(host: str, port: int, exception: str) -> bool:
    """Whether one entry of NO_PROXY means `host`: ``*``, a network, an address, a domain, or a name with a port."""
    if exception == "*":
        return True
    if "/" in exception:
        return _in_network(host, exception)
    name, wanted_port = _split_port(exception)
    if wanted_port and wanted_port != port:
        return False
    if name.startswith("*."):
        name = name[1:]
    if name.startswith("."):
        return host.endswith(name)
    return host == name or (host.endswith(f".{name}") and not _is_address(name))


def _split_port(exception: str) -> tuple[str, int]:
    if _is_address(exception):  # a bare IPv6 address is full of colons
        return exception, 0
    name, colon, port = exception.rpartition(":")
    if colon and port.isdigit():
        return name.strip("[]"), int(port)
    return exception.strip("[]"), 0


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _in_network(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
