"""String formats of schemas, checked like the API server does; unknown ones pass.

They are those of kube-openapi's validation/strfmt that can be checked without doubt.
"""

from __future__ import annotations

import binascii
import ipaddress
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from types import MappingProxyType

_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_UUID = re.compile(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_QUANTITY = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?(\d+(\.\d*)?|\.\d+)))?")
_MAC = re.compile(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        try:
            parse(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return fits


def _whole(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _is_cidr(text: str) -> bool:
    """As Go's net.ParseCIDR, which wants a length and no netmask."""
    return text.rpartition("/")[2].isdecimal() and "/" in text and _is_network(text)


_is_network = _parses(lambda text: ipaddress.ip_network(text, strict=False))
_FORMATS: Mapping[str, tuple[Callable[[str], bool], str]] = MappingProxyType({
    "date-time": (_whole(_DATE_TIME), "a date and time such as 2026-11-21T20:30:00Z"),
    "date": (_whole(_DATE), "a date such as 2026-11-21"),
    "ipv4": (_parses(ipaddress.IPv4Address), "an IPv4 address such as 10.0.0.1"),
    "ipv6": (_parses(ipaddress.IPv6Address), "an IPv6 address such as 2001:db8::17"),
    "cidr": (_is_cidr, "a network such as 10.0.0.0/24"),
    "uuid": (_whole(_UUID), "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    "mac": (_whole(_MAC), "a MAC address such as 00:1a:2b:3c:4d:5e"),
    "byte": (_parses(lambda text: b64decode(text, validate=True)), "base64"),
    "quantity": (_whole(_QUANTITY), "a quantity such as 500m, 1.5 or 2Gi"),
})  # fmt: skip
_OTHERS: Mapping[str, str] = MappingProxyType({
    "uri": "an address such as https://example.com/path", "email": "an e-mail address", "hostname": "a host name",
    "duration": "a duration such as 1h30m", "password": "a secret",
})  # fmt: skip


def fits_format(text: str, name: str) -> bool:
    """Whether `text` has the format; true for one that is not known."""
    known = _FORMATS.get(name)
    return known is None or known[0](text)


def format_words(name: str) -> str:
    """``an IPv4 address such as 10.0.0.1``; empty for a format that is not known."""
    known = _FORMATS.get(name)
    return known[1] if known is not None else _OTHERS.get(name, "")
