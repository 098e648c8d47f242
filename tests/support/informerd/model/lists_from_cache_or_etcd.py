"""LIST responses of the model server: from its watch cache or from etcd, whole or in pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.support.informerd.model.etcd_history import History, State
from tests.support.informerd.model.memory_transport import Call
from tests.support.informerd.model.responses import REFUSALS, list_of

FRESHNESS_LIMIT = 3.0
"""Seconds for which a read waits for a version that is still to come."""


class WatchCache:
    """What reads may be answered from: all that the cache has seen, or where there is none, all that etcd has."""

    def __init__(self, history: History, *, is_there: bool) -> None:
        self.is_there = is_there
        self.seen = self.oldest = history.version
        """What it has seen, and from where on."""
        self.lags = False
        self._history = history

    @property
    def fresh(self) -> int:
        """The newest version that a read can have without waiting."""
        return self.seen if self.is_there else self._history.version

    def catch_up(self) -> None:
        """See what is new, unless it lags."""
        if not self.lags:
            self.seen = self._history.version

    def begin_anew(self) -> None:
        """Know of nothing before now."""
        self.oldest = self.seen = self._history.version

    def when_fresh(self, call: Call, version: int, then: Callable[[], None], refuse: Callable[[], None]) -> None:
        """Call `then`, now or where the version is still to come, after a while; or `refuse`, for it is too large."""

        def try_again() -> None:
            if not call.is_gone:
                (then if self.fresh >= version else refuse)()

        if self.fresh >= version:
            then()
        else:
            asyncio.get_running_loop().call_later(FRESHNESS_LIMIT, try_again)


class Lists:
    """Answers LISTs. `listed` has each one that was sent whole, with its version."""

    def __init__(self, history: History, cache: WatchCache) -> None:
        self.listed: list[tuple[int, State]] = []
        self._history = history
        self._cache = cache

    def answer(self, call: Call) -> None:
        """By the rules for resourceVersion, limit and continue (Kubernetes' API concepts, "resource versions")."""
        limit = int(call.params.get("limit", "0"))
        wanted = call.params.get("resourceVersion", "")
        if token := call.params.get("continue"):
            self._go_on(call, token, limit)
        elif wanted == "0" and self._cache.is_there:
            self._page(call, self._cache.seen, 0, 0)
        elif wanted in ("", "0"):
            self._page(call, self._history.version, 0, limit)
        elif limit:
            self._exact(call, int(wanted), limit)
        else:
            self._cache.when_fresh(
                call,
                int(wanted),
                lambda: self._page(call, self._cache.fresh, 0, 0),
                lambda: call.answer(*REFUSALS["too large by cause"]),
            )

    def _go_on(self, call: Call, token: str, limit: int) -> None:
        version, start, epoch = map(int, token.split("."))
        if version < self._history.compacted or epoch != self._history.epoch:
            call.answer(*REFUSALS["410 Expired"])
        else:
            self._page(call, version, start, limit)

    def _exact(self, call: Call, version: int, limit: int) -> None:
        """With a limit the version is meant exactly, and read from etcd."""
        if version < self._history.compacted:
            call.answer(*REFUSALS["410 Expired"])
        elif version > self._history.version:
            call.answer(*REFUSALS["too large by cause"])
        else:
            self._page(call, version, 0, limit)

    def _page(self, call: Call, version: int, start: int, limit: int) -> None:
        state = self._history.at(version)
        things = [*state.values()][start : start + limit if limit else None]
        rest = len(state) - start - len(things)
        token = f"{version}.{start + len(things)}.{self._history.epoch}" if rest else ""
        if not rest:
            self.listed.append((version, state))
        call.answer(200, list_of(things, version, token, rest))
