"""Users of an object: objects of the watched kinds that name it, in their current state.

The API server is not asked, and nothing is guessed: unwatched kinds are listed as not searched.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for
from dashboard.pages.delete import outgoing_references as to
from dashboard.pages.delete.dependents import DependentCount, DependentGroup, is_kind_synced
from dashboard.pages.delete.descendants import ReplicaLookup
from dashboard.pages.writes.target import Target
from dashboard.runtime.time_slicing import in_turns

MAX_OBJECTS = 5_000
"""Most objects of a kind that are searched; a larger kind is skipped, and the page says so."""
_NODE = next(place for place, column in enumerate(columns_for(to.PODS)) if column.id == "node")
_MAKERS = (to.DEPLOYMENTS, to.STATEFUL_SETS, to.DAEMON_SETS, to.REPLICA_SETS, to.CONTROLLERS, to.JOBS, to.CRON_JOBS)
_STAND_FOR = (to.DEPLOYMENTS, to.CRON_JOBS)
"""Owners with the same template as their ReplicaSets and Jobs: where they are searched, only they are."""
_PLAIN = re.compile(r"[A-Za-z0-9.:_-]+")
"""Names that JSON contains without escapes."""
_ANYWHERE = frozenset({to.BINDINGS})
"""Namespaced kinds whose objects may name one in another namespace."""


@dataclass(frozen=True, slots=True)
class _Use:
    """Kinds that may name one of a kind, and the effect of its deletion on them."""

    kinds: tuple[str, ...]
    effects: str


@dataclass(frozen=True, slots=True)
class UsedBy:
    """Users of an object, by kind."""

    groups: tuple[DependentGroup, ...]
    effects: str
    """Effects of the deletion on them, as sentences."""
    searched: tuple[str, ...]
    """Titles of the searched kinds."""
    unwatched: tuple[str, ...]
    """Titles of the kinds that are not watched here, or not read yet."""
    partial: tuple[str, ...]
    """Titles of the searched kinds of which whoever asks may see a part."""
    too_many: tuple[str, ...]
    """Titles of the kinds with more than MAX_OBJECTS objects."""


async def find_used_by(target: Target, replicas: ReplicaLookup) -> UsedBy | None:
    """The users; None for a kind without known references."""
    use = _USES.get(target.kind.key)
    if use is None:
        return None
    synced = {kind.key: kind for kind in replicas.kinds if is_kind_synced(replicas, kind.key)}
    unwatched = [key for key in use.kinds if key not in synced]
    rows = _not_stood_for({key: await _possible(target, key, replicas) for key in use.kinds if key in synced})
    too_many = [key for key, rows_of_kind in rows.items() if len(rows_of_kind) > MAX_OBJECTS]
    searched = {key: rows_of_kind for key, rows_of_kind in rows.items() if len(rows_of_kind) <= MAX_OBJECTS}
    wanted = (target.kind.key, target.namespace, target.name)
    named = await asyncio.to_thread(_naming, searched, wanted)
    found = DependentCount()
    for key, row in named:
        found.add(synced[key], row)
    partial = [key for key in searched if replicas.get(key).is_partial]
    titles = map(_titles, (searched, unwatched, partial, too_many))
    return UsedBy(found.groups(replicas), use.effects, *titles)


async def _possible(target: Target, key: str, replicas: ReplicaLookup) -> list[Row]:
    """The rows of a kind that may name it. Other tasks run meanwhile."""
    replica = replicas.get(key)
    rows = map(replica.rows.get, replica.possible_uids())
    return [row async for row in in_turns(rows) if row is not None and _is_near(target, key, row)]


def _is_near(target: Target, key: str, row: Row) -> bool:
    if target.kind.key == to.NODES and key == to.PODS:
        return len(row.cells) > _NODE and bool(row.cells[_NODE] == target.name)
    return not target.namespace or key in _ANYWHERE or row.namespace in ("", target.namespace)


def _not_stood_for(rows: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    stand = {
        row.uid for key in _STAND_FOR if len(rows_of_kind := rows.get(key, [])) <= MAX_OBJECTS for row in rows_of_kind
    }
    return {
        key: [row for row in rows_of_kind if row.owner is None or row.owner[2] not in stand]
        for key, rows_of_kind in rows.items()
    }


def _naming(rows: Mapping[str, list[Row]], reference: to.Reference) -> list[tuple[str, Row]]:
    """Objects that name it. Runs in a thread: each row is a packed object."""
    return [
        (key, row)
        for key, rows_of_kind in rows.items()
        for row in rows_of_kind
        if _may_name(key, row, reference) and reference in to.references(key, row.decode_object())
    ]


def _may_name(key: str, row: Row, reference: to.Reference) -> bool:
    """False for most objects that do not: where the text does not contain the name, decoding it, which takes several
    times as long, is unnecessary. Two names are not in the text: a claim's that is derived from its pod's, and the
    default account.
    """
    kind, _, name = reference
    is_ephemeral_claim = key == to.PODS and kind == to.CLAIMS and name.startswith(f"{row.name}-")
    if (
        row.blob is None
        or is_ephemeral_claim
        or (kind, name) == (to.ACCOUNTS, to.DEFAULT_ACCOUNT)
        or not _PLAIN.fullmatch(name)
    ):
        return True
    return f'"{name}"'.encode() in row.blob.json()


def _titles(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(_TITLES.get(key) or KINDS[key].title for key in keys)


_TITLES: Mapping[str, str] = MappingProxyType(
    {
        to.VALIDATING: "ValidatingWebhookConfigurations",
        to.MUTATING: "MutatingWebhookConfigurations",
        to.API_SERVICES: "APIServices",
    }
)
"""Effects on kinds that are not in the table."""
_ROLE = "A binding to a missing role grants nothing: its subjects lose these permissions immediately."
_USES: Mapping[str, _Use] = MappingProxyType({
    to.CLAIMS: _Use(
        (to.PODS, *_MAKERS),
        "It stays, marked as being deleted, until no pod on a node names it, ended pods included; "
        "pods that are created meanwhile do not start.",
    ),
    to.VOLUMES: _Use(
        (to.CLAIMS, to.ATTACHMENTS), "It stays, marked as being deleted, until the claim that it is bound to is gone."
    ),
    to.CONFIG_MAPS: _Use(
        (to.PODS, *_MAKERS),
        "Running containers keep the values they have read; new ones that need it wait until it exists again.",
    ),
    to.SECRETS: _Use(
        (to.PODS, *_MAKERS, to.ACCOUNTS, to.INGRESSES, to.VOLUMES),
        "Running containers keep the values they have read; new ones that need it wait until it exists again.",
    ),
    to.ACCOUNTS: _Use(
        (to.PODS, *_MAKERS, to.BINDINGS, to.CLUSTER_BINDINGS),
        "The tokens of its pods become invalid immediately, and no pod is created for it until it exists again. "
        "Its bindings would hold for a new one of its name.",
    ),
    to.SERVICES: _Use(
        (to.INGRESSES, to.STATEFUL_SETS, to.VALIDATING, to.MUTATING, to.API_SERVICES, to.DEFINITIONS),
        "Requests to it get no answer any more; where it serves a webhook, the API server may refuse the requests that "
        "it asks that webhook about.",
    ),
    to.ROLES: _Use((to.BINDINGS,), _ROLE),
    to.CLUSTER_ROLES: _Use((to.BINDINGS, to.CLUSTER_BINDINGS), _ROLE),
    to.INGRESS_CLASSES: _Use((to.INGRESSES,), "Perhaps no controller handles them any more."),
    to.STORAGE_CLASSES: _Use(
        (to.CLAIMS,), "Existing volumes stay. Claims without a volume get none until it exists again."
    ),
    to.PRIORITY_CLASSES: _Use(_MAKERS, "Pods keep their priority; new pods that name it are refused."),
    to.RUNTIME_CLASSES: _Use(_MAKERS, "Running pods continue; new pods that name it are refused."),
    to.NODES: _Use(
        (to.PODS, to.ATTACHMENTS),
        "Its pods are deleted after it. While its kubelet runs, it registers the node again.",
    ),
})  # fmt: skip
