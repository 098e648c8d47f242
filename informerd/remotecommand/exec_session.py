"""Session of one command in a container: input, output, size of the terminal, and how it ends.

The API server speaks `v5.channel.k8s.io` (KEP-4006): each message begins with the number of its channel. Source:
apimachinery's pkg/util/httpstream/wsstream/conn.go and client-go's tools/remotecommand/websocket.go.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlencode

import msgspec
from aiohttp import ClientError, ClientWebSocketResponse, WSMsgType

from informerd.errors import InvalidCall, Unreachable
from informerd.remotecommand.exit_status import ExitStatus, read_exit_status
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.request import object_path

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""Those that are spoken, the best first. Before v5 (Kubernetes 1.29) the end of the input cannot be told."""
MAX_INPUT_BYTES = 16 * 1024
"""Bytes of a message of input; more is sent as several."""
MAX_SIZE = 2**16 - 1
STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
Stream = Literal["stdout", "stderr"]
_STREAMS: dict[int, Stream] = {STDOUT: "stdout", STDERR: "stderr"}


class Output(NamedTuple):
    """Bytes that the command wrote; a character may be cut in two."""

    stream: Stream
    content: bytes


class ExecSession:
    """A command that runs. Iterate over it to get its output; after the last there is a `status`."""

    def __init__(self, socket: ClientWebSocketResponse, *, has_input: bool, has_terminal: bool) -> None:
        self.status: ExitStatus | None = None
        """How it ended; None while it runs."""
        self._socket = socket
        self._has_input = has_input
        self._has_terminal = has_terminal

    @property
    def protocol(self) -> str:
        """The protocol that the API server chose."""
        return self._socket.protocol or ""

    async def __aiter__(self) -> AsyncIterator[Output]:
        async for message in self._socket:
            content = message.data if message.type is WSMsgType.BINARY else str(message.data).encode()
            channel, content = content[:1], content[1:]
            if not channel:
                continue
            if channel[0] == ERROR:
                self.status = read_exit_status(content)
            elif (stream := _STREAMS.get(channel[0])) is not None and content:
                yield Output(stream, content)
        if self.status is None:
            error = self._socket.exception()
            why = f": {error}" if error is not None and str(error) else ""
            self.status = ExitStatus(None, f"the connection to the container broke{why}", is_broken=True)

    async def send(self, content: bytes) -> None:
        """Give it input. Raises InvalidCall where it was opened without, Unreachable where the connection broke."""
        if not self._has_input:
            raise InvalidCall("the command was started without input")
        for start in range(0, len(content), MAX_INPUT_BYTES):
            await self._send(STDIN, content[start : start + MAX_INPUT_BYTES])

    async def end_input(self) -> None:
        """Tell it that its input has ended; nothing to do where the API server does not speak v5."""
        if self.protocol == PROTOCOLS[0]:
            await self._send(CLOSE, bytes([STDIN]))

    async def resize(self, columns: int, rows: int) -> None:
        """Tell its terminal the size, in characters. Raises InvalidCall for a size that no terminal has."""
        if not self._has_terminal:
            raise InvalidCall("the command has no terminal")
        if not (0 < columns <= MAX_SIZE and 0 < rows <= MAX_SIZE):
            raise InvalidCall(f"{columns} × {rows} is not the size of a terminal")
        await self._send(RESIZE, msgspec.json.encode({"Width": columns, "Height": rows}))

    async def close(self) -> None:
        """End the connection. The kubelet ends the command's terminal with it; a command without one may go on."""
        await self._socket.close()

    async def _send(self, channel: int, content: bytes) -> None:
        try:
            await self._socket.send_bytes(bytes([channel]) + content)
        except (ClientError, OSError) as error:
            raise Unreachable(f"the connection to the container broke: {error}") from error


@contextlib.asynccontextmanager
async def open_exec(
    client: Client,
    namespace: str,
    pod: str,
    command: Sequence[str],
    *,
    container: str = "",
    tty: bool = False,
    stdin: bool = False,
) -> AsyncIterator[ExecSession]:
    """Start a command in a container (the first one where none is named), with a terminal and input where wanted.

    A terminal has no stderr of its own. Raises as `RestClient.websocket`: Forbidden without the right to ``get``
    ``pods/exec`` (and, since Kubernetes 1.35, to ``create`` it), NotFound without such a pod, BadRequest without such a
    container, and InvalidCall without a command. That the container has no such program is no error: see the session's
    status.
    """
    if not command:
        raise InvalidCall("a command has at least the name of a program")
    query = [("command", each) for each in command]
    query += [("container", container)] if container else []
    wanted = {"stdin": stdin, "stdout": True, "stderr": not tty, "tty": tty}
    query += [(name, "true") for name, is_wanted in wanted.items() if is_wanted]
    path = f"{object_path(PODS, pod, namespace, 'exec')}?{urlencode(query)}"
    async with client.websocket(path, protocols=PROTOCOLS) as socket:
        yield ExecSession(socket, has_input=stdin, has_terminal=tty)
