"""Tests of the limits of open connections."""

from __future__ import annotations

import logging
import resource
from collections import Counter

import pytest

from dashboard.runtime.open_files_limit import raise_open_files_limit
from dashboard.server.connection_limits import FEWEST, RESERVED_FILES, STRANGERS, Client, OpenConnections

PROXY, STRANGER = ("10.0.0.7", 4711), ("10.0.0.8", 4711)


def is_proxy(client: Client) -> bool:
    return client is not None and client[0] == PROXY[0]


def test_files_are_left_for_everything_else() -> None:
    connections = OpenConnections(RESERVED_FILES + 100, is_proxy, Counter())
    assert [connections.enter(PROXY) for _ in range(101)] == [True] * 100 + [False]
    connections.leave(PROXY)
    assert connections.enter(None)


def test_strangers_have_few_connections_together_and_take_none_from_the_proxy() -> None:
    connections = OpenConnections(1024, is_proxy, Counter())
    assert [connections.enter((f"10.1.0.{number}", 1)) for number in range(STRANGERS + 1)].count(True) == STRANGERS
    assert connections.enter(PROXY)
    assert connections.enter(None)  # a Unix socket
    connections.leave(("10.1.0.1", 1))
    assert connections.enter(STRANGER)


class Channel:
    """A connection that notes its end."""

    is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


def test_the_connection_that_was_idle_the_longest_makes_room() -> None:
    refused: Counter[str] = Counter()
    connections = OpenConnections(0, is_proxy, refused)
    channels = [Channel() for _ in range(FEWEST)]
    for channel in channels:
        assert connections.enter(PROXY)
        connections.idle(channel, PROXY)
    connections.busy(channels[0])
    connections.busy(channels[1])
    connections.idle(channels[1], PROXY)
    assert connections.enter(PROXY)
    assert [channel.is_aborted for channel in channels] == [number == 2 for number in range(FEWEST)]
    assert not refused


def test_a_stranger_makes_no_room_at_the_cost_of_the_proxys_connections() -> None:
    connections = OpenConnections(1024, is_proxy, Counter())
    for_proxy, for_stranger = Channel(), Channel()
    connections.enter(PROXY)
    connections.idle(for_proxy, PROXY)
    for _ in range(STRANGERS):
        connections.enter(STRANGER)
    assert not connections.enter(STRANGER)
    connections.idle(for_stranger, STRANGER)
    assert connections.enter(STRANGER)
    assert (for_stranger.is_aborted, for_proxy.is_aborted) == (True, False)


def test_a_process_with_few_files_serves_some_all_the_same() -> None:
    connections = OpenConnections(100, is_proxy, Counter())
    assert [connections.enter(PROXY) for _ in range(FEWEST + 1)].count(True) == FEWEST


def test_refusals_are_counted_and_the_first_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    refused: Counter[str] = Counter()
    connections = OpenConnections(1024, is_proxy, refused)
    with caplog.at_level(logging.WARNING, "dashboard"):
        for _ in range(STRANGERS + 3):
            connections.enter(STRANGER)
    assert refused == {"connections": 3}
    (logged,) = caplog.records
    assert "not the proxy's" in logged.message


def test_the_limit_of_open_files_is_raised_to_what_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, before[1]), before[1]))
    try:
        assert raise_open_files_limit() == before[1]
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
