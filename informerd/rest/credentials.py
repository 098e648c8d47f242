"""Credentials of each request, refreshed before they expire.

client-go does this in transport/token_source.go, transport/cert_rotation.go and plugin/pkg/client/auth/exec; the
official Python client reads token files once and runs plugins at each load.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from informerd.clock import Clock
from informerd.errors import CredentialsError
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.rest.cluster_config import ClusterConfig, ExecConfig, Impersonation
from informerd.rest.exec_plugin import ExecCredential, run_plugin
from informerd.rest.tls import TlsFiles

log = logging.getLogger(__name__)

TOKEN_FILE_INTERVAL = 60.0
"""Seconds a token file's content is used before it is read again."""

RENEW_BEFORE_SECONDS = 60.0
"""Seconds before its end that a plugin's credential is renewed (a fifth of its life where that is shorter)."""

RENEW_WAIT_SECONDS = 2.0
"""Seconds for which a request waits for a plugin to renew a credential that is still good; then it goes with that."""

RETRY_INTERVAL = 5.0
"""Seconds between two runs of a plugin that fails while its last credential is still good."""


@dataclass(frozen=True)
class RequestCredentials:
    """Credentials of one request. `context` is another object once certificates have changed."""

    headers: tuple[tuple[str, str], ...] = field(repr=False)
    context: ssl.SSLContext | None
    """None for a server without TLS."""


class Credentials:
    """The credentials of one cluster. All of its methods belong to one event loop."""

    def __init__(self, config: ClusterConfig, *, clock: Clock) -> None:
        self._config = config
        self._user = config.credentials
        self._tls = TlsFiles(config.tls, clock) if config.server.startswith("https:") else None
        self._token_file = TokenFile(self._user.token_file, clock) if self._user.token_file else None
        self._plugin = PluginCredential(self._user.plugin, config, clock) if self._user.plugin else None
        impersonation = self._user.impersonation
        self._impersonation = tuple(impersonation.headers()) if impersonation else ()

    def impersonating(self, impersonation: Impersonation) -> Self:
        """The same credentials on behalf of somebody else; both share tokens, certificates and the plugin's runs."""
        other = copy.copy(self)
        other._impersonation = tuple(impersonation.headers())  # noqa: SLF001 -- of its own class
        return other

    async def for_request(self) -> RequestCredentials:
        """The credentials of the next request. Raises CredentialsError."""
        credential = await self._plugin.current() if self._plugin else None
        source = self._user.authorization
        authorization = await _call_source(source) if source else self._authorization(credential)
        headers = (("Authorization", authorization),) if authorization else ()
        context = self._tls.context(credential.certificate if credential else None) if self._tls else None
        return RequestCredentials((*headers, *self._impersonation), context)

    async def renew(self, refused: RequestCredentials) -> RequestCredentials | None:
        """Other credentials than the `refused` ones, after a 401; None where there are none."""
        if self._token_file:
            self._token_file.expire()
        if self._plugin and await self.for_request() == refused:
            await self._plugin.run()
        access = await self.for_request()
        return None if access == refused else access

    async def close(self) -> None:
        """Stop a credential plugin that is running."""
        if self._plugin:
            await self._plugin.close()

    def _authorization(self, credential: ExecCredential | None) -> str:
        user = self._user
        token = user.token
        if credential:
            token = credential.token
        elif self._token_file:
            token = self._token_file.read(fallback=user.token)
        if token:
            return f"Bearer {_checked(token)}"
        if user.username:
            return "Basic " + base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
        return ""


def _checked(token: str) -> str:
    """A header cannot carry white space within a token, nor anything but ASCII."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise CredentialsError("the token holds white space or other characters that a token cannot have")
    return token


async def _call_source(source: Callable[[], Awaitable[str]]) -> str:
    """The result of the configuration's own function; any failure there is a CredentialsError."""
    try:
        value = await source()
    except Exception as error:
        raise CredentialsError(f"asking for credentials failed: {type(error).__name__}: {error}") from error
    if not value.isascii() or not value.isprintable():
        raise CredentialsError("the credentials hold line breaks or other characters that a header cannot have")
    return value


class TokenFile:
    """A token that another program renews in a file, as kubelet does for service accounts."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._repeats = LogThrottle(clock)
        self._token = ""
        self._read_at: float | None = None

    def expire(self) -> None:
        """Read the file again at the next use."""
        self._read_at = None

    def read(self, fallback: str = "") -> str:
        """The token without white space around it, at most TOKEN_FILE_INTERVAL old.

        A file that cannot be read leaves the last token in use (or `fallback`); CredentialsError where there is none.
        """
        now = self._clock.now()
        if self._read_at is not None and now - self._read_at < TOKEN_FILE_INTERVAL:
            return self._token or fallback
        try:
            token = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            return self._keep(fallback, f"{self._path}: the token cannot be read: {error}")
        if not token:
            return self._keep(fallback, f"{self._path}: the token file is empty")
        self._token, self._read_at = token, now
        return token

    def _keep(self, otherwise: str, problem: str) -> str:
        if not (self._token or otherwise):
            raise CredentialsError(problem)
        if number := self._repeats.count("token"):
            fields = {"problem": problem, "failures": number}
            log.warning("%s; the last token stays in use%s", problem, repeat_suffix(number), extra=fields)
        self._read_at = self._clock.now()
        return self._token or otherwise


class PluginCredential:
    """Credential of an exec plugin, cached until shortly before it ends. Concurrent callers share one run."""

    def __init__(self, plugin: ExecConfig, config: ClusterConfig, clock: Clock) -> None:
        self._plugin = plugin
        self._config = config
        self._clock = clock
        self._repeats = LogThrottle(clock)
        self._credential: ExecCredential | None = None
        self._renew_at = float("inf")
        self._running: asyncio.Task[ExecCredential] | None = None

    async def current(self) -> ExecCredential:
        """The credential to use now. Raises CredentialsError where the plugin fails and the last one has ended.

        While the last one is good nobody waits long for the next.
        """
        credential = self._credential
        if credential is None:
            return await self.run()
        if self._clock.time() < self._renew_at:
            return credential
        if credential.expires_at <= self._clock.time():
            return await self.run()
        if self._running is not None:
            return credential
        try:
            async with asyncio.timeout(RENEW_WAIT_SECONDS):
                return await self.run()
        except TimeoutError:
            return credential
        except CredentialsError as error:
            if number := self._repeats.count("plugin"):
                text = "%s; the last credential stays in use while it is good%s"
                log.warning(text, error, repeat_suffix(number), extra={"problem": str(error), "failures": number})
            self._renew_at = self._clock.time() + RETRY_INTERVAL
            return credential

    async def run(self) -> ExecCredential:
        """Run the plugin, or wait for the run under way. Raises CredentialsError."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="exec plugin")
            self._running.add_done_callback(_retrieve)
        return await asyncio.shield(self._running)

    async def close(self) -> None:
        """End a plugin that still runs."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def _run(self) -> ExecCredential:
        try:
            credential = await run_plugin(self._plugin, self._config)
        finally:
            self._running = None
        now = self._clock.time()
        left = credential.expires_at - now
        self._renew_at = now + left - min(RENEW_BEFORE_SECONDS, left / 5)
        self._credential = credential
        return credential


def _retrieve(task: asyncio.Task[ExecCredential]) -> None:
    """Retrieve the outcome even where the caller has gone, so that asyncio does not complain."""
    if not task.cancelled():
        task.exception()
