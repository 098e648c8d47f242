"""Heartbeat message: how fresh the data of each kind is, what is wrong with it, and which cluster it comes from.

A page picks the kinds it shows, so one heartbeat serves all pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import cast

from dashboard.live.hub.browser_socket import Message, encode_message
from dashboard.live.hub.freshness import FreshnessProblem, FreshnessSource, freshness_problem
from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo
from informerd.cache.health import Health
from informerd.clock import Clock

NOT_COUNTED_TEXT = "Deltaboard cannot tell which of these are unhealthy. See the server's log for the reason."

ClusterInfoSource = Callable[[], dict[str, str] | None]


class Heartbeat:
    """Heartbeat for all pages; `message` builds a new one each time."""

    def __init__(
        self,
        kinds: HubKinds,
        sources: tuple[FreshnessSource, ...],
        clock: Clock,
        *,
        problem: Callable[[], str],
        note: Callable[[], str],
        cluster: ClusterInfoSource,
    ) -> None:
        self._kinds = kinds
        self._sources = sources
        self._clock = clock
        self._problem = problem
        self._note = note
        self._cluster = cluster

    def message(self) -> Message:
        """The heartbeat. Problems of kinds that the settings do not name are in `parts`: they affect their own pages
        only.

        A page compares `sent`, monotonic seconds of this process, to see how late a heartbeat arrived.
        """
        kinds = self._kinds
        replicas = {replica.key: replica for replica in kinds.replicas}
        content = heartbeat_content(kinds.all_kinds, replicas, kinds.summaries, self._clock)
        problems_by_kind = {**self._uncounted(), **cast("dict[str, object]", content["problems"])}
        steady = {kind.key for kind in kinds.configured}
        problems = {key: problem for key, problem in problems_by_kind.items() if key in steady}
        parts = {key: problem for key, problem in problems_by_kind.items() if key not in steady}
        deaf = bool(kinds.replicas.channel_problem)
        state = "stale" if deaf or problems else "live"
        content_with_state = {**content, "state": state, "problems": problems, "problem": self._problem(), "deaf": deaf}
        content_with_state["note"] = self._note()
        parts |= {source.key: asdict(source.problem) for source in self._sources if source.problem is not None}
        if parts:
            content_with_state["parts"] = parts
        return encode_message({"beat": {**content_with_state, "cluster": self._cluster(), "sent": self._clock.now()}})

    def _uncounted(self) -> dict[str, object]:
        kinds = [kind for kind in self._kinds.all_kinds if kind.key in self._kinds.kind_summaries.failing_keys]
        return {kind.key: asdict(FreshnessProblem(kind.title, "uncounted", NOT_COUNTED_TEXT)) for kind in kinds}


def heartbeat_content(
    kinds: Iterable[KindInfo],
    replicas: Mapping[str, ReadableReplica],
    summaries: Mapping[str, KindSummary],
    clock: Clock,
) -> dict[str, object]:
    """Content of the heartbeat, sent each second. Times are Unix seconds; `heard` is the API server's last answer by
    kind.
    """
    kinds = [kind for kind in kinds if kind.key in replicas]
    problems = {kind.key: freshness_problem(kind, replicas[kind.key]) for kind in kinds}
    health = {kind.key: replicas[kind.key].health for kind in kinds}
    heard = {key: kind_health.heard for key, kind_health in health.items()}
    return {
        "state": "stale" if any(problems.values()) else "live",
        "now": clock.time(),
        "heard": max((moment for moment in heard.values() if moment is not None), default=None),
        "heard_by": heard,
        "states": {key: kind_health.state for key, kind_health in health.items()},
        "counts": {key: _count(replicas[key]) for key in health},
        "wrong": {key: summaries[key].count_wrong().total() for key in health},
        "problems": {key: asdict(problem) for key, problem in problems.items() if problem is not None},
        "why": _why(health.values(), [replicas[key] for key in health]),
    }


def _count(replica: ReadableReplica) -> int | None:
    """The count; None, shown as a dash, while it is not known, and for who may see none."""
    unknown = replica.health.state in {"absent", "forbidden", "unreachable", "starting", "syncing"} and not replica.rows
    return None if unknown or replica.is_hidden else len(replica.rows)


def _why(health: Iterable[Health], replicas: list[ReadableReplica]) -> dict[str, object]:
    known = list(health)
    return {
        "last_event": max((kind_health.last_event for kind_health in known if kind_health.last_event), default=None),
        "last_bookmark": max(
            (kind_health.last_bookmark for kind_health in known if kind_health.last_bookmark), default=None
        ),
        "reconnects": sum(kind_health.reconnects for kind_health in known),
        "relists": sum(kind_health.relists for kind_health in known),
        "gaps_healed": sum(replica.gaps_healed for replica in replicas),
    }
