"""Write guard, which asks before every write of leader-elected work, whichever client makes it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import replace

from informerd.rest.request import RestRequest

WriteGuard = Callable[[], float]
"""Called right before each write. Returns the seconds that the write may take; raises where it must not be sent."""

_guard: ContextVar[WriteGuard | None] = ContextVar("write guard", default=None)


@contextlib.contextmanager
def guard_writes(guard: WriteGuard | None) -> Iterator[None]:
    """Have `guard` asked before each write that is made inside, and by tasks and threads that are begun inside.

    Threads as asyncio.to_thread begins them, which take the context along. None lifts a guard.
    """
    token = _guard.set(guard)
    try:
        yield
    finally:
        _guard.reset(token)


def check_write(call: RestRequest) -> RestRequest:
    """The call with the time limit of the guard, where it is a write. Raises what the guard raises."""
    guard = _guard.get()
    if guard is None or call.method == "GET":
        return call
    return replace(call, timeout=min(call.timeout, guard()))
