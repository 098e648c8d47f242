"""Identity of a cluster: what tells its history from that of another one, whatever address it is reached under."""

from __future__ import annotations

import hashlib
import logging
from contextlib import closing, suppress
from http import HTTPStatus

from dashboard.live.history.part import Parts
from informerd.clock import Clock
from informerd.errors import ApiError, CredentialsError, Forbidden, InformerdError, NotFound, Unreachable
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig

logger = logging.getLogger(__name__)

RETRY = 5.0
"""Seconds between two tries."""
NAMESPACES = Resource(group="", version="v1", plural="namespaces", kind="Namespace", namespaced=False)
FIRST_NAMESPACE = "kube-system"
CONNECTION = "connection "
"""Before a connection's key, name in the table meta of when it began to record: Unix microseconds."""


async def read_cluster_identity(client: Client, server: str, clock: Clock) -> str:
    """As `ask_cluster_identity`, until the API server answers."""
    while True:
        try:
            return await ask_cluster_identity(client, server)
        except (InformerdError, TimeoutError):
            await clock.sleep(RETRY)


async def ask_cluster_identity(client: Client, server: str) -> str:
    """The uid of the namespace kube-system.

    Where the account may not read it, ``address-`` and a hash of `server`, the API server's address, which is another
    one for a cluster that moves. The log says so. An API server that starts refuses everybody until it has read its
    roles, so its refusal counts once it is ready. Raises InformerdError and TimeoutError.
    """
    try:
        answer = await client.request("GET", NAMESPACES.path(name=FIRST_NAMESPACE))
    except (Forbidden, NotFound) as error:
        with suppress(Forbidden, NotFound):
            await client.request("GET", "/readyz")
        return _by_address(server, str(error))
    uid = str((answer.object().get("metadata") or {}).get("uid") or "")
    return uid or _by_address(server, "it has no uid")


def is_away(error: Exception) -> bool:
    """Whether the API server gave no answer of its own: one that refuses the account is there."""
    if isinstance(error, ApiError):
        return error.code >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, (Unreachable, TimeoutError)) and not isinstance(error, CredentialsError)


def connection_key(cluster: ClusterConfig) -> str:
    """A hash of the API server's address, its certificate authority and the context: a cluster that is built anew at
    the same address has another authority, most often.
    """
    authority = cluster.tls.ca_data
    if not authority and cluster.tls.ca_file is not None:
        with suppress(OSError):
            authority = cluster.tls.ca_file.read_bytes()
    parts = (cluster.server.encode(), cluster.context.encode(), authority)
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]


def remembered_identity(parts: Parts, key: str) -> str:
    """The identity of the cluster that was recorded last by the connection of this key; empty where none was. Blocks.
    Raises HistoryUnavailable.
    """
    newest = {part.cluster: part for part in sorted(parts.sizes())}
    found = []
    for part in newest.values():
        with closing(parts.connect(part)) as connection:
            times = connection.query("SELECT value FROM {meta} WHERE name = ?", CONNECTION + key)
        found += [(int(time), part.cluster) for (time,) in times]
    return max(found)[1] if found else ""


def _by_address(server: str, why: str) -> str:
    text = "history knows the cluster by its address %s, because the namespace %s cannot be read (get namespaces): %s"
    logger.warning(text, server, FIRST_NAMESPACE, why)
    return f"address-{hashlib.sha256(server.encode()).hexdigest()[:32]}"
