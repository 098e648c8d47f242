"""Tests of the guard that ends a test which starts a program without saying so."""

from __future__ import annotations

import contextlib
import socket

import pytest

from tests.support.external_program_guard import Guard


@pytest.fixture
def guard() -> Guard:
    """One that hears of nothing but what a test tells it."""
    return Guard()


def meet(guard: Guard, event: str, *arguments: object) -> None:
    """Something happens in a test, in code that catches whatever is raised there."""
    with guard.watching(), contextlib.suppress(AssertionError):
        guard.audit(event, arguments)


def test_a_program_is_refused_even_where_somebody_catches_it(guard: Guard) -> None:
    with pytest.raises(AssertionError, match=r"starts a program .*redis-server.*: mark it"):
        meet(guard, "subprocess.Popen", "redis-server", ["redis-server"], None, None)


def test_the_next_test_is_not_blamed_for_it(guard: Guard) -> None:
    with pytest.raises(AssertionError):
        meet(guard, "os.fork")
    with guard.watching():
        pass


def test_what_another_program_serves_is_refused_and_what_this_one_or_nobody_serves_is_not(guard: Guard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(AssertionError, match="which another program serves"):
            meet(guard, "socket.connect", None, server.getsockname())
        guard.audit("socket.bind", (server, server.getsockname()))
        meet(guard, "socket.connect", None, server.getsockname())
        address = server.getsockname()
    meet(guard, "socket.connect", None, address)


def test_another_machine_is_refused(guard: Guard) -> None:
    with pytest.raises(AssertionError):
        meet(guard, "socket.connect", None, ("192.0.2.1", 443))


def test_between_tests_everything_goes(guard: Guard) -> None:
    guard.audit("os.fork", ())
