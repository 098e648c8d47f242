"""Health of several shards' informers of one kind as one Health: the worst of them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dashboard.runtime.shard import Shard
from informerd.cache.health import Health, State, worst_health

WORST_FIRST: tuple[State, ...] = ("forbidden", "unreachable", "starting", "syncing", "stale", "absent", "live")
OTHER_COLUMNS = "its columns have changed, and not all workers have told so yet"


def shards_health(by_shard: Mapping[Shard, Health], *, same_columns: bool) -> Health:
    """The worst of the shards' health. Where one shard is worse than others, the problem names it.

    Its time of the last answer is the oldest one, its numbers are sums. It is stale without `same_columns`, and where
    the kind is absent for some workers alone.
    """
    worst = worst_health([*by_shard.values()], WORST_FIRST)
    shards = [shard for shard, health in by_shard.items() if health.state == worst.state]
    are_all = len(shards) == len(by_shard)
    state, problem = worst.state, worst.problem
    if problem and not are_all:
        problem = f"shard {', '.join(map(str, shards))}: {problem}"
    if state == "live" and not same_columns:
        state, problem = "stale", OTHER_COLUMNS
    elif state == "absent" and not are_all:
        state = "stale"
    return msgspec.structs.replace(
        worst, state=state, problem=problem, has_answer=worst.has_answer or state != worst.state
    )
