"""Tests of the readers of environment variables."""

from __future__ import annotations

import pytest

from dashboard.runtime.environment import read_listen_address


@pytest.mark.parametrize("value", ["", ":9100", "127.0.0.1:9100", "localhost:1", "[::1]:9100"])
def test_an_address_to_listen_on_is_taken_as_it_is(value: str) -> None:
    assert read_listen_address(value) == value


@pytest.mark.parametrize("value", ["9100", "localhost", "a:0", "a:99999", "a:b", "http://a:1", "a:1/metrics", "b@a:1"])
def test_what_is_no_address_to_listen_on_is_refused_with_an_example(value: str) -> None:
    with pytest.raises(ValueError, match=r"is not host:port, such as 127\.0\.0\.1:9100"):
        read_listen_address(value)
