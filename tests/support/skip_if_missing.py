"""Programs and servers that a test requires: without them it is skipped, or fails under CI=true."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest

ENVTEST_DEFAULT = "/usr/local/kubebuilder/bin"
"""Where controller-runtime's envtest looks when KUBEBUILDER_ASSETS is not set."""


def missing(what: str, why: str) -> NoReturn:
    """Skip the running test because `what` is not here; fail it under CI=true, where nothing may be left out."""
    sentence = f"needs {what}: {why}"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"{sentence} (a skip is a failure under CI=true)", pytrace=False)
    pytest.skip(sentence)


def controlplane_binaries() -> Path:
    """The folder with etcd and kube-apiserver, or a skip that names what is missing."""
    folder = Path(os.environ.get("KUBEBUILDER_ASSETS") or ENVTEST_DEFAULT)
    absent = [name for name in ("etcd", "kube-apiserver") if not os.access(folder / name, os.X_OK)]
    if absent:
        missing("a control plane", f"no {' and no '.join(absent)} in {folder}, set KUBEBUILDER_ASSETS")
    return folder


def redis_url() -> str:
    """A Redis server that answers: what TEST_REDIS_URL names, else the local one."""
    return _server("Redis", "TEST_REDIS_URL", "redis://127.0.0.1:6379/0", 6379)


def postgresql_url() -> str:
    """A PostgreSQL server that answers, as a superuser: what TEST_DATABASE_URL names, else the local one."""
    return _server("PostgreSQL", "TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres", 5432)


def _server(what: str, variable: str, default: str, port: int) -> str:
    url = os.environ.get(variable) or default
    address = urlsplit(url)
    try:
        socket.create_connection((address.hostname or "127.0.0.1", address.port or port), timeout=2).close()
    except OSError as error:
        missing(what, f"{url} does not answer ({error}), start it or set {variable}")
    return url
