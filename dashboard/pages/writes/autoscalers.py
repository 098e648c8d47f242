"""HorizontalPodAutoscalers that set the replicas of an object: who undoes what a person sets, found by asking."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.edits.editable import Target
from dashboard.edits.fields import ABSENT, Value, get, same
from dashboard.resources.kinds import KINDS
from informerd.errors import InformerdError, NotFound

if TYPE_CHECKING:
    from informerd.rest.client import Client

PATIENCE = 3.0
"""Seconds to look for them."""
UNKNOWN = "Whether an autoscaler sets the number again could not be found out."
Listed = Mapping[str, Any]
_AUTOSCALERS = KINDS["horizontalpodautoscalers.autoscaling"].resource


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """One that scales the object."""

    name: str
    least: int
    most: int | None

    @property
    def words(self) -> str:
        span = f"{self.least} to {self.most} replicas"
        words = f"The HorizontalPodAutoscaler {self.name} ({span}) will set the number again within seconds, unless it"
        return f"{words} is 0, which switches the autoscaler off."


async def autoscalers_of(client: Client, target: Target) -> tuple[Autoscaler, ...] | None:
    """Those of the target, by name; None where that could not be found out within PATIENCE seconds."""
    listed = await autoscalers_in(client, target.namespace)
    return None if listed is None else those_about(target, listed)


async def autoscalers_in(client: Client, namespace: str) -> tuple[Listed, ...] | None:
    """All of a namespace, as the API server has them; None where that could not be found out in PATIENCE seconds."""
    try:
        async with asyncio.timeout(PATIENCE):
            return tuple((await client.list(_AUTOSCALERS, namespace)).object().get("items") or ())
    except NotFound:
        return ()  # this cluster has no autoscalers
    except (InformerdError, TimeoutError):
        return None


def those_about(target: Target, listed: Iterable[Listed]) -> tuple[Autoscaler, ...]:
    """Those of them that scale the target."""
    return tuple(_read(each) for each in listed if _is_about(each, target))


async def replicas_kept(client: Client, target: Target, was: Mapping[str, Value], now: Mapping[str, Value]) -> str:
    """What becomes of another number of replicas, as a sentence; empty where nobody sets it again.

    Nothing is asked where the number stays as it is. The API server's list is asked, never a cache.
    """
    path = ("spec", "replicas")
    before, after = get(was, path), get(now, path)
    if before is ABSENT or after is ABSENT or same(before, after):
        return ""
    found = await autoscalers_of(client, target)
    if found is None:
        return UNKNOWN
    return " ".join(each.words for each in found)


def _is_about(autoscaler: Listed, target: Target) -> bool:
    about = (autoscaler.get("spec") or {}).get("scaleTargetRef") or {}
    group = str(about.get("apiVersion", "")).rpartition("/")[0]
    resource = target.kind.resource
    return (about.get("kind"), about.get("name"), group) == (resource.kind, target.name, resource.group)


def _read(autoscaler: Listed) -> Autoscaler:
    spec = autoscaler["spec"]
    return Autoscaler(str(autoscaler["metadata"]["name"]), spec.get("minReplicas", 1), spec.get("maxReplicas"))
