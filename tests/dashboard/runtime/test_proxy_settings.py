"""Tests of the settings of an authenticating proxy: bad ones are refused with a sentence."""

from __future__ import annotations

import pytest

from dashboard.runtime.proxy_settings import read_header_name, read_peers, read_proxy_secret


@pytest.mark.parametrize("text", ["", ",", "10.0.0.1/8", "proxy.example", "10.0.0.0/99", "*"])
def test_peers_that_mean_nothing_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"Write an address|names no address"):
        read_peers(text)


def test_a_header_that_cannot_arrive_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="Headers with an underscore are dropped"):
        read_header_name("X_Forwarded_User")
    with pytest.raises(ValueError, match="printable ASCII") as refused:
        read_proxy_secret("geheim,ø")
    assert "geheim" not in str(refused.value)
