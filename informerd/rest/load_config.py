"""Choice of the cluster: KUBECONFIG, else ~/.kube/config, else the pod that this process runs in, else none.

The environment, the home folder and the service account's folder are parameters, so that tests control them; only
`current_cluster`, which is for programs of a few lines, reads this process's own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from informerd.errors import ConfigError
from informerd.rest.cluster_config import (
    ClusterConfig,
    ExecConfig,
    Impersonation,
    TlsConfig,
    UserConfig,
)
from informerd.rest.kubeconfig import Kubeconfig
from informerd.rest.proxy import proxy_for

__all__ = [
    "IN_CLUSTER_DIR",
    "ClusterConfig",
    "ExecConfig",
    "Impersonation",
    "TlsConfig",
    "UserConfig",
    "current_cluster",
    "load_cluster",
    "load_kubeconfig",
]

IN_CLUSTER_DIR = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def load_cluster(
    *,
    environ: Mapping[str, str],
    home: Path,
    context: str | None = None,
    in_cluster_dir: Path = IN_CLUSTER_DIR,
) -> ClusterConfig | None:
    """The cluster that this machine is set up for, or None where it is for none.

    A kubeconfig that is there but cannot be used is a ConfigError (its path, line and what is wrong), never a reason to
    take another cluster. `context` asks for a context by name, which needs a kubeconfig.
    """
    listed = environ.get("KUBECONFIG", "")
    if listed:
        paths = tuple(Path(part).expanduser() for part in listed.split(os.pathsep) if part)
        return _explicit(paths, f"KUBECONFIG={listed}", context, environ)
    default = home / ".kube" / "config"
    if _is_there(default):
        kubeconfig = Kubeconfig.read((default,))
        if context or not kubeconfig.is_empty:
            return _chosen(kubeconfig, str(default), context, environ)
    if context:
        raise ConfigError(f"there is no context {context!r}: KUBECONFIG is not set and {default} does not exist")
    return _in_cluster(environ, in_cluster_dir)


def current_cluster(context: str | None = None) -> ClusterConfig:
    """The cluster that kubectl would take here, by this process's environment and home folder.

    As `load_cluster` otherwise. Raises ConfigError, also where this machine is set up for no cluster.
    """
    config = load_cluster(environ=os.environ, home=Path.home(), context=context)
    if config is None:
        raise ConfigError("no cluster is configured: set KUBECONFIG, write ~/.kube/config, or run in a pod")
    return config


def load_kubeconfig(
    path: str | os.PathLike[str], context: str | None = None, *, environ: Mapping[str, str] | None = None
) -> ClusterConfig:
    """One kubeconfig file's cluster. `environ` serves for proxies and for exec plugins; none is used by default.

    Raises ConfigError.
    """
    return _explicit((Path(path),), str(path), context, environ or {})


def _explicit(paths: tuple[Path, ...], why: str, context: str | None, environ: Mapping[str, str]) -> ClusterConfig:
    if not any(map(_is_there, paths)):
        raise ConfigError(f"{why}: no such file")
    kubeconfig = Kubeconfig.read(paths)
    if kubeconfig.is_empty:
        raise ConfigError(f"{why}: the file is empty, it names no cluster")
    return _chosen(kubeconfig, why, context, environ)


def _chosen(kubeconfig: Kubeconfig, why: str, context: str | None, environ: Mapping[str, str]) -> ClusterConfig:
    config = kubeconfig.cluster_config(context, environ)
    which = "context" if context else "current context"
    return replace(config, why=f"{why}, {which} {config.context}")


def _in_cluster(environ: Mapping[str, str], directory: Path) -> ClusterConfig | None:
    """The pod's own cluster, by its service account (client-go rest.InClusterConfig)."""
    host, port = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")
    if not host or not port:
        return None
    token, authority, namespace = directory / "token", directory / "ca.crt", directory / "namespace"
    if not _is_there(token):
        raise ConfigError(
            f"{token}: this runs in a pod, but there is no service account token; "
            "set automountServiceAccountToken or KUBECONFIG"
        )
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    return ClusterConfig(
        name="in-cluster",
        server=server,
        why="the service account of the pod this runs in",
        namespace=_namespace(namespace),
        user="the pod's service account",
        proxy=proxy_for(server, environ),
        tls=TlsConfig(ca_file=authority if _is_there(authority) else None),
        credentials=UserConfig(token_file=token),
    )


def _namespace(file: Path) -> str:
    try:
        return (file.read_text().strip() if file.exists() else "") or "default"
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:  # a folder on the way that may not be looked into
        raise ConfigError(f"{file}: cannot be looked at: {error.strerror}") from error
