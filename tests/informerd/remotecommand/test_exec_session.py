"""Tests of commands in containers: output, input, exit codes and refusals, of a real API server and a scripted one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from informerd.errors import ApiError, BadRequest, Forbidden, InvalidCall, MalformedAnswer, NotFound, Unreachable
from informerd.remotecommand import ExecSession, ExitStatus, open_exec
from informerd.remotecommand.exec_session import MAX_INPUT_BYTES, PROTOCOLS
from informerd.remotecommand.exit_status import read_exit_status
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.kubelet_logs import LoggingPod, kubelet_with_logs
from tests.support.scripted_exec import SUCCESS, client_of, exec_client, failure
from tests.support.skip_if_missing import controlplane_binaries

EXEC = Path(__file__).parents[2] / "support" / "kwok_exec.yaml"


async def read_all(session: ExecSession) -> tuple[bytes, bytes]:
    """What the command writes to stdout and stderr until it ends."""
    found: dict[str, bytes] = {"stdout": b"", "stderr": b""}
    async for stream, content in session:
        found[stream] += content
    return found["stdout"], found["stderr"]


# --- a real API server, with kwok as the kubelet, which runs commands on this machine ---


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    controlplane = ControlPlane(tmp_path_factory.mktemp("exec"), controlplane_binaries())
    try:
        controlplane.start()
        folder = tmp_path_factory.mktemp("kubelet")
        with kubelet_with_logs(controlplane, folder, EXEC):
            controlplane.create_namespace("shop")
            LoggingPod(controlplane, "shop", "web", folder)
            yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture
async def client(cluster: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(cluster.kubeconfig)) as made:
        yield made


@pytest.mark.controlplane
@pytest.mark.long
async def test_a_command_writes_to_both_streams_and_ends(client: Client) -> None:
    script = "echo to stdout; echo to stderr >&2"
    async with open_exec(client, "shop", "web", ["sh", "-c", script]) as session:
        assert session.protocol == PROTOCOLS[0]
        assert await read_all(session) == (b"to stdout\n", b"to stderr\n")
        assert session.status == ExitStatus(0)


@pytest.mark.controlplane
@pytest.mark.long
async def test_input_of_any_length_comes_to_the_command(client: Client) -> None:
    content = bytes(range(256)) * 2_000 + b"the end"
    command = ["head", "-c", str(len(content))]  # kwok never tells a command that its input has ended
    async with open_exec(client, "shop", "web", command, container="main", stdin=True) as session:
        reading = asyncio.create_task(read_all(session))
        await session.send(content)
        async with asyncio.timeout(30):
            assert await reading == (content, b"")
        assert session.status == ExitStatus(0)


@pytest.mark.controlplane
@pytest.mark.long
async def test_a_terminal_is_one_and_tells_its_exit_code(client: Client) -> None:
    script = "test -t 0 && echo a terminal; read line; echo got $line; exit 7"
    async with open_exec(client, "shop", "web", ["sh", "-c", script], tty=True, stdin=True) as session:
        await session.resize(100, 30)
        await session.send(b"something\n")
        output, errors = await read_all(session)
        assert b"a terminal" in output
        assert b"got something" in output
        assert errors == b""
        assert session.status is not None
        assert "exit status 7" in session.status.message  # kwok tells it in words only


@pytest.mark.controlplane
@pytest.mark.long
async def test_the_api_servers_own_refusals_are_raised(client: Client, cluster: ControlPlane) -> None:
    with pytest.raises(NotFound, match='pods "none" not found'):
        async with open_exec(client, "shop", "none", ["sh"]):
            pass
    with pytest.raises(BadRequest, match="container other is not valid for pod web"):
        async with open_exec(client, "shop", "web", ["sh"], container="other"):
            pass
    async with Client(load_kubeconfig(cluster.kubeconfig_of("alice"))) as alice:
        with pytest.raises(Forbidden, match=r'cannot get resource "pods/exec"'):
            async with open_exec(alice, "shop", "web", ["sh"]):
                pass


@pytest.mark.controlplane
@pytest.mark.long
async def test_a_program_that_is_not_there_ends_the_session_with_a_message(client: Client) -> None:
    async with open_exec(client, "shop", "web", ["/no/such/program"]) as session:
        await read_all(session)
        assert session.status is not None
        assert session.status.code != 0
        assert "/no/such/program" in session.status.message


# --- an API server of the test's own, for what kwok does not do ---


async def test_an_exit_code_is_told_after_all_output() -> None:
    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        assert request.query.getall("command") == ["sh", "-c", "exit 3 & more"]
        assert {name: request.query.get(name) for name in ("stdin", "stdout", "stderr", "tty")} == {
            "stdin": None, "stdout": "true", "stderr": "true", "tty": None,
        }  # fmt: skip
        for message in (b"", b"\x01", b"\x01half \xc3", b"\x01\xbc", b"\x07unknown", b"\x02oh", failure("3")):
            await socket.send_bytes(message)

    async with exec_client(speak) as client, open_exec(client, "shop", "web", ["sh", "-c", "exit 3 & more"]) as session:
        assert session.status is None
        assert await read_all(session) == ("half ü".encode(), b"oh")
        assert session.status == ExitStatus(3)


async def test_a_terminal_has_a_size_and_input_in_messages_of_limited_length() -> None:
    got: list[bytes] = []

    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        assert (request.query.get("tty"), request.query.get("stderr")) == ("true", None)
        async for message in socket:
            assert message.type is WSMsgType.BINARY
            got.append(message.data)
            if message.data[:1] == b"\xff":
                await socket.send_bytes(SUCCESS)
                await socket.close()

    async with exec_client(speak) as client, open_exec(client, "shop", "web", ["sh"], tty=True, stdin=True) as session:
        await session.resize(120, 40)
        await session.send(b"x" * (MAX_INPUT_BYTES + 1))
        await session.send(b"")
        await session.end_input()
        await read_all(session)
        assert session.status == ExitStatus(0)
        for size in ((0, 40), (80, 2**16), (-1, 1)):
            with pytest.raises(InvalidCall, match="size of a terminal"):
                await session.resize(*size)
    assert json.loads(got[0].removeprefix(b"\x04")) == {"Width": 120, "Height": 40}
    assert [(each[:1], len(each) - 1) for each in got[1:3]] == [(b"\x00", MAX_INPUT_BYTES), (b"\x00", 1)]
    assert got[3:] == [b"\xff\x00"]


async def test_a_connection_that_breaks_is_an_end_without_an_exit_code() -> None:
    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        await socket.send_bytes(b"\x01begun")
        assert request.transport is not None
        request.transport.abort()

    async with exec_client(speak) as client, open_exec(client, "shop", "web", ["sh"], stdin=True) as session:
        assert await read_all(session) == (b"begun", b"")
        assert session.status is not None
        assert session.status.code is None
        assert "the connection to the container broke" in session.status.message
        assert session.status.is_broken
        with pytest.raises(Unreachable, match="the connection to the container broke"):
            await session.send(b"more")


async def test_an_older_server_speaks_the_older_protocol_and_is_not_told_of_the_end_of_input() -> None:
    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        message = await socket.receive()
        assert message.data == b"\x00exit\n"
        await socket.send_bytes(failure("1"))

    older = exec_client(speak, PROTOCOLS[1:])
    async with older as client, open_exec(client, "shop", "web", ["sh"], stdin=True) as session:
        assert session.protocol == PROTOCOLS[1]
        await session.end_input()
        await session.send(b"exit\n")
        await read_all(session)
        assert session.status == ExitStatus(1)


async def test_a_server_that_speaks_another_protocol_is_no_api_server() -> None:
    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        await socket.close()

    async with exec_client(speak, ("chat",)) as client:
        with pytest.raises(MalformedAnswer, match="speaks none of"):
            async with open_exec(client, "shop", "web", ["sh"]):
                pass


@pytest.mark.parametrize("status", [200, 302, 403, 500])
async def test_an_answer_that_is_no_websocket_is_an_error_and_no_redirect_is_followed(status: int) -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": "/elsewhere"}, text="nothing here")

    async with client_of(answer) as client:
        with pytest.raises((ApiError, MalformedAnswer)):
            async with open_exec(client, "shop", "web", ["sh"]):
                pass
    assert len(asked) == 1


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    async with Client(ClusterConfig(name="scripted", server="http://127.0.0.1:1")) as client:
        with pytest.raises(Unreachable, match="refused the connection"):
            async with open_exec(client, "shop", "web", ["sh"]):
                pass


async def test_what_was_opened_without_takes_no_input_and_has_no_size() -> None:
    async def speak(socket: web.WebSocketResponse, request: web.Request) -> None:
        await socket.receive()

    async with exec_client(speak) as client:
        async with open_exec(client, "shop", "web", ["sh"]) as session:
            with pytest.raises(InvalidCall, match="without input"):
                await session.send(b"x")
            with pytest.raises(InvalidCall, match="no terminal"):
                await session.resize(80, 24)
        with pytest.raises(InvalidCall, match="name of a program"):
            async with open_exec(client, "shop", "web", []):
                pass


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"status": "Success"}, ExitStatus(0)),
        ({"status": "Failure", "message": "container not found"}, ExitStatus(None, "container not found")),
        ({"status": "Failure", "reason": "InternalError"}, ExitStatus(None, "InternalError")),
        ({"status": "Failure", "reason": "NonZeroExitCode", "message": "odd"}, ExitStatus(None, "odd")),
        ({}, ExitStatus(None, "the command failed")),
        (b"error executing command\n", ExitStatus(None, "error executing command")),
        (b"\xff\xfe", ExitStatus(None, "\ufffd\ufffd")),
    ],
)
def test_every_end_is_understood(body: Any, status: ExitStatus) -> None:
    assert read_exit_status(body if isinstance(body, bytes) else json.dumps(body).encode()) == status
