"""What goes with an object, and what belongs to others, too: that goes with the last of its owners only."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.edits.editable import Target
from dashboard.live.messages import Owner
from dashboard.removal.dependents import NAMED, Dependents, descent_of, grouped
from dashboard.removal.descending import Owned, Replicas
from dashboard.resources.words import object_href


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


def shared_of(target: Target, uid: str, replicas: Replicas) -> Shared:
    """Everything that goes with the object of this uid, and what would but for other owners."""
    descent = descent_of(target, uid, replicas)
    several = [_belonging(owned, keeping) for owned, keeping in sorted(descent.staying, key=_by_name)]
    several += [_belonging(owned, ()) for owned in descent.found.values() if len(owned[1].owners) > 1]
    dependents = tuple(grouped(replicas, descent.found.values(), descent.through))
    return Shared(dependents, tuple(several[:NAMED]), len(several) > NAMED)


def _by_name(each: tuple[Owned, tuple[Owner, ...]]) -> tuple[str, str]:
    (kind, row), _ = each
    return kind.key, row.key


def _belonging(owned: Owned, others: tuple[Owner, ...]) -> Belonging:
    kind, row = owned
    words = tuple(f"{each.kind} {each.name}" for each in others)
    return Belonging(f"{kind.singular} {row.key}", object_href(kind.key, row.namespace, row.name), words)
