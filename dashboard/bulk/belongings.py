"""What goes with many objects that are deleted, counted in the kinds that are watched."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

from dashboard.bulk.place import Place
from dashboard.bulk.run import Item
from dashboard.removal.dependents import dependents_of

TURN = 100
"""Objects that are looked at before everybody else on the event loop has a turn."""


async def belongings(place: Place, items: Iterable[Item]) -> tuple[str, ...]:
    """``3 ReplicaSets``, ``12 Pods``: of those that are to be deleted. Each belongs to one of them alone."""
    counts: Counter[str] = Counter()
    names: dict[str, tuple[str, str]] = {}
    wanted = (item for item in items if item.state == "tried")
    for number, item in enumerate(wanted, 1):
        for found in dependents_of(place.kind, item.uid, item.name, place.live.replicas):
            counts[found.kind.key] += found.count
            names[found.kind.key] = (found.kind.singular, found.kind.title)
        if number % TURN == 0:
            await asyncio.sleep(0)
    return tuple(f"{count:,} {names[key][count != 1]}" for key, count in counts.items())
