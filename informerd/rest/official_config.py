"""Configurations of the official Python client (``kubernetes.aio``) for this library's transport.

A ClusterConfig can be made in two ways. `informerd.rest.load_config` reads kubeconfig files and service accounts itself
and is the one to use. This module is for programs that have an official ``Configuration`` already, or need its
``auth-provider`` (OIDC, GCP), which no other module here supports. It does not correct the limits of the official side
(37.0):

* ``as``, ``as-groups``, ``as-uid`` and ``as-user-extra`` are ignored by its loader: requests would have more rights
  than the file asks for. `load_official_kubeconfig` refuses such a file.
* ``tokenFile`` is read once; exec plugins run once, and where they fail the loader continues without credentials.
  These files are refused too.
* OIDC and GCP tokens are refreshed while loading only: hold on to the ``Configuration`` and refresh it (the official
  ``refresh_token``); each request takes the token that it has then.
* Of several files it takes the last ``current-context``, where kubectl takes the first; it does not read HTTPS_PROXY.

Settings of the official transport (retries, pool sizes, session arguments) are not used, because that transport is not.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from informerd.errors import ConfigError, MissingExtra
from informerd.rest.cluster_config import ClusterConfig, TlsConfig, UserConfig
from informerd.rest.kubeconfig import Kubeconfig
from informerd.rest.proxy import is_usable, proxy_for

_LOST = ("as", "as-groups", "as-uid", "as-user-extra", "tokenFile", "exec")


class OfficialConfiguration(Protocol):
    """Part of ``kubernetes.aio.client.Configuration`` that is used."""

    host: Any
    api_key: dict[str, str]
    username: str | None
    password: str | None
    access_token: str | None
    verify_ssl: bool
    ssl_ca_cert: str | None
    ca_cert_data: str | bytes | None
    cert_file: str | None
    key_file: str | None
    assert_hostname: bool | None
    tls_server_name: str | None
    proxy: str | None
    proxy_headers: Any

    def get_api_key_with_prefix(self, identifier: str, alias: str | None = None) -> Awaitable[str | None]: ...


def cluster_from_official(
    configuration: OfficialConfiguration,
    *,
    name: str = "official",
    namespace: str = "default",
    environ: Mapping[str, str] | None = None,
) -> ClusterConfig:
    """The same cluster and credentials for `Client`.

    The token is asked of `configuration` for each request, its ``refresh_api_key_hook`` included; all else is taken
    once, though certificate files are read again when they change. `environ` names a proxy where `configuration` has
    none. Raises ConfigError for what cannot be honoured.
    """
    server = str(configuration.host).rstrip("/")
    if not server.startswith(("https://", "http://")):
        raise ConfigError(f"the official configuration's host must begin with https:// or http://, not {server!r}")
    for setting in ("assert_hostname", "proxy_headers"):
        if getattr(configuration, setting) is not None:
            raise ConfigError(f"the official configuration's {setting} is not supported")
    if configuration.proxy and not is_usable(configuration.proxy):
        raise ConfigError("the official configuration's proxy must be http://host:port or https://host:port")
    return ClusterConfig(
        name=name,
        server=server,
        why="a configuration of the official client",
        namespace=namespace,
        user="the user of the official configuration",
        proxy=configuration.proxy or proxy_for(server, environ or {}),
        tls=_tls(configuration),
        credentials=_credentials(configuration),
    )


async def load_official_kubeconfig(
    path: Path, context: str | None = None, *, environ: Mapping[str, str] | None = None
) -> ClusterConfig:
    """One kubeconfig file's cluster, read by the official loader. `load_kubeconfig` is better, but for auth-providers.

    Raises ConfigError, also for what the loader would silently lose, and MissingExtra.
    """
    try:
        from kubernetes.aio import client, config  # a second and 100 MB, for those who want it
    except ModuleNotFoundError as error:
        raise MissingExtra("load_official_kubeconfig", "kubernetes") from error
    kubeconfig = Kubeconfig.read((path,))
    name = context or kubeconfig.current_context
    _refuse_what_is_lost(kubeconfig, name)
    configuration = client.Configuration()
    try:
        await config.load_kube_config(str(path), name, configuration, persist_config=False)
    except (config.ConfigException, OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: the official client cannot load it: {error}") from error
    place = kubeconfig.contexts[name].text("namespace") or "default"
    cluster = kubeconfig.clusters.get(kubeconfig.contexts[name].text("cluster"))
    loaded = cluster_from_official(configuration, name=name, namespace=place, environ=environ)
    return replace(loaded, compression=cluster is None or not cluster.flag("disable-compression"))


def _refuse_what_is_lost(kubeconfig: Kubeconfig, context: str) -> None:
    if context not in kubeconfig.contexts:
        known = ", ".join(kubeconfig.contexts) or "none"
        raise ConfigError(f"{kubeconfig.paths[0]}: there is no context {context!r}; there are: {known}")
    user = kubeconfig.users.get(kubeconfig.contexts[context].text("user"))
    for key in _LOST if user is not None else ():
        if user is not None and key in user:
            user.fail(key, "is not honoured by the official loader; use informerd.rest.load_config.load_kubeconfig")


def _tls(configuration: OfficialConfiguration) -> TlsConfig:
    authority = configuration.ca_cert_data or b""
    if isinstance(authority, bytes):
        authority = ssl.DER_cert_to_PEM_cert(authority) if authority else ""
    cert_file, key_file = configuration.cert_file, configuration.key_file
    trusted = configuration.verify_ssl
    return TlsConfig(
        ca_file=Path(configuration.ssl_ca_cert) if configuration.ssl_ca_cert and trusted else None,
        ca_data=authority.encode() if trusted else b"",
        cert_file=Path(cert_file) if cert_file else None,
        key_file=Path(key_file or cert_file) if cert_file else None,
        server_name=configuration.tls_server_name or "",
        insecure=not trusted,
    )


def _credentials(configuration: OfficialConfiguration) -> UserConfig:
    async def authorization() -> str:
        return (await configuration.get_api_key_with_prefix("BearerToken", alias="authorization") or "").strip()

    if "BearerToken" in configuration.api_key or "authorization" in configuration.api_key:
        return UserConfig(authorization=authorization)
    if configuration.access_token:
        return UserConfig(token=configuration.access_token.strip())
    if configuration.username:
        return UserConfig(username=configuration.username, password=configuration.password or "")
    if getattr(configuration, "refresh_api_key_hook", None) is not None:
        return UserConfig(authorization=authorization)
    return UserConfig()
