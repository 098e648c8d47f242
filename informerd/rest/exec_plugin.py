"""Credential plugins: programs that print an ExecCredential (client.authentication.k8s.io)."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from informerd.errors import UNREADABLE, CredentialsError
from informerd.rest.cluster_config import ClusterConfig, ExecConfig, TlsConfig

TIMEOUT = 60.0
"""Seconds a plugin may take."""
MAX_OUTPUT_BYTES = 2**20
"""Bytes that a plugin may print to its standard output."""
MAX_TOKEN_LENGTH = 2**16
"""Characters of a token. The API server takes headers of 1 MiB together, most proxies of a few KiB."""
PIPE_SECONDS = 1.0
"""Seconds for which its pipes are read once a plugin has ended: a program that it has started may keep them open."""
KILL_SECONDS = 5.0
"""Seconds for which a killed plugin is waited for."""

_STDERR_LIMIT = 2000
"""Bytes of its error output that are kept: the last ones."""
_NAME_LIMIT = 100
"""Characters of a name in an error."""
_STDOUT = 1


class ExecCredential(msgspec.Struct, frozen=True, rename="camel"):
    """The `status` a plugin prints: a token, a client certificate with its key, or both."""

    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(expiration_timestamp={self.expiration_timestamp!r})"

    @property
    def certificate(self) -> tuple[bytes, bytes] | None:
        """Certificate and key as PEM, where the plugin gave them."""
        if not self.client_certificate_data:
            return None
        return self.client_certificate_data.encode(), self.client_key_data.encode()

    @property
    def expires_at(self) -> float:
        """Unix seconds, infinity where it does not end. A time without a zone is UTC."""
        end = self.expiration_timestamp
        if end is None:
            return float("inf")
        return (end if end.tzinfo else end.replace(tzinfo=UTC)).timestamp()


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: ExecCredential | None = None


class _Run(asyncio.SubprocessProtocol):
    """One run of a plugin: what it prints, within bounds, until it is over."""

    def __init__(self) -> None:
        self.output = bytearray()
        """No more is kept once it has more than MAX_OUTPUT_BYTES."""
        self.errors = b""
        """The last _STDERR_LIMIT bytes."""
        self.over = asyncio.Event()
        """Set when the plugin has ended and all is read, or where it printed too much."""
        self.ended = asyncio.Event()
        """Set when the plugin has ended."""

    @property
    def has_printed_too_much(self) -> bool:
        return len(self.output) > MAX_OUTPUT_BYTES

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != _STDOUT:
            self.errors = (self.errors + data)[-_STDERR_LIMIT:]
        elif not self.has_printed_too_much:
            self.output += data
            if self.has_printed_too_much:
                self.over.set()

    def process_exited(self) -> None:
        self.ended.set()
        asyncio.get_running_loop().call_later(PIPE_SECONDS, self.over.set)

    def connection_lost(self, _error: Exception | None) -> None:
        self.over.set()


async def run_plugin(plugin: ExecConfig, cluster: ClusterConfig) -> ExecCredential:
    """Run the plugin once. Raises CredentialsError that says what failed, with the plugin's own words (stderr).

    It has TIMEOUT seconds and may print MAX_OUTPUT_BYTES. Where it is ended for that, or because the caller is
    cancelled, the programs that it started end with it.
    """
    if plugin.interactive:
        raise CredentialsError(f"exec plugin {plugin.command} needs a terminal (interactiveMode: Always)")
    process, run = await _started(plugin, cluster)
    try:
        async with asyncio.timeout(TIMEOUT):
            await run.over.wait()
    except TimeoutError as error:
        raise CredentialsError(f"exec plugin {plugin.command} did not end within {TIMEOUT:g} s") from error
    finally:
        await _end(process, run)
    if run.has_printed_too_much:
        raise CredentialsError(f"exec plugin {plugin.command} printed more than {MAX_OUTPUT_BYTES // 2**20} MiB")
    words = run.errors.decode(errors="replace").strip()
    if code := process.get_returncode():
        raise CredentialsError(f"exec plugin {plugin.command} ended with {code}: {words or 'no message'}")
    return _credential(plugin, bytes(run.output), words)


async def _started(plugin: ExecConfig, cluster: ClusterConfig) -> tuple[asyncio.SubprocessTransport, _Run]:
    """The plugin that was started. A cancelled caller waits until it is started, and ends it then: asyncio itself would
    kill the plugin without the programs that it started, and leave its pipes open.
    """
    starting = asyncio.create_task(_start(plugin, cluster), name="exec plugin's start")
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        if not starting.exception():
            await _end(*starting.result())
        raise


async def _start(plugin: ExecConfig, cluster: ClusterConfig) -> tuple[asyncio.SubprocessTransport, _Run]:
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": _spec(plugin, cluster)}
    environ = {**plugin.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode()}
    try:
        return await asyncio.get_running_loop().subprocess_exec(
            _Run,
            plugin.command,
            *plugin.args,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # its programs are one group then, and none can ask on our terminal
        )
    except (OSError, ValueError) as error:  # ValueError: what no program can be given, such as a null character
        hint = f"\n{plugin.install_hint}" if plugin.install_hint else ""
        words = getattr(error, "strerror", None) or error
        raise CredentialsError(f"exec plugin {plugin.command} cannot be run: {words}{hint}") from error


async def _end(process: asyncio.SubprocessTransport, run: _Run) -> None:
    """Close the plugin's pipes; where it has not ended, kill it first with all programs that it started."""
    try:
        if process.get_returncode() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.get_pid(), signal.SIGKILL)
            with suppress(TimeoutError):
                async with asyncio.timeout(KILL_SECONDS):
                    await run.ended.wait()
    finally:
        process.close()


