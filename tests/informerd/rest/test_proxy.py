"""Tests of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go's programs read them."""

from __future__ import annotations

import pytest

from informerd.errors import ConfigError
from informerd.rest.proxy import proxy_for

PROXY = {"HTTPS_PROXY": "http://proxy:3128"}


@pytest.mark.parametrize(
    ("server", "environ", "expected"),
    [
        ("https://api.example", {}, ""),
        ("https://api.example", PROXY, "http://proxy:3128"),
        ("https://api.example", {"https_proxy": "proxy:3128"}, "http://proxy:3128"),
        ("https://api.example", {"HTTP_PROXY": "http://other"}, ""),
        ("http://api.example", {"HTTP_PROXY": "http://other"}, "http://other"),
        ("https://localhost:6443", PROXY, ""),
        ("https://127.0.0.1:6443", PROXY, ""),
        ("https://[::1]:6443", PROXY, ""),
    ],
)
def test_the_scheme_chooses_the_variable_and_loopback_goes_direct(
    server: str, environ: dict[str, str], expected: str
) -> None:
    assert proxy_for(server, environ) == expected


@pytest.mark.parametrize(
    ("server", "exception", "direct"),
    [
        ("https://api.example", "*", True),
        ("https://api.example", "api.example", True),
        ("https://api.example", "other, API.example", True),
        ("https://api.example", "example", True),
        ("https://api.example", ".example", True),
        ("https://api.example", "*.example", True),
        ("https://example", ".example", False),
        ("https://api.example", "pi.example", False),
        ("https://api.example:6443", "api.example:6443", True),
        ("https://api.example:6443", "api.example:443", False),
        ("https://api.example", "api.example:443", True),
        ("https://10.1.2.3:6443", "10.0.0.0/8", True),
        ("https://11.1.2.3:6443", "10.0.0.0/8", False),
        ("https://api.example", "10.0.0.0/8", False),
        ("https://10.1.2.3", "10.1.2.3", True),
        ("https://[fd00::1]:6443", "fd00::1", True),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", True),
        ("https://[fd00::1]:6443", "fd00::/8", True),
        ("https://api.example", "", False),
    ],
)
def test_no_proxy_names_what_goes_direct(server: str, exception: str, direct: bool) -> None:
    assert (proxy_for(server, {**PROXY, "NO_PROXY": exception}) == "") is direct


@pytest.mark.parametrize("proxy", ["socks5://proxy:1080", "http://", "http://proxy:port"])
def test_a_proxy_that_cannot_be_used_is_refused_without_showing_it(proxy: str) -> None:
    with pytest.raises(ConfigError, match=r"^the variable HTTPS_PROXY must name a proxy as"):
        proxy_for("https://api.example", {"HTTPS_PROXY": proxy})
