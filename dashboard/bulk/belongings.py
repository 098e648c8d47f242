"""What goes with many objects that are deleted, counted in the kinds that are watched."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable

from dashboard.bulk.place import Place
from dashboard.bulk.run import Item
from dashboard.removal.dependents import each_dependent

TURN = 0.005
"""Seconds of counting before everybody else on the event loop has a turn."""


async def belongings(place: Place, items: Iterable[Item]) -> tuple[str, ...]:
    """``3 ReplicaSets``, ``12 Pods``: of those that are to be deleted. Each is counted once."""
    counts: Counter[str] = Counter()
    objects = {item.uid: (item.namespace, item.name) for item in items if item.state == "tried"}
    end = time.perf_counter() + TURN
    for kind in each_dependent(place.kind, objects, place.live.replicas):
        if kind is not None:
            counts[kind.key] += 1
        if time.perf_counter() >= end:
            await asyncio.sleep(0)
            end = time.perf_counter() + TURN
    kinds = (kind for kind in place.live.replicas.kinds if counts[kind.key])
    return tuple(f"{counts[kind.key]:,} {kind.singular if counts[kind.key] == 1 else kind.title}" for kind in kinds)
