"""HorizontalPodAutoscalers of an object, which overwrite a replica count that a user sets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.objects.fields.field_access import ABSENT, Value, get, same
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.writes.target import Target
from informerd.errors import InformerdError, NotFound

if TYPE_CHECKING:
    from informerd.rest.client import Client

TIME_LIMIT = 3.0
"""Longest search, in seconds."""
AUTOSCALER_UNKNOWN = "It is unknown whether an autoscaler will overwrite the number."
AutoscalerObject = Mapping[str, Any]
_AUTOSCALERS = KINDS["horizontalpodautoscalers.autoscaling"].resource


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """An autoscaler that scales the object."""

    name: str
    min_replicas: int
    max_replicas: int | None

    @property
    def words(self) -> str:
        span = f"{self.min_replicas} to {self.max_replicas} replicas"
        words = f"The HorizontalPodAutoscaler {self.name} ({span}) will set the number again within seconds, unless it"
        return f"{words} is 0, which switches the autoscaler off."


async def autoscalers_of(client: Client, target: Target) -> tuple[Autoscaler, ...] | None:
    """The autoscalers of the target, by name; None where they could not be read in time."""
    listed = await autoscalers_in(client, target.namespace)
    return None if listed is None else autoscalers_for(target, listed)


async def autoscalers_in(client: Client, namespace: str) -> tuple[AutoscalerObject, ...] | None:
    """All autoscalers of a namespace, from the API server; None where they could not be read in time."""
    try:
        async with asyncio.timeout(TIME_LIMIT):
            return tuple((await client.list(_AUTOSCALERS, namespace)).object().get("items") or ())
    except NotFound:
        return ()  # this cluster has no autoscalers
    except (InformerdError, TimeoutError):
        return None


def autoscalers_for(target: Target, listed: Iterable[AutoscalerObject]) -> tuple[Autoscaler, ...]:
    """The autoscalers that scale the target."""
    return tuple(_read(each) for each in listed if _is_about(each, target))


async def autoscaler_warning(client: Client, target: Target, was: Mapping[str, Value], now: Mapping[str, Value]) -> str:
    """Warning about an autoscaler that overwrites a new number of replicas; empty where there is none.

    Nothing is asked where the number stays the same. The API server's list is used, never a cache.
    """
    path = ("spec", "replicas")
    before, after = get(was, path), get(now, path)
    if before is ABSENT or after is ABSENT or same(before, after):
        return ""
    autoscalers = await autoscalers_of(client, target)
    if autoscalers is None:
        return AUTOSCALER_UNKNOWN
    return " ".join(each.words for each in autoscalers)


def _is_about(autoscaler: AutoscalerObject, target: Target) -> bool:
    about = (autoscaler.get("spec") or {}).get("scaleTargetRef") or {}
    group = str(about.get("apiVersion", "")).rpartition("/")[0]
    resource = target.kind.resource
    return (about.get("kind"), about.get("name"), group) == (resource.kind, target.name, resource.group)


def _read(autoscaler: AutoscalerObject) -> Autoscaler:
    spec = autoscaler["spec"]
    return Autoscaler(str(autoscaler["metadata"]["name"]), spec.get("minReplicas", 1), spec.get("maxReplicas"))
