"""Credential plugins: programs that print an ExecCredential (client.authentication.k8s.io)."""

from __future__ import annotations

import asyncio
import base64
from datetime import datetime

import msgspec

from informerd.errors import UNREADABLE, CredentialsError
from informerd.rest.cluster_config import ClusterConfig, ExecConfig, TlsConfig

TIMEOUT = 60.0
"""Seconds a plugin may take."""

_STDERR_LIMIT = 2000


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


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: ExecCredential | None = None


async def run_plugin(plugin: ExecConfig, cluster: ClusterConfig) -> ExecCredential:
    """Run the plugin once. Raises CredentialsError that says what failed, with the plugin's own words (stderr)."""
    if plugin.interactive:
        raise CredentialsError(f"exec plugin {plugin.command} needs a terminal (interactiveMode: Always)")
    process = await _start(plugin, cluster)
    try:
        async with asyncio.timeout(TIMEOUT):
            output, errors = await process.communicate()
    except TimeoutError as error:
        raise CredentialsError(f"exec plugin {plugin.command} did not end within {TIMEOUT:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    words = errors.decode(errors="replace").strip()[-_STDERR_LIMIT:]
    if process.returncode:
        raise CredentialsError(f"exec plugin {plugin.command} ended with {process.returncode}: {words or 'no message'}")
    return _credential(plugin, output, words)


async def _start(plugin: ExecConfig, cluster: ClusterConfig) -> asyncio.subprocess.Process:
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": _spec(plugin, cluster)}
    environ = {**plugin.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode()}
    try:
        return await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.args,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:  # ValueError: what no program can be given, such as a null character
        hint = f"\n{plugin.install_hint}" if plugin.install_hint else ""
        words = getattr(error, "strerror", None) or error
        raise CredentialsError(f"exec plugin {plugin.command} cannot be run: {words}{hint}") from error


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
        raise refuse(f"printed {answer.api_version} {answer.kind}, not {plugin.api_version} ExecCredential")
    status = answer.status
    if status is None or not (status.token or status.client_certificate_data):
        raise refuse("printed neither a token nor a client certificate")
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise refuse("printed a client certificate without its key, or a key without its certificate")
    return status
