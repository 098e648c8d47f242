"""Identity of a cluster: what tells its history from that of another one, whatever address it is reached under."""

from __future__ import annotations

import hashlib
import logging

from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.resource import Resource
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

RETRY = 5.0
"""Seconds between two tries."""
NAMESPACES = Resource(group="", version="v1", plural="namespaces", kind="Namespace", namespaced=False)
FIRST_NAMESPACE = "kube-system"


async def read_cluster_identity(client: Client, server: str, clock: Clock) -> str:
    """The uid of the namespace kube-system, asked for until the API server answers.

    Where the account may not read it, ``address-`` and a hash of `server`, the API server's address, which is another
    one for a cluster that moves. The log says so.
    """
    while True:
        try:
            answer = await client.request("GET", NAMESPACES.path(name=FIRST_NAMESPACE))
            uid = str((answer.object().get("metadata") or {}).get("uid") or "")
            if uid:
                return uid
            return _by_address(server, "it has no uid")
        except (Forbidden, NotFound) as error:
            return _by_address(server, str(error))
        except (InformerdError, TimeoutError):
            await clock.sleep(RETRY)


def _by_address(server: str, why: str) -> str:
    text = "history knows the cluster by its address %s, because the namespace %s cannot be read (get namespaces): %s"
    logger.warning(text, server, FIRST_NAMESPACE, why)
    return f"address-{hashlib.sha256(server.encode()).hexdigest()[:32]}"
