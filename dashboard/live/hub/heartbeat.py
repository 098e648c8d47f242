"""The heartbeat's message: how fresh everything is, what is wrong with it, and which cluster it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import cast

from dashboard.controllers.board import Board
from dashboard.controllers.view import CONTROLLERS
from dashboard.live.freshness import Problem, beat
from dashboard.live.shown_kinds import ShownKinds
from dashboard.live.socket import Message, message_of
from informerd.clock import Clock

UNCOUNTED = "It cannot be told which of these are wrong; the server's log says why."

Cluster = Callable[[], dict[str, str] | None]


class Heartbeat:
    """Says the same to every page: `message` makes it anew."""

    def __init__(
        self, kinds: ShownKinds, board: Board, clock: Clock, *, problem: Callable[[], str], cluster: Cluster
    ) -> None:
        self._kinds = kinds
        self._board = board
        self._clock = clock
        self._problem = problem
        self._cluster = cluster

    def message(self) -> Message:
        """Trouble of kinds that the settings do not name stands apart (`parts`): only their own pages are stale.

        By `sent`, steady seconds of this process, a page knows how late a beat has come.
        """
        kinds = self._kinds
        replicas = {replica.key: replica for replica in kinds.replicas}
        content = beat(kinds.all, replicas, kinds.summaries, self._clock)
        found = {**self._uncounted(), **cast("dict[str, object]", content["problems"])}
        steady = {kind.key for kind in kinds.steady}
        problems = {key: problem for key, problem in found.items() if key in steady}
        parts = {key: problem for key, problem in found.items() if key not in steady}
        deaf = bool(kinds.replicas.channel_problem)
        state = "stale" if deaf or problems else "live"
        said = {**content, "state": state, "problems": problems, "problem": self._problem(), "deaf": deaf}
        if self._board.problem is not None:
            parts[CONTROLLERS] = asdict(self._board.problem)
        if parts:
            said["parts"] = parts
        return message_of({"beat": {**said, "cluster": self._cluster(), "sent": self._clock.now()}})

    def _uncounted(self) -> dict[str, object]:
        kinds = [kind for kind in self._kinds.all if kind.key in self._kinds.counts.failing]
        return {kind.key: asdict(Problem(kind.title, "uncounted", UNCOUNTED)) for kind in kinds}
