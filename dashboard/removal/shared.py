"""What goes with an object, and what belongs to others, too: that goes with the last of its owners only.

The garbage collector takes each owner that is gone out of it, and deletes it once none is left (kubernetes
pkg/controller/garbagecollector, attemptToDeleteItem). Rows name one owner, so the objects themselves are looked into.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.edits.editable import Target
from dashboard.live.messages import Row
from dashboard.removal.dependents import (
    NAMED,
    NEVER_OWNED,
    Dependents,
    Descent,
    Owned,
    Replicas,
    descent_of,
    grouped,
)
from dashboard.removal.owners import owners_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href
from informerd.objects import OwnerReference

MOST = 5_000
"""Objects of a kind that are looked into; where there are more of them, none is, and that is said."""
Owners = Mapping[str, tuple[OwnerReference, ...]]
"""Of what has several, by its uid."""
Known = Mapping[tuple[str, str], frozenset[str]]
"""The uids of all objects of a group and kind, where all are known."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """An object with several owners, of which one at least goes."""

    words: str
    """Its kind and name."""
    href: str
    others: tuple[str, ...]
    """Kind and name of the owners that keep it; none where all of them go or are gone, so that it goes."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Those of the watched kinds."""

    dependents: tuple[Dependents, ...]
    """What goes, without what stays for the sake of another owner and what belongs to that."""
    named: tuple[Belonging, ...]
    """The first NAMED of those with several owners, what stays before what goes."""
    more: bool
    too_many: tuple[str, ...]
    """Titles of the kinds of which there are more than MOST that may have several: they are counted as rows tell."""


async def shared_of(target: Target, uid: str, replicas: Replicas) -> Shared:
    """Everything whose chain of owners leads to the object of this uid, however many of them each has."""
    first = descent_of(target.kind, uid, target.name, replicas)
    kinds = [kind for kind in replicas.kinds if kind.key not in NEVER_OWNED]
    possible = [(kind, _possible(kind, target, first, replicas)) for kind in kinds]
    too_many = tuple(kind.title for kind, rows in possible if len(rows) > MOST)
    looked = {row.uid: (kind, row) for kind, rows in possible if len(rows) <= MOST for row in rows}
    looked.pop(uid, None)  # who keeps the object itself is no matter
    owners = await asyncio.to_thread(_several, looked)
    descent, staying = _descent(target, uid, replicas, looked, owners)
    several = [_belonging(looked[each], staying[each]) for each in staying]
    several += [_belonging(looked[each], ()) for each in descent.found if each in owners]
    dependents = tuple(grouped(replicas, descent.found.values(), descent.through))
    return Shared(dependents, tuple(several[:NAMED]), len(several) > NAMED, too_many)


def _possible(kind: KindInfo, target: Target, first: Descent, replicas: Replicas) -> list[Row]:
    """The rows that may have several owners, one of which goes: those that name none may have several, too."""
    return [
        row
        for row in list(replicas.get(kind.key).rows.values())
        if row.uid in first.found or (row.owner is None and target.namespace in ("", row.namespace))
    ]


def _several(looked: Mapping[str, Owned]) -> Owners:
    """Runs in a thread: each row is a packed object."""
    found = ((uid, owners_of(row)) for uid, (_, row) in looked.items())
    return {uid: owners for uid, owners in found if len(owners) > 1}


def _descent(
    target: Target, uid: str, replicas: Replicas, looked: Mapping[str, Owned], owners: Owners
) -> tuple[Descent, Mapping[str, tuple[str, ...]]]:
    """What goes; and by uid what stays, with the owners that keep it. What stays may keep others, so it is asked anew
    until no more does.
    """
    also: dict[str, list[Owned]] = defaultdict(list)
    for each, named in owners.items():
        for owner in named:
            also[owner.uid].append(looked[each])
    known, staying = _known(replicas), dict[str, tuple[str, ...]]()
    while True:
        descent = descent_of(target.kind, uid, target.name, replicas, also, staying)
        going = {uid, *descent.found}
        kept = {each: _keeping(owners[each], going, known) for each in descent.found if each in owners}
        if not any(kept.values()):
            return descent, {each: _keeping(owners[each], going, known) for each in staying}
        staying |= {each: others for each, others in kept.items() if others}


def _keeping(owners: Iterable[OwnerReference], going: set[str], known: Known) -> tuple[str, ...]:
    """Those that neither go nor are gone."""
    return tuple(f"{each.kind} {each.name}" for each in owners if each.uid not in going and _may_be_there(each, known))


def _known(replicas: Replicas) -> Known:
    return {
        (kind.resource.group, kind.resource.kind): frozenset(replicas.get(kind.key).rows)
        for kind in replicas.kinds
        if replicas.get(kind.key).live
    }


def _may_be_there(owner: OwnerReference, known: Known) -> bool:
    """False only where all objects of its kind are known, and it is not among them."""
    group = owner.api_version.rpartition("/")[0]
    uids = known.get((group, owner.kind))
    return uids is None or owner.uid in uids


def _belonging(owned: Owned, others: tuple[str, ...]) -> Belonging:
    kind, row = owned
    return Belonging(f"{kind.singular} {row.key}", object_href(kind.key, row.namespace, row.name), others)
