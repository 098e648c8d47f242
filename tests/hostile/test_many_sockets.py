"""Attack: somebody opens more and more websockets, so that nobody else gets one."""

from __future__ import annotations

import contextlib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.controlplane import free_ports
from tests.support.program import Program, answers
from tests.support.raw_websocket import TEXT, RawWebSocket, frame
from tests.support.wait import until

USER_HEADER = "X-Forwarded-User"
pytestmark = pytest.mark.program


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Daphne's own command with Deltaboard behind a proxy that signs people in; its cluster cannot be reached."""
    (port,) = free_ports(1)
    env = {
        "DELTABOARD_SOCKETS": "5",
        "DELTABOARD_SOCKETS_PER_USER": "3",
        "DELTABOARD_TRUST_PROXY_USER": USER_HEADER,
        "DELTABOARD_RIGHTS": "account",
        "DELTABOARD_VAR": str(tmp_path),
        "KUBECONFIG": str(tmp_path / "none"),
        "REDIS_URL": "",
    }
    command = ("-m", "daphne", "-v", "0", "--websocket_timeout", "-1", "-b", "127.0.0.1", "-p", str(port))
    with Program(*command, "dashboard.asgi:application", env=env) as daphne:
        daphne.wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        yield port


def connect(port: int, user: str) -> RawWebSocket:
    return RawWebSocket(port, "/", headers={USER_HEADER: user})


def metrics(port: int) -> list[str]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={USER_HEADER: "prometheus"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(answer.read().decode()).splitlines()


@pytest.mark.long
def test_one_user_cannot_keep_others_out_and_all_together_have_a_limit(port: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            assert stack.enter_context(connect(port, "mallory")).next_heartbeat()
        for _ in range(10):
            assert stack.enter_context(connect(port, "mallory")).close_code() == 4503
        ann = stack.enter_context(connect(port, "ann"))
        assert ann.next_heartbeat()
        bob = stack.enter_context(connect(port, "bob"))
        assert bob.next_heartbeat()
        assert stack.enter_context(connect(port, "carol")).close_code() == 4503
        lines = metrics(port)
        assert 'deltaboard_sockets_turned_away_total{limit="user"} 10.0' in lines
        assert 'deltaboard_sockets_turned_away_total{limit="process"} 1.0' in lines
        assert "deltaboard_sockets 5.0" in lines
        bob.close()
        until(lambda: "deltaboard_sockets 4.0" in metrics(port), what="his place is free")
        assert stack.enter_context(connect(port, "carol")).next_heartbeat()
        assert ann.next_heartbeat()


def test_daphnes_own_command_has_the_limits_of_messages_too(port: int) -> None:
    with connect(port, "mallory") as attacker:
        attacker.send(frame(TEXT, b'{"ack":1}') * 1000)
        assert attacker.close_code() == 4429
        line = 'deltaboard_sockets_refused_total{code="4429"} 1.0'
        until(lambda: line in metrics(port), what="the refusal is counted")
