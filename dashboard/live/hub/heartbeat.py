"""Heartbeat message: how fresh the data is, what is wrong with it, and which cluster it comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import cast

from dashboard.live.hub.freshness import FreshnessProblem, FreshnessSource, heartbeat_content
from dashboard.live.hub.kinds import HubKinds
from dashboard.live.hub.socket import Message, encode_message
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
        cluster: ClusterInfoSource,
    ) -> None:
        self._kinds = kinds
        self._sources = sources
        self._clock = clock
        self._problem = problem
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
        parts |= {source.key: asdict(source.problem) for source in self._sources if source.problem is not None}
        if parts:
            content_with_state["parts"] = parts
        return encode_message({"beat": {**content_with_state, "cluster": self._cluster(), "sent": self._clock.now()}})

    def _uncounted(self) -> dict[str, object]:
        kinds = [kind for kind in self._kinds.all_kinds if kind.key in self._kinds.kind_summaries.failing_keys]
        return {kind.key: asdict(FreshnessProblem(kind.title, "uncounted", NOT_COUNTED_TEXT)) for kind in kinds}
