"""What goes with an object: everything whose chain of owners leads to it, counted in the kinds that are watched."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from types import MappingProxyType
from typing import Any, Protocol

from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href
from informerd.resource import Resource

NAMED = 12
"""Dependents of a kind that are named; the rest is counted."""
NAMESPACES = "namespaces"
DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
NEVER_OWNED = frozenset({"events", "events.events.k8s.io"})
"""Kinds whose objects nobody deletes with an owner: leaving them out of the uncounted ones hides nothing."""

Owned = tuple[KindInfo, Row]


class Replicas(Protocol):
    """What is needed of dashboard.live.replicas.Replicas."""

    @property
    def kinds(self) -> tuple[KindInfo, ...]: ...

    def get(self, key: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that goes, too."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Dependents:
    """Those of one kind."""

    kind: KindInfo
    count: int
    named: tuple[Dependent, ...]
    through: tuple[str, ...] = ()
    """Kinds of the owners between, where they do not belong to the object itself: ``ReplicaSet``."""

    @property
    def more(self) -> int:
        return self.count - len(self.named)

    @property
    def words(self) -> str:
        """``1 Pod``, ``3 ReplicaSets``."""
        return f"{self.count:,} {self.kind.singular if self.count == 1 else self.kind.title}"


@dataclass(frozen=True, slots=True)
class Descent:
    """Everything whose chain of owners leads to an object."""

    found: Mapping[str, Owned]
    """By uid, what is nearer before what is further down."""
    through: Mapping[str, set[str]]
    """As Dependents has it, by key."""


def descent_of(
    kind: KindInfo,
    uid: str,
    name: str,
    replicas: Replicas,
    also: Mapping[str, Iterable[Owned]] = MappingProxyType({}),
    without: Collection[str] = (),
) -> Descent:
    """Rows name one owner, the controller or the only one. `also`: what else an owner of this uid is named by.

    What is in a namespace belongs to it, and every object of a kind to its definition. Uids in `without` are left out,
    with what is found through them alone.
    """
    found = {row.uid: (one, row) for one, row in _contents(kind, (name,), replicas) if row is not None}
    through: dict[str, set[str]] = defaultdict(set)
    owning = _owning(replicas)
    waiting = deque([(uid, ""), *((row.uid, one.singular) for one, row in found.values())])
    while waiting:
        owner, words = waiting.popleft()
        for one, row in chain(_owned_by(owner, owning), also.get(owner, ())):
            if row.uid in found or row.uid in without:
                continue
            if words:
                through[one.key].add(words)
            found[row.uid] = (one, row)
            waiting.append((row.uid, one.singular))
    return Descent(found, through)


def dependents_of(kind: KindInfo, uid: str, name: str, replicas: Replicas) -> tuple[Dependents, ...]:
    """By kind, in the order of the replicas' kinds, as far as rows tell: one that has a controller and another owner is
    counted, though it stays while that is there; dashboard.removal.shared looks into each.
    """
    descent = descent_of(kind, uid, name, replicas)
    return tuple(grouped(replicas, descent.found.values(), descent.through))


def each_dependent(kind: KindInfo, names: Mapping[str, str], replicas: Replicas) -> Iterator[KindInfo | None]:
    """The kind of everything that goes with any of these objects, each once; `names` are theirs by uid.

    None stands for what was looked at and stays, so that whoever counts has a turn often; rows may change meanwhile.
    """
    owning, found, waiting = _owning(replicas), set(names), list(names)
    for one, row in _contents(kind, set(names.values()), replicas):
        yield one if row is not None else None
        if row is not None:
            found.add(row.uid)
            waiting.append(row.uid)
    while waiting:
        yield None
        owner = waiting.pop()
        for one, replica in owning:
            for uid in list(replica.by_owner.of(owner)):
                if uid not in found:
                    found.add(uid)
                    waiting.append(uid)
                    yield one


def uncounted(replicas: Replicas, resources: Iterable[Resource], *, cluster_scoped: bool) -> tuple[str, ...]:
    """Kinds of which nobody can tell here whether some go with it: not watched, or not read yet.

    What has a namespace owns nothing that has none.
    """
    read = {one.key for one in replicas.kinds if is_read(replicas, one.key)}
    return tuple(
        sorted(
            resource.key
            for resource in resources
            if resource.key not in read | NEVER_OWNED
            and {"list", "delete"} <= resource.verbs
            and (cluster_scoped or resource.namespaced)
        )
    )


def is_read(replicas: Replicas, key: str) -> bool:
    """Whether it is known which objects of a watched kind there are."""
    return bool(replicas.get(key).state != "starting" and replicas.get(key).health.state in ("live", "stale", "absent"))


def _contents(kind: KindInfo, names: Collection[str], replicas: Replicas) -> Iterator[tuple[KindInfo, Row | None]]:
    """What is in namespaces, or of definitions, of these names; with None for each row that is not."""
    if kind.key == DEFINITIONS:
        for one, replica in [(one, replicas.get(one.key)) for one in replicas.kinds if one.key in names]:
            yield from ((one, row) for row in _rows(replica))
    elif kind.key == NAMESPACES:
        spaced = (one for one in replicas.kinds if one.namespaced and one.key not in NEVER_OWNED)
        for one, replica in [(one, replicas.get(one.key)) for one in spaced]:
            yield from ((one, row if row.namespace in names else None) for row in _rows(replica))


def _owning(replicas: Replicas) -> list[tuple[KindInfo, Any]]:
    return [(kind, replica) for kind in replicas.kinds if (replica := replicas.get(kind.key)).by_owner]


def _owned_by(owner: str, owning: Iterable[tuple[KindInfo, Any]]) -> Iterator[Owned]:
    for kind, replica in owning:
        for uid in replica.by_owner.of(owner):
            yield kind, replica.rows[uid]


def _rows(replica: Any) -> list[Row]:
    """As they are now, whatever changes while they are looked at."""
    return list(replica.rows.values())


def grouped(replicas: Replicas, found: Iterable[Owned], through: Mapping[str, set[str]]) -> Iterable[Dependents]:
    """By kind, in the order of the replicas' kinds, the first of each named; `through` as Dependents has it, by key."""
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for kind, row in found:
        by_kind[kind.key].append(row)
    for kind in replicas.kinds:
        if rows := by_kind.get(kind.key):
            named = nsmallest(NAMED, rows, key=lambda row: row.key)
            links = tuple(Dependent(row.key, object_href(kind.key, row.namespace, row.name)) for row in named)
            yield Dependents(kind, len(rows), links, tuple(sorted(through.get(kind.key, ()))))
