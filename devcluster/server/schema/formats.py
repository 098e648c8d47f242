"""String formats of schemas, validated as in kube-openapi's validation/strfmt."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType

_DATE_TIME = r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})"
_HOSTNAME = (
    r"(?=.{1,253}\.?$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*\.?"
)
_UUID = r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_DURATION = r"([0-9]+(\.[0-9]+)?\s*[a-zµ]+\s*)+"


@lru_cache(maxsize=1024)
def is_ip(text: str) -> bool:
    """IPv4 or IPv6, without zone and without leading zeros."""
    return is_ipv4(text) or is_ipv6(text)


def is_ipv4(text: str) -> bool:
    return _parses(ipaddress.IPv4Address, text)


def is_ipv6(text: str) -> bool:
    return "%" not in text and _parses(ipaddress.IPv6Address, text)


def is_base64(text: str) -> bool:
    return _parses(lambda value: base64.b64decode(value, validate=True), text)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except (ValueError, binascii.Error):
        return False
    return True


def _is_email(text: str) -> bool:
    name, _, host = text.partition("@")
    return re.fullmatch(r"[^@\s]+", text.replace("@", "", 1)) is not None and bool(name) and "." in host[1:-1]


def _pattern(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


FORMATS: MappingProxyType[str, Callable[[str], bool]] = MappingProxyType(
    {
        "ipv4": is_ipv4,
        "ipv6": is_ipv6,
        "cidr": lambda text: "/" in text and _parses(lambda t: ipaddress.ip_network(t, strict=False), text),
        "byte": is_base64,
        "date": _pattern(r"\d{4}-\d{2}-\d{2}"),
        "date-time": _pattern(_DATE_TIME),
        "datetime": _pattern(_DATE_TIME),
        "duration": _pattern(_DURATION),
        "email": _is_email,
        "hostname": _pattern(_HOSTNAME),
        "mac": _pattern(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"),
        "uri": _pattern(r"[A-Za-z][A-Za-z0-9+.-]*:\S+|/\S*"),
        "uuid": _pattern(_UUID),
    }
)
"""Formats that are checked; any other is ignored, as the real server does."""
