"""Plan of a deletion: what it waits for, what is re-created, and what is deleted too."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.namespace_limits import NamespaceLimit
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.fields.field_access import Value
from dashboard.pages.delete.dependents import (
    DependentGroup,
    SharedDependents,
    find_dependents,
    find_shared_dependents,
    uncounted_kinds,
)
from dashboard.pages.delete.descendants import DEFINITIONS, NAMESPACES
from dashboard.pages.delete.finalizers import Finalizer, finalizers_of
from dashboard.pages.delete.recreated_by import Recreation, recreation_of
from dashboard.pages.delete.unwatched_contents import UnwatchedContents, count_contents
from dashboard.pages.delete.used_by import UsedBy, find_used_by
from dashboard.pages.evictions.budgets import Budget, budgets_in
from dashboard.pages.evictions.plan import plan_pod
from dashboard.pages.layout.namespaces import namespace_limit
from dashboard.pages.writes.request_context import EditRequest
from informerd.errors import InformerdError

DISCOVERY_TIMEOUT = 2.0
"""Longest wait, in seconds, for discovery to name the kinds that are not counted."""
DEFAULT_GRACE = 30
"""Default grace period of a pod, in seconds, as the API server sets it."""


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """Consequences of a deletion."""

    uid: str
    version: str
    created_at: str
    """RFC 3339."""
    deletion_timestamp: str
    """RFC 3339 of the deletionTimestamp; empty where it is not deleted."""
    finalizers: tuple[Finalizer, ...]
    recreation: Recreation | None
    dependents: tuple[DependentGroup, ...]
    """Objects deleted with it, unless the user orphans them."""
    shared_dependents: SharedDependents | None
    """Dependents that other owners share; None where everything is deleted, whatever its owners."""
    used_by: UsedBy | None
    """Its users; None for a kind whose users are unknown."""
    unwatched_contents: tuple[UnwatchedContents, ...]
    """Unwatched objects of a namespace or a definition."""
    uncounted_kinds: tuple[str, ...] | None
    """Kinds that are not counted here; None where discovery did not answer."""
    bypassed_budgets: tuple[Budget, ...]
    """Of a pod: the budgets that would block an eviction now. A deletion ignores them."""
    has_grace_period: bool
    """Whether a grace period applies: pods only."""
    default_grace_period: int
    """Grace period of the pod itself, in seconds."""
    limit: NamespaceLimit | None
    """Namespaces whose objects are known, where these are not all and others may have some that matter."""
    is_namespace: bool
    is_definition: bool

    @property
    def deletes_contents(self) -> bool:
        """Whether its contents are deleted with it: those of a namespace, the objects of a definition."""
        return self.is_namespace or self.is_definition


async def plan_deletion(edit_request: EditRequest, current: dict[str, Value]) -> DeletionPlan:
    """The plan for the object as the API server sent it; dependents come from the watched kinds only."""
    metadata, kind, replicas = current["metadata"], edit_request.target.kind, edit_request.state[REPLICAS]
    contents, unknown = await _unwatched(edit_request)
    is_open = kind.key in (NAMESPACES, DEFINITIONS)
    shared = None if is_open else await find_shared_dependents(edit_request.target, metadata["uid"], replicas)
    return DeletionPlan(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        created_at=metadata.get("creationTimestamp", ""),
        deletion_timestamp=metadata.get("deletionTimestamp", ""),
        finalizers=finalizers_of(current),
        recreation=recreation_of(current, replicas),
        dependents=shared.dependents
        if shared
        else await find_dependents(edit_request.target, metadata["uid"], replicas),
        shared_dependents=shared,
        used_by=await find_used_by(edit_request.target, replicas),
        unwatched_contents=contents,
        uncounted_kinds=unknown,
        bypassed_budgets=await _bypassed_budgets(edit_request, current),
        has_grace_period=kind.key == "pods",
        default_grace_period=_grace(current) if kind.key == "pods" else DEFAULT_GRACE,
        limit=None if kind.namespaced or kind.key == NAMESPACES else namespace_limit(edit_request.state),
        is_namespace=kind.key == NAMESPACES,
        is_definition=kind.key == DEFINITIONS,
    )


async def _bypassed_budgets(edit_request: EditRequest, live: dict[str, Value]) -> tuple[Budget, ...]:
    if edit_request.target.kind.key != "pods":
        return ()
    return plan_pod(
        live, await budgets_in(edit_request.client, edit_request.target.namespace), is_single_pod=True
    ).blocking_budgets


def _grace(pod: dict[str, Value]) -> int:
    """Only a pod's grace period is reliable: in other kinds a field of this name may mean anything."""
    seconds = pod["spec"].get("terminationGracePeriodSeconds")
    return DEFAULT_GRACE if seconds is None else int(seconds)


async def _unwatched(edit_request: EditRequest) -> tuple[tuple[UnwatchedContents, ...], tuple[str, ...] | None]:
    """Unwatched objects, and the kinds that are not counted at all."""
    discovery, kind, replicas = (
        edit_request.state[CONNECTION].discovery,
        edit_request.target.kind,
        edit_request.state[REPLICAS],
    )
    if discovery is None:
        return (), None
    try:
        async with asyncio.timeout(DISCOVERY_TIMEOUT):
            resources = {resource.key: resource for resource in await discovery.resources()}
    except (InformerdError, TimeoutError):
        return (), None
    is_open = kind.key in (NAMESPACES, DEFINITIONS)
    target = edit_request.target
    keys = uncounted_kinds(
        replicas,
        resources.values(),
        cluster_scoped=not kind.namespaced and kind.key != NAMESPACES,
        namespace=target.name if kind.key == NAMESPACES else target.namespace,
    )
    if kind.key == DEFINITIONS:
        keys = tuple(key for key in keys if key == edit_request.target.name)
    client = edit_request.state[CONNECTION].client
    if not is_open or client is None:
        return (), keys
    namespace = edit_request.target.name if kind.key == NAMESPACES else ""
    contents, counted = await count_contents(client, (resources[key] for key in keys), namespace)
    return contents, tuple(key for key in keys if key not in counted)
