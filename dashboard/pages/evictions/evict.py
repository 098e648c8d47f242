"""Eviction of one pod, by its uid: a deletion that the PodDisruptionBudgets must allow.

It has no resourceVersion precondition, unlike all other writes: an API server deducts a disruption from the budget
before it compares versions, so that an eviction that is refused for another version blocks others for minutes
(see tests/dashboard/pages/evictions/test_evict_conflicts.py). No user's write can be lost by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.runtime.request_retry import DEFAULT_RETRY_AFTER
from informerd.errors import Conflict, InformerdError, NotFound, TooManyRequests
from informerd.resource import PODS
from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class Evicted:
    """The API server accepted it: the pod is shutting down, or gone."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The API server asks for a retry later, mostly because of a budget; or the pod changed during the eviction."""

    message: str
    is_by_budget: bool
    retry_after: float


@dataclass(frozen=True, slots=True)
class Gone:
    """That object does not exist any more; `replaced`: another one has its name."""

    replaced: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """Any other result."""

    error: InformerdError


Eviction = Evicted | Blocked | Gone | Failed


async def evict(
    client: Client, namespace: str, name: str, uid: str, *, grace: int | None = None, dry_run: bool = False
) -> Eviction:
    """One try. `grace` in seconds; None is the pod's own."""
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
        await client.create(PODS, body, namespace, name=name, subresource="eviction", dry_run=dry_run, patient=False)
    except TooManyRequests as error:
        by_budget = any(cause.reason == "DisruptionBudget" for cause in error.causes)
        return Blocked(str(error), by_budget, error.retry_after or DEFAULT_RETRY_AFTER)
    except NotFound as error:
        return await _unless_gone(client, namespace, name, uid, Failed(error))
    except Conflict as error:
        return await _unless_gone(client, namespace, name, uid, Blocked(str(error), False, DEFAULT_RETRY_AFTER))
    except InformerdError as error:
        return Failed(error)
    return Evicted()


async def _unless_gone(client: Client, namespace: str, name: str, uid: str, there: Eviction) -> Eviction:
    """`there` where the pod still exists: an API server may not support evictions, and answers 409 for a lost race.

    It answers 409 for another uid, too, so the pod is read again.
    """
    try:
        live = (await client.get(PODS, name, namespace)).object()
    except NotFound:
        return Gone(replaced=False)
    except InformerdError as unread:
        return Failed(unread)
    return there if live["metadata"]["uid"] == uid else Gone(replaced=True)
