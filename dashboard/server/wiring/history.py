"""Builds what records and reads history, from the settings."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections

from dashboard.live.history.cluster_identity import connection_key, read_cluster_identity
from dashboard.live.history.part import Parts
from dashboard.live.history.postgresql_parts import READ_SECONDS, PostgresqlParts
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.retention import Retention
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import Clock
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig

NOT_RECORDED = frozenset({"leases.coordination.k8s.io"})
"""Kinds that are recorded only where DELTABOARD_HISTORY_KINDS names them: they change all the time and say nothing."""


def build_parts(read_seconds: int = READ_SECONDS) -> Parts:
    """The parts of history: in PostgreSQL where DATABASE_URL is one, where a question may take `read_seconds`, else in
    SQLite files below DELTABOARD_VAR.
    """
    if settings.DATABASES[DEFAULT_DB_ALIAS]["ENGINE"].endswith("postgresql"):
        return PostgresqlParts(_connection_parameters, read_seconds)
    return SqliteParts(settings.VAR_DIR / "history")


def build_recorder(client: Client, cluster: ClusterConfig, clock: Clock) -> Recorder | None:
    """The recorder of a cluster; None where DELTABOARD_HISTORY is off."""
    if not settings.DELTABOARD_HISTORY:
        return None
    retention = Retention(settings.DELTABOARD_HISTORY_SIZE * 2**20, settings.DELTABOARD_HISTORY_AGE)
    identity = partial(read_cluster_identity, client, cluster.server, clock)
    recorded = kinds_recorded(settings.DELTABOARD_HISTORY_KINDS)
    return Recorder(build_parts(), identity, recorded, clock, retention, connection=connection_key(cluster))


def kinds_recorded(names: list[str]) -> Callable[[str], bool]:
    """Whether a kind, by its key, is recorded as DELTABOARD_HISTORY_KINDS says. Raises ImproperlyConfigured for an
    unknown name.
    """
    only = _keys(name for name in names if not name.startswith("-"))
    without = _keys(name[1:] for name in names if name.startswith("-"))

    def is_recorded(key: str) -> bool:
        if key in without:
            return False
        return key in only if only else key not in NOT_RECORDED

    return is_recorded


def secret_hash_key() -> bytes:
    """Key with which values of Secrets are hashed, so that history sees that one changed."""
    return hmac.new(settings.SECRET_KEY.encode(), b"deltaboard: values of Secrets", hashlib.sha256).digest()


def _keys(names: Any) -> frozenset[str]:
    try:
        return frozenset(kind.key for kind in parse_kinds(names))
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_HISTORY_KINDS: {error}") from None


def _connection_parameters() -> Mapping[str, Any]:
    parameters: dict[str, Any] = connections[DEFAULT_DB_ALIAS].get_connection_params()
    for name in ("context", "cursor_factory", "prepare_threshold", "server_side_binding"):  # Django's own
        parameters.pop(name, None)
    return parameters
