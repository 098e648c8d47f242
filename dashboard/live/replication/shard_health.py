"""Health of several shards' informers of one kind as one Health: the worst of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dashboard.runtime.shard import Shard
from informerd.cache.health import UNREADABLE_NAMED, Health, State

WORST_FIRST: tuple[State, ...] = ("forbidden", "unreachable", "starting", "syncing", "stale", "absent", "live")
OTHER_COLUMNS = "its columns have changed, and not all workers have told so yet"


def shards_health(by_shard: Mapping[Shard, Health], *, same_columns: bool) -> Health:
    """The worst of the shards' health. Where one shard is worse than others, the problem names it.

    Its time of the last answer is the oldest one, its numbers are sums. It is stale without `same_columns`, and where
    the kind is absent for some workers alone.
    """
    every = [*by_shard.values()]
    states = {health.state for health in every}
    worst = next(state for state in WORST_FIRST if state in states)
    shards = [shard for shard, health in by_shard.items() if health.state == worst]
    of_worst = [by_shard[shard] for shard in shards]
    earliest = min(of_worst, key=lambda health: health.since)
    problem, state, since = earliest.problem, worst, earliest.since
    if problem and len(shards) < len(every):
        problem = f"shard {', '.join(map(str, shards))}: {problem}"
    if worst == "live":
        since = max(health.since for health in every)
        if not same_columns:
            state, problem = "stale", OTHER_COLUMNS
    elif worst == "absent" and len(states) > 1:
        state = "stale"
    return Health(
        state=state,
        since=since,
        heard=_least(health.heard for health in every),
        problem=problem,
        retry_at=_least(health.retry_at for health in of_worst),
        last_event=max((health.last_event for health in every if health.last_event is not None), default=None),
        last_bookmark=_least(health.last_bookmark for health in every),
        reconnects=sum(health.reconnects for health in every),
        relists=sum(health.relists for health in every),
        listed=sum(health.listed for health in every),
        has_answer=state != worst or all(health.has_answer for health in of_worst),
        polled=max(health.polled for health in every),
        unreadable=sum(health.unreadable for health in every),
        unreadable_objects=tuple(each for health in every for each in health.unreadable_objects)[:UNREADABLE_NAMED],
    )


def _least(moments: Iterable[float | None]) -> float | None:
    return min((moment for moment in moments if moment is not None), default=None)
