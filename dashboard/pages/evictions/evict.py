"""Evict one pod: its deletion, if the PodDisruptionBudgets allow it. Of the very pod that was shown, by its uid.

Not on top of its resourceVersion, as all other writes are: an API server takes a disruption off the budget before it
compares versions, so that an eviction which is refused for another version holds up others for minutes
(tests/evictions shows that it does). Nothing that somebody wrote can be lost by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.repeats import AGAIN_AFTER
from informerd.errors import Conflict, InformerdError, NotFound, TooManyRequests
from informerd.resource import PODS
from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class Evicted:
    """The API server took it: the pod is shutting down, or gone."""


@dataclass(frozen=True, slots=True)
class Held:
    """It was said to come again later, mostly by a budget; or the pod changed while it was evicted."""

    said: str
    by_budget: bool
    again_after: float


@dataclass(frozen=True, slots=True)
class Gone:
    """That object is there no more; `replaced`: another one has its name."""

    replaced: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """Anything else."""

    error: InformerdError


Eviction = Evicted | Held | Gone | Failed


async def evict(
    client: Client, namespace: str, name: str, uid: str, *, grace: int | None = None, dry_run: bool = False
) -> Eviction:
    """One try. `grace` in seconds; None is what the pod asks for."""
    options: dict[str, object] = {"preconditions": {"uid": uid}}
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": options,
    }
    try:
        await client.create(PODS, body, namespace, name=name, subresource="eviction", dry_run=dry_run)
    except TooManyRequests as error:
        by_budget = any(cause.reason == "DisruptionBudget" for cause in error.causes)
        return Held(str(error), by_budget, error.retry_after or AGAIN_AFTER)
    except NotFound as error:
        return await _looked(client, namespace, name, uid, Failed(error))
    except Conflict as error:
        return await _looked(client, namespace, name, uid, Held(str(error), False, AGAIN_AFTER))
    except InformerdError as error:
        return Failed(error)
    return Evicted()


async def _looked(client: Client, namespace: str, name: str, uid: str, there: Eviction) -> Eviction:
    """`there` where it is still that pod: an API server may have no evictions, and says 409 for what it lost a race of.

    It answers so for another uid, too, so only the pod itself tells.
    """
    try:
        live = (await client.get(PODS, name, namespace)).object()
    except NotFound:
        return Gone(replaced=False)
    except InformerdError as unread:
        return Failed(unread)
    return there if live["metadata"]["uid"] == uid else Gone(replaced=True)