def _spec(plugin: ExecConfig, cluster: ClusterConfig) -> dict[str, object]:
    spec: dict[str, object] = {"interactive": False}
    if plugin.provide_cluster_info:
        spec["cluster"] = {"server": cluster.server, "proxy-url": cluster.proxy, **_tls_info(cluster.tls)}
    return spec


def _tls_info(tls: TlsConfig) -> dict[str, object]:
    try:
        authority = tls.ca_data or (tls.ca_file.read_bytes() if tls.ca_file else b"")
    except OSError as error:
        raise CredentialsError(f"{tls.ca_file}: cannot be read for the exec plugin: {error.strerror}") from error
    return {
        "tls-server-name": tls.server_name,
        "insecure-skip-tls-verify": tls.insecure,
        "certificate-authority-data": base64.b64encode(authority).decode(),
    }


def _credential(plugin: ExecConfig, output: bytes, words: str) -> ExecCredential:
    """Check what a plugin printed (client-go plugin/pkg/client/auth/exec)."""

    def refuse(what: str) -> CredentialsError:
        return CredentialsError(f"exec plugin {plugin.command} {what}{f': {words}' if words else ''}")

    try:
        answer = msgspec.json.decode(output, type=_Answer)
    except UNREADABLE as error:
        raise refuse(f"printed no ExecCredential ({error})") from error
    if answer.kind != "ExecCredential" or answer.api_version != plugin.api_version:
        printed = f"{answer.api_version[:_NAME_LIMIT]} {answer.kind[:_NAME_LIMIT]}"
        raise refuse(f"printed {printed}, not {plugin.api_version} ExecCredential")
    status = answer.status
    if status is None or not (status.token or status.client_certificate_data):
        raise refuse("printed neither a token nor a client certificate")
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise refuse("printed a client certificate without its key, or a key without its certificate")
    if len(status.token) > MAX_TOKEN_LENGTH:
        raise refuse(f"printed a token of more than {MAX_TOKEN_LENGTH // 2**10} KiB")
    return status
