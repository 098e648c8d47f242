"""DaemonSets of pods: whether they still exist. ``kubectl drain`` makes the same check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.objects.kinds.catalog import KINDS
from informerd.errors import InformerdError, NotFound
from informerd.rest.client import Client

DAEMON_SETS_KEY = "daemonsets.apps"
Json = Mapping[str, Any]


def controller_of(pod: Json) -> Json | None:
    """The owner reference of its controller."""
    return next((each for each in pod["metadata"].get("ownerReferences") or () if each.get("controller")), None)


def daemon_set_of(pod: Json) -> tuple[str, str] | None:
    """Namespace and name of the DaemonSet that owns the pod; None for any other pod."""
    owner = controller_of(pod)
    return (pod["metadata"]["namespace"], owner["name"]) if owner and owner.get("kind") == "DaemonSet" else None


async def missing_daemon_sets(client: Client, pods: Iterable[Json]) -> frozenset[tuple[str, str]]:
    """The DaemonSets of these pods that certainly do not exist; each is requested once."""
    named = sorted({daemon_set for pod in pods if (daemon_set := daemon_set_of(pod)) is not None})
    missing = await asyncio.gather(*(_is_missing(client, *each) for each in named))
    return frozenset(each for each, is_missing in zip(named, missing, strict=True) if is_missing)


async def _is_missing(client: Client, namespace: str, name: str) -> bool:
    try:
        await client.get(KINDS[DAEMON_SETS_KEY].resource, name, namespace)
    except NotFound:
        return True
    except InformerdError:  # who cannot tell leaves the pod where it is
        return False
    return False
