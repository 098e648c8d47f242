"""Reader of kubeconfig files, which merges them as kubectl does and turns one context into a ClusterConfig.

Sources: client-go tools/clientcmd (loader.go, client_config.go, validation.go). Where kubectl ignores or guesses, this
module refuses: every setting of a file is honoured or is a ConfigError with path, line and column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from informerd.errors import ConfigError
from informerd.rest.cluster_config import ClusterConfig, ExecConfig, Impersonation, TlsConfig, UserConfig
from informerd.rest.located_yaml import Section, read_yaml
from informerd.rest.proxy import SCHEMES, proxy_for


@dataclass(frozen=True)
class Kubeconfig:
    """One or several kubeconfig files as one: of entries with the same name the first file's stands, whole."""

    paths: tuple[Path, ...]
    current_context: str = ""
    contexts: dict[str, Section] = field(default_factory=dict)
    clusters: dict[str, Section] = field(default_factory=dict)
    users: dict[str, Section] = field(default_factory=dict)

    @classmethod
    def read(cls, paths: tuple[Path, ...]) -> Kubeconfig:
        """Read and merge `paths`; files that do not exist are left out. Raises ConfigError."""
        merged = cls(paths)
        current_context = ""
        for path in paths:
            try:
                document = read_yaml(path)
            except FileNotFoundError:
                continue
            if document is not None:
                merged._add(document)
                current_context = current_context or document.text("current-context")
        return cls(paths, current_context, merged.contexts, merged.clusters, merged.users)

    @property
    def is_empty(self) -> bool:
        return not (self.contexts or self.clusters or self.users or self.current_context)

    def cluster_config(self, context: str | None, environ: Mapping[str, str]) -> ClusterConfig:
        """The configuration of `context` (None: the current one). Raises ConfigError."""
        name = context or self.current_context
        chosen = self._context(name, is_requested=bool(context))
        cluster = self._entry(chosen, "cluster", self.clusters)
        if cluster is None:
            chosen.fail("cluster", "is missing")
        user = self._entry(chosen, "user", self.users)
        server = _server(cluster)
        credentials, words = _user(user, chosen.text("user"), environ)
        return ClusterConfig(
            name=name,
            server=server,
            context=name,
            namespace=chosen.text("namespace") or "default",
            user=words,
            proxy=_proxy(cluster) or proxy_for(server, environ),
            tls=_tls(cluster, user),
            credentials=credentials,
            compression=not cluster.flag("disable-compression"),
        )

    def _add(self, document: Section) -> None:
        if document.text("kind") not in {"", "Config"}:
            document.fail("kind", f"is {document.text('kind')}, not Config: this is not a kubeconfig")
        for key, entries in (("contexts", self.contexts), ("clusters", self.clusters), ("users", self.users)):
            singular = key.removesuffix("s")
            for item in document.sections(key):
                if not item.text("name"):
                    item.fail("name", "is missing")
                entries.setdefault(item.text("name"), item.section_or_empty(singular))

    def _context(self, name: str, *, is_requested: bool) -> Section:
        files = ", ".join(map(str, self.paths))
        known = ", ".join(self.contexts) or "none"
        if not name:
            raise ConfigError(f"{files}: no current-context is set; choose one with --context: {known}")
        if name not in self.contexts:
            what = f"there is no context {name!r}" if is_requested else f"current-context {name!r} does not exist"
            raise ConfigError(f"{files}: {what}; there are: {known}")
        return self.contexts[name]

    def _entry(self, context: Section, key: str, entries: dict[str, Section]) -> Section | None:
        name = context.text(key)
        if not name:
            return None
        if name not in entries:
            context.fail(key, f"names {name!r}, which does not exist; there are: {', '.join(entries) or 'none'}")
        return entries[name]


def _server(cluster: Section) -> str:
    server = cluster.text("server").rstrip("/")
    if not server:
        cluster.fail("server", "is missing")
    _check_url(cluster, "server", ("https", "http"))
    if "@" in urlsplit(server).netloc:
        cluster.fail("server", "must not hold a user name; that belongs under users")
    return server


def _proxy(cluster: Section) -> str:
    if "proxy-url" in cluster:
        _check_url(cluster, "proxy-url", SCHEMES)
    return cluster.text("proxy-url")


def _check_url(section: Section, key: str, schemes: tuple[str, ...]) -> None:
    url = section.text(key)
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError where it is no number
    except ValueError as error:
        section.fail(key, f"is not an address: {error}")
    if parts.scheme not in schemes or not parts.hostname:
        section.fail(key, f"must begin with {' or '.join(f'{each}://' for each in schemes)} and name a host")


