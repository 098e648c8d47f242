"""Commands in containers (GET pods/NAME/exec over a websocket), which the demo's own shell answers.

Source: Kubernetes' pkg/registry/core/pod/rest/subresources.go and apimachinery's pkg/util/remotecommand.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import WSMsgType, web

from devcluster.server import request_options as options
from devcluster.server.api_errors import bad_request
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.pod_logs import POLL_SECONDS, chosen_container, pod_or_none, read_pod
from devcluster.server.logs.container_log import is_running
from devcluster.server.terminal.demo_shell import NOT_FOUND, SHELLS, DemoShell

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
KILLED = 137
"""Exit code of a command whose container ends."""
STDIN, STDOUT, ERROR, CLOSE = 0, 1, 3, 255


async def run_command(core: ApiServer, request: web.BaseRequest, namespace: str, name: str) -> web.StreamResponse:
    """Answer with a websocket, until the command or the client ends it. Raises Failure before that."""
    pod = read_pod(core, namespace, name)
    container = chosen_container(request.query.get("container", ""), pod)
    arguments = request.query.getall("command", [])
    if not arguments:
        raise bad_request("you must specify at least 1 command for the container")
    socket = web.WebSocketResponse(protocols=PROTOCOLS)
    if not socket.can_prepare(request).ok:
        raise bad_request("Upgrade request required")
    await socket.prepare(request)
    work = [
        asyncio.ensure_future(
            _run(socket, pod, container, arguments, core, has_terminal=options.parse_boolean(request.query, "tty"))
        ),
        asyncio.ensure_future(_until_killed(core, pod, container)),
    ]
    try:
        await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        status = next(each.result() for each in work if each.done())
    finally:
        for each in work:
            each.cancel()
    if not socket.closed:
        await socket.send_bytes(bytes([ERROR]) + json.dumps({"metadata": {}, **status}).encode())
        await socket.close()
    return socket


async def _until_killed(core: ApiServer, pod: dict[str, Any], container: str) -> dict[str, Any]:
    """Wait until the container has ended, or its pod is gone; returns the Status of a command that it takes with it."""
    namespace, name, uid = (pod["metadata"][field] for field in ("namespace", "name", "uid"))
    while True:
        await asyncio.sleep(POLL_SECONDS)
        now = pod_or_none(core, namespace, name)
        if now is None or now["metadata"]["uid"] != uid or not is_running(now, container):
            return _exit_status(KILLED)


async def _run(
    socket: web.WebSocketResponse,
    pod: dict[str, Any],
    container: str,
    arguments: list[str],
    core: ApiServer,
    *,
    has_terminal: bool,
) -> dict[str, Any]:
    """Run the command; returns the Status of its end."""
    if not is_running(pod, container):  # which only the kubelet finds out
        return _internal_error(f'unable to upgrade connection: container not found ("{container}")')
    shell = DemoShell(pod, container, core.now)
    if arguments[0] in SHELLS:
        code = await _converse(socket, shell)
    else:
        output, code = shell.run(arguments)
        if code == NOT_FOUND:
            words = f'exec: "{arguments[0]}": executable file not found in $PATH'
            return _internal_error(f"{words} (no containers run in the demo cluster)")
        if has_terminal:
            output = output.replace("\n", "\r\n")
        await socket.send_bytes(bytes([STDOUT]) + output.encode())
    return {"status": "Success"} if code == 0 else _exit_status(code)


def _exit_status(code: int) -> dict[str, Any]:
    return {
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


async def _converse(socket: web.WebSocketResponse, shell: DemoShell) -> int:
    """Pass what is typed to the shell, until it ends or the client is gone. Returns its exit code."""
    await socket.send_bytes(bytes([STDOUT]) + shell.begin().encode())
    async for message in socket:
        if message.type is not WSMsgType.BINARY or not message.data:
            continue
        channel, content = message.data[0], message.data[1:]
        typed = "\x04" if channel == CLOSE else content.decode(errors="replace") if channel == STDIN else ""
        if shown := shell.feed(typed):
            await socket.send_bytes(bytes([STDOUT]) + shown.encode())
        if shell.exit_code is not None:
            return shell.exit_code
    return 0


def _internal_error(words: str) -> dict[str, Any]:
    message = f"Internal error occurred: {words}"
    return {"status": "Failure", "reason": "InternalError", "code": 500, "message": message}
