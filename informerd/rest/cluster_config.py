"""Configuration of the access to one cluster, made by `informerd.rest.load_config` and used by credentials and client.

Plain frozen data: nothing here reads files or the environment. Fields that hold secrets are left out of repr, so that a
configuration can be logged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, urlsplit

from informerd.errors import ConfigError

_HEADER_KEY_SAFE = "!#$&'*+-.^_`|~"


@dataclass(frozen=True, kw_only=True)
class TlsConfig:
    """TLS settings of the server and the client. Data (PEM) wins over a file of the same name."""

    ca_file: Path | None = None
    ca_data: bytes = b""
    cert_file: Path | None = None
    cert_data: bytes = b""
    key_file: Path | None = None
    key_data: bytes = field(default=b"", repr=False)
    server_name: str = ""
    """The name to ask for and to expect in the server's certificate, where it is not the address's own."""
    insecure: bool = False
    """Do not check the server's certificate at all."""

    @property
    def has_client_certificate(self) -> bool:
        return bool(self.cert_data or self.cert_file)


@dataclass(frozen=True, kw_only=True)
class ExecConfig:
    """A credential plugin, as client.authentication.k8s.io describes it."""

    command: str
    """A name to be looked up in PATH, or an absolute path."""
    api_version: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables added to `environ`."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive: bool = False
    """Whether the plugin can only run on a terminal (interactiveMode: Always), which a server cannot offer."""


@dataclass(frozen=True, kw_only=True)
class Impersonation:
    """On whose behalf requests are made."""

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def headers(self) -> Iterator[tuple[str, str]]:
        """The headers the API server reads (client-go transport/round_trippers.go); a name may come several times."""
        yield "Impersonate-User", self.user
        if self.uid:
            yield "Impersonate-Uid", self.uid
        for group in self.groups:
            yield "Impersonate-Group", group
        for key, values in self.extra:
            for value in values:
                yield f"Impersonate-Extra-{quote(key.lower(), safe=_HEADER_KEY_SAFE)}", value


@dataclass(frozen=True, kw_only=True)
class UserConfig:
    """Credentials of this client: at most one of token (or its file), password, plugin and `authorization`.


    `TlsConfig` may add a client certificate.
    """

    token: str = field(default="", repr=False)
    token_file: Path | None = None
    """Read again every minute; what it holds wins over `token`."""
    username: str = ""
    password: str = field(default="", repr=False)
    plugin: ExecConfig | None = None
    authorization: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
    """Gives the Authorization header's value, asked for each request; it must be quick. Empty for none."""
    impersonation: Impersonation | None = None


@dataclass(frozen=True, kw_only=True)
class ClusterConfig:
    """The cluster, its credentials, and the reason for its choice."""

    name: str
    """Its name for people: the context's name, "in-cluster", "demo"."""
    server: str
    """The API server's address; it may carry a path, as behind Rancher. A slash at its end is left out."""
    why: str = ""
    """A phrase for people: how this cluster came to be chosen."""
    context: str = ""
    namespace: str = "default"
    user: str = ""
    """The user of requests and the kind of credential, as a phrase for people."""
    proxy: str = field(default="", repr=False)
    """The HTTP proxy's address, or empty; it may hold a password."""
    tls: TlsConfig = TlsConfig()
    credentials: UserConfig = UserConfig()
    compression: bool = True
    """Whether long lists may come compressed, which saves time on a network and costs some where there is none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "server", self.server.rstrip("/"))
        try:
            parts = urlsplit(self.server)
            has_credentials = parts.username is not None or parts.password is not None
        except ValueError:
            return  # whoever asks of it is told
        if has_credentials:
            raise ConfigError(f"the address of {self.name} holds a name or password: credentials go into `credentials`")

    @property
    def compresses(self) -> bool:
        """Whether to ask for compressed lists: `compression`, but never on this machine."""
        host = urlsplit(self.server).hostname or ""
        return self.compression and not (host == "localhost" or _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