def _tls(cluster: Section, user: Section | None) -> TlsConfig:
    ca_file, ca_data = _pem(cluster, "certificate-authority")
    insecure = cluster.flag("insecure-skip-tls-verify")
    if insecure and (ca_file or ca_data):
        cluster.fail("insecure-skip-tls-verify", "cannot be true together with a certificate-authority")
    cert_file, cert_data, key_file, key_data = _client_certificate(user) if user else (None, b"", None, b"")
    return TlsConfig(
        ca_file=ca_file,
        ca_data=ca_data,
        cert_file=cert_file,
        cert_data=cert_data,
        key_file=key_file,
        key_data=key_data,
        server_name=cluster.text("tls-server-name"),
        insecure=insecure,
    )


def _client_certificate(user: Section) -> tuple[Path | None, bytes, Path | None, bytes]:
    cert_file, cert_data = _pem(user, "client-certificate")
    key_file, key_data = _pem(user, "client-key")
    if (cert_file or cert_data) and not (key_file or key_data):
        user.fail("client-key", "is missing for the client-certificate")
    if (key_file or key_data) and not (cert_file or cert_data):
        user.fail("client-certificate", "is missing for the client-key")
    return cert_file, cert_data, key_file, key_data


def _pem(section: Section, key: str) -> tuple[Path | None, bytes]:
    """A certificate or key: the file that `key` names, or what ``KEY-data`` holds, which wins."""
    data_key = f"{key}-data"
    data = section.base64(data_key)
    if data:
        if b"-----BEGIN" not in data:
            section.fail(data_key, "holds no PEM text (-----BEGIN …)")
        return None, data
    file = _file(section, key)
    if file and not file.is_file():
        section.fail(key, f"names {file}, which is not a file")
    return file, b""


def _file(section: Section, key: str) -> Path | None:
    """A path, relative to the file that names it."""
    name = section.text(key)
    return section.path.absolute().parent / name if name else None


def _user(user: Section | None, name: str, environ: Mapping[str, str]) -> tuple[UserConfig, str]:
    """The credentials and a phrase that describes them."""
    if user is None:
        return UserConfig(), "anonymous"
    if "auth-provider" in user:
        user.fail("auth-provider", "is no longer supported; use an exec plugin (kubelogin, for OIDC)")
    plugin = _plugin(user, environ)
    methods = [
        words
        for words, used in (
            ("token", "token" in user or "tokenFile" in user),
            ("password", "username" in user or "password" in user),
            (f"exec plugin {Path(plugin.command).name}" if plugin else "", plugin is not None),
        )
        if used
    ]
    if len(methods) > 1:
        user.location().fail(f"{user.name} has more than one credential: {', '.join(methods)}")
    if "client-certificate" in user or "client-certificate-data" in user:
        methods.insert(0, "client certificate")
    impersonation = _impersonation(user)
    config = UserConfig(
        token=user.text("token").strip(),
        token_file=_file(user, "tokenFile"),
        username=user.text("username"),
        password=user.text("password"),
        plugin=plugin,
        impersonation=impersonation,
    )
    acting = f", acting as {impersonation.user}" if impersonation else ""
    return config, f"{name} ({' and '.join(methods) or 'no credentials'}){acting}"


def _impersonation(user: Section) -> Impersonation | None:
    extra = user.section("as-user-extra")
    groups, uid = user.texts("as-groups"), user.text("as-uid")
    if user.text("as"):
        pairs = tuple((key, extra.texts(key)) for key in extra) if extra else ()
        return Impersonation(user=user.text("as"), groups=groups, uid=uid, extra=pairs)
    for key, given in (("as-groups", groups), ("as-uid", uid), ("as-user-extra", extra)):
        if given:
            user.fail(key, "needs a user to act as: `as` is missing")
    return None


def _plugin(user: Section, environ: Mapping[str, str]) -> ExecConfig | None:
    section = user.section("exec")
    if section is None:
        return None
    command = section.text("command")
    if not command:
        section.fail("command", "is missing")
    if "/" in command:
        command = str(section.path.absolute().parent / command)
    version = section.text("apiVersion")
    if version not in {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}:
        section.fail("apiVersion", "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1")
    interactive = section.text("interactiveMode") or "IfAvailable"
    if interactive not in {"Never", "IfAvailable", "Always"}:
        section.fail("interactiveMode", "must be Never, IfAvailable or Always")
    return ExecConfig(
        command=command,
        api_version=version,
        args=section.texts("args"),
        env=tuple((each.text("name"), each.text("value")) for each in section.sections("env")),
        environ=environ,
        install_hint=section.text("installHint"),
        provide_cluster_info=section.flag("provideClusterInfo"),
        interactive=interactive == "Always",
    )
