"""Event handler that checks its notifications: none may be impossible by the history of the model's etcd.

It may be slow, raise, or wait at a gate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from informerd.cache.shared_informer import Registration
from informerd.objects import Object

Manner = Literal["plain", "at once", "slow", "raising", "cancelled", "gated", "in a thread"]
Identity = tuple[str, str, int, str]
"""Key, uid, version and teams: two objects that have all in common are the same."""


class Injected(Exception):
    """What a handler or an index function raises because the test wants it to."""


def identity(obj: Object) -> Identity:
    """What tells an object and its versions from all others."""
    meta = obj.metadata
    return obj.key, meta.uid, int(meta.resource_version), meta.labels["teams"]


class FoldingHandler:
    """`manner` says how it behaves: its methods are plain, or coroutines that wait, raise, or stand at a gate.

    In a thread of its own it asks now and then for the interpreter's end, which is a failure there like others.
    """

    def __init__(
        self,
        name: str,
        manner: Manner,
        *,
        same_versions: bool,
        filtered: bool,
        exists: Callable[[Identity], bool],
        may_go_back: Callable[[], bool],
        complain: Callable[[str], None],
    ) -> None:
        self.fold: dict[str, Identity] = {}
        self.initial: dict[str, Identity] = {}
        """The adds of the initial list that it has done with."""
        self.registration: Registration[Object] | None = None
        self.removed = False
        self.raised = 0
        self.busy = False
        self.gate = asyncio.Event()
        self._name = name
        self._manner = manner
        self._same_versions = same_versions
        self._filtered = filtered
        self._exists = exists
        self._may_go_back = may_go_back
        self._complain = complain
        self._calls = 0

    def __repr__(self) -> str:
        return f"<{self._manner} handler {self._name}>"

    def on_add(self, obj: Object, is_in_initial_list: bool) -> Awaitable[None] | None:
        new = self._begin("add", obj)
        registration = self.registration
        self._check(registration is not None, "told before add_handler returned")
        self._check(new[0] not in self.fold, f"{new} is added, but there is {self.fold.get(new[0])}")
        if registration is not None:
            self._check(
                is_in_initial_list is not registration.has_synced,
                f"{new} is said to be {'initial' if is_in_initial_list else 'new'}; synced: {registration.has_synced}",
            )
        self._check(new[0] not in self.initial or not is_in_initial_list, f"{new} is initial twice")
        self.fold[new[0]] = new
        return self._end((lambda: self.initial.update({new[0]: new})) if is_in_initial_list else None)

    def on_update(self, old: Object, new: Object) -> Awaitable[None] | None:
        before, after = identity(old), self._begin("update", new)
        folded = self.fold.get(after[0])
        self._check(folded == before, f"{before} → {after}, but the one before is {folded}")
        grows = after[2] > before[2] or (self._same_versions and after == before)
        self._check(grows or self._may_go_back(), f"an update from {before} to {after}")
        self.fold[after[0]] = after
        return self._end()

    def on_delete(self, obj: Object, final_state_unknown: bool) -> Awaitable[None] | None:
        gone = self._begin("delete", obj)
        folded = self.fold.pop(gone[0], None)
        if folded is None:
            self._complain(f"{self!r}: {gone} is deleted, but it is not there")
        elif final_state_unknown:
            self._check(folded == gone, f"a tombstone of {gone}, but the last state is {folded}")
        else:
            left_the_filter = self._filtered and gone == folded
            self._check(gone[2] > folded[2] or left_the_filter, f"a delete {gone} before its last state {folded}")
        return self._end()

    def _begin(self, what: str, obj: Object) -> Identity:
        told = identity(obj)
        self._check(not self.removed, f"told of {what} {told} after its removal")
        self._check(not self.busy, f"told of {what} {told} during another call")
        self._check(self._exists(told), f"{what} {told}: there has never been such an object")
        return told

    def _end(self, then: Callable[[], None] | None = None) -> Awaitable[None] | None:
        self._calls += 1
        if self._manner in ("plain", "in a thread"):
            if then is not None:
                then()
            if self._manner == "in a thread" and self._calls % 4 == 0:
                self.raised += 1
                raise SystemExit
            return None
        if self._manner == "raising" and self._calls % 3 == 0:
            if then is not None:
                then()
            self.raised += 1
            raise Injected(repr(self))
        self.busy = True
        return self._work(self._calls, then)

    async def _work(self, call: int, then: Callable[[], None] | None) -> None:
        try:
            await self._wait(call)
        finally:
            self.busy = False
            if then is not None:
                then()

    async def _wait(self, call: int) -> None:
        match self._manner:
            case "slow":
                await asyncio.sleep(0.7 * (call % 4))
            case "gated":
                await self.gate.wait()
            case "raising" if call % 2:
                self.raised += 1
                raise Injected(repr(self))
            case "cancelled" if call % 2:
                self.raised += 1
                raise asyncio.CancelledError
            case _:
                await asyncio.sleep(0)

    def _check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self._complain(f"{self!r}: {otherwise}")
