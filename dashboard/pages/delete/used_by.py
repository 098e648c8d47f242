"""Who uses an object: what names it, looked for in the kinds that are watched, as they are in this moment.

Nothing is asked of the API server, and nothing is guessed: kinds that nobody watches are named as not looked at.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.edits.editable import Target
from dashboard.live.messages import Row
from dashboard.removal import references as to
from dashboard.removal.dependents import Dependents, grouped, is_read
from dashboard.removal.descending import Replicas
from dashboard.resources.kinds import KINDS
from dashboard.resources.rows import columns_for

MOST = 5_000
"""Objects of a kind that are looked into; where there are more of them, none is, and that is said."""
_NODE = next(place for place, column in enumerate(columns_for(to.PODS)) if column.id == "node")
_MAKERS = (to.DEPLOYMENTS, to.STATEFUL_SETS, to.DAEMON_SETS, to.REPLICA_SETS, to.CONTROLLERS, to.JOBS, to.CRON_JOBS)
_STAND_FOR = (to.DEPLOYMENTS, to.CRON_JOBS)
"""Owners whose own template says what their ReplicaSets' and Jobs' does: where they are looked into, only they are."""
_PLAIN = re.compile(r"[A-Za-z0-9.:_-]+")
"""Names that JSON has letter by letter."""
_ANYWHERE = frozenset({to.BINDINGS})
"""Kinds in namespaces whose objects may name one in another namespace."""


@dataclass(frozen=True, slots=True)
class _Use:
    """Which kinds may name one of a kind, and what it means to them that it goes."""

    by: tuple[str, ...]
    means: str


@dataclass(frozen=True, slots=True)
class Users:
    """Who uses an object, by kind."""

    groups: tuple[Dependents, ...]
    means: str
    """What it means to them that it goes, as sentences."""
    looked: tuple[str, ...]
    """Titles of the kinds that were looked into."""
    unwatched: tuple[str, ...]
    """Titles of those that nobody watches here, or that are not read yet."""
    too_many: tuple[str, ...]
    """Titles of those of which there are more than MOST."""


async def users_of(target: Target, replicas: Replicas) -> Users | None:
    """None for a kind that nothing names in a way that is known here."""
    use = _USES.get(target.kind.key)
    if use is None:
        return None
    there = {kind.key: kind for kind in replicas.kinds if is_read(replicas, kind.key)}
    unwatched = [key for key in use.by if key not in there]
    rows = _not_stood_for({key: _possible(target, key, replicas) for key in use.by if key in there})
    too_many = [key for key, found in rows.items() if len(found) > MOST]
    looked = {key: found for key, found in rows.items() if len(found) <= MOST}
    wanted = (target.kind.key, target.namespace, target.name)
    named = await asyncio.to_thread(_naming, looked, wanted)
    groups = grouped(replicas, ((there[key], row) for key, row in named), {})
    return Users(tuple(groups), use.means, _titles(looked), _titles(unwatched), _titles(too_many))


def _possible(target: Target, key: str, replicas: Replicas) -> list[Row]:
    """The rows of a kind that may name it."""
    rows: list[Row] = list(replicas.get(key).rows.values())
    if target.kind.key == to.NODES and key == to.PODS:
        rows = [row for row in rows if len(row.cells) > _NODE and row.cells[_NODE] == target.name]
    elif target.namespace and key not in _ANYWHERE:
        rows = [row for row in rows if row.namespace in ("", target.namespace)]
    return rows


def _not_stood_for(rows: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    stand = {row.uid for key in _STAND_FOR if len(found := rows.get(key, [])) <= MOST for row in found}
    return {
        key: [row for row in found if row.owner is None or row.owner[2] not in stand] for key, found in rows.items()
    }


def _naming(rows: Mapping[str, list[Row]], wanted: to.Reference) -> list[tuple[str, Row]]:
    """Runs in a thread: each row is a packed object."""
    return [
        (key, row)
        for key, found in rows.items()
        for row in found
        if _may_name(key, row, wanted) and wanted in to.references(key, row.whole())
    ]


def _may_name(key: str, row: Row, wanted: to.Reference) -> bool:
    """False for most that do not: where the name stands nowhere in the text, the fields need no reading, which takes
    several times as long. Two stand nowhere: a claim's that is made of its pod's, and the account that is the default.
    """
    kind, _, name = wanted
    made = key == to.PODS and kind == to.CLAIMS and name.startswith(f"{row.name}-")
    if row.blob is None or made or (kind, name) == (to.ACCOUNTS, to.DEFAULT) or not _PLAIN.fullmatch(name):
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
"""Of kinds that are not in the table."""
_ROLE = "A binding of a role that is not there gives nothing: whoever had these rights by it loses them at once."
_USES: Mapping[str, _Use] = MappingProxyType({
    to.CLAIMS: _Use(
        (to.PODS, *_MAKERS),
        "It stays, marked as being deleted, until no pod on a node names it, one that has ended neither; "
        "pods that are made meanwhile do not start.",
    ),
    to.VOLUMES: _Use(
        (to.CLAIMS, to.ATTACHMENTS), "It stays, marked as being deleted, until the claim that it is bound to is gone."
    ),
    to.CONFIG_MAPS: _Use(
        (to.PODS, *_MAKERS),
        "What runs keeps what it has read; containers that need it and start later wait until there is one again.",
    ),
    to.SECRETS: _Use(
        (to.PODS, *_MAKERS, to.ACCOUNTS, to.INGRESSES, to.VOLUMES),
        "What runs keeps what it has read; containers that need it and start later wait until there is one again.",
    ),
    to.ACCOUNTS: _Use(
        (to.PODS, *_MAKERS, to.BINDINGS, to.CLUSTER_BINDINGS),
        "The tokens of its pods are void at once, and no pod is made for it until there is one again. "
        "Its bindings would hold for a new one of its name.",
    ),
    to.SERVICES: _Use(
        (to.INGRESSES, to.STATEFUL_SETS, to.VALIDATING, to.MUTATING, to.API_SERVICES, to.DEFINITIONS),
        "What leads to it is not answered any more; where that is a webhook, the API server may refuse what it asks "
        "that one about.",
    ),
    to.ROLES: _Use((to.BINDINGS,), _ROLE),
    to.CLUSTER_ROLES: _Use((to.BINDINGS, to.CLUSTER_BINDINGS), _ROLE),
    to.INGRESS_CLASSES: _Use((to.INGRESSES,), "No controller may feel responsible for them any more."),
    to.STORAGE_CLASSES: _Use(
        (to.CLAIMS,), "Volumes that were made stay. Claims that have none yet get none until there is one again."
    ),
    to.PRIORITY_CLASSES: _Use(_MAKERS, "Pods keep the priority that they have; new ones that name it are refused."),
    to.RUNTIME_CLASSES: _Use(_MAKERS, "Pods that run go on; new ones that name it are refused."),
    to.NODES: _Use(
        (to.PODS, to.ATTACHMENTS),
        "Its pods are deleted after it. While its kubelet runs, it registers the node again.",
    ),
})  # fmt: skip
