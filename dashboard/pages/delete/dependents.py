"""What goes with an object, counted in the kinds that are watched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from dashboard.edits.editable import Target
from dashboard.live.messages import Owner, Row
from dashboard.removal.descending import NEVER_OWNED, Descending, Objects, Owned, Replicas
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href
from informerd.resource import Resource

NAMED = 12
"""Dependents of a kind that are named; the rest is counted."""


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
    """Everything that goes with an object, as the garbage collector has it."""

    found: Mapping[str, Owned]
    """By uid, what is nearer before what is further down."""
    through: Mapping[str, set[str]]
    """As Dependents has it, by key."""
    staying: tuple[tuple[Owned, tuple[Owner, ...]], ...]
    """What belongs to one of them, and to others that keep it, with those."""


def descent_of(target: Target, uid: str, replicas: Replicas, *, only_holding_up: bool = False) -> Descent:
    """As Descending has it."""
    found: dict[str, Owned] = {}
    through: dict[str, set[str]] = defaultdict(set)
    descending = Descending(
        target.kind, {uid: (target.namespace, target.name)}, replicas, only_holding_up=only_holding_up
    )
    for step in descending:
        if step is not None:
            one, row, words = step
            found[row.uid] = one, row
            if words:
                through[one.key].add(words)
    staying = tuple((owned, descending.keeping(owned[1])) for owned in descending.staying.values())
    return Descent(found, through, staying)


def dependents_of(
    target: Target, uid: str, replicas: Replicas, *, only_holding_up: bool = False
) -> tuple[Dependents, ...]:
    """What goes with it by kind, in the order of the replicas' kinds; or that alone which its deletion waits for."""
    descent = descent_of(target, uid, replicas, only_holding_up=only_holding_up)
    return tuple(grouped(replicas, descent.found.values(), descent.through))


def naming(uid: str, replicas: Replicas) -> tuple[Dependents, ...]:
    """What names it as an owner, whoever else owns it."""
    known = [(kind, replicas.get(kind.key)) for kind in replicas.kinds]
    found = [(kind, replica.rows[each]) for kind, replica in known for each in replica.by_owner.of(uid)]
    return tuple(grouped(replicas, found, {}))


def each_dependent(kind: KindInfo, objects: Objects, replicas: Replicas) -> Iterator[KindInfo | None]:
    """The kind of everything that goes with any of these objects, each once; see Descending.

    None stands for what was looked at and stays, so that whoever counts has a turn often; rows may change meanwhile.
    """
    return (step[0] if step is not None else None for step in Descending(kind, objects, replicas))


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
