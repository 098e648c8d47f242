"""Runnables of a manager, isolated from each other, so that one's failure stops no other (controller-runtime)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Protocol, runtime_checkable

from informerd.errors import InvalidCall, NotLeading
from informerd.manager.state import RunnablePhase, RunnableState

log = logging.getLogger(__name__)


@runtime_checkable
class Runnable(Protocol):
    """Runs until its work is done, or until it is stopped: by `stop`, where it has one, else by cancellation.

    Where it has an attribute `needs_leader` that is false, it runs whether its process leads or not.
    """

    async def run(self) -> None: ...


class Run:
    """One run of a runnable. Its exception is logged, counted and stored, and ends no other run."""

    def __init__(self, name: str, run: Callable[[], Awaitable[Any]], stop: Callable[[], Any] | None) -> None:
        self.name = name
        self.failures = 0
        self._run = run
        self._stop = stop
        self._phase: RunnablePhase = "created"
        self._problem = ""
        self._task: asyncio.Task[None] | None = None
        self._ending: asyncio.Future[Any] | None = None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """None before its start."""
        return self._task

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def state(self) -> RunnableState:
        """Its present state."""
        return RunnableState(name=self.name, phase=self._phase, problem=self._problem, failures=self.failures)

    def start(self) -> None:
        """Begin, in the running event loop and the present context; nothing happens if it has begun."""
        if self._task is None:
            self._phase = "running"
            self._task = asyncio.create_task(self._contained(), name=f"runnable {self.name}")

    def stop(self) -> None:
        """Ask it to end: by its `stop`, else by cancellation."""
        if not self.is_running or self._phase == "stopping":
            return
        self._phase = "stopping"
        if self._stop is None:
            self.cancel()
            return
        try:
            answer = self._stop()
        except Exception:
            log.exception("the stop of %s has failed: it is cancelled", self.name, extra={"runnable": self.name})
            self.cancel()
            return
        if isawaitable(answer):
            self._ending = asyncio.ensure_future(answer)

    def cancel(self) -> None:
        """Have it end at once."""
        self._phase = "stopping" if self.is_running else self._phase
        if self._task is not None:
            self._task.cancel()
        if self._ending is not None:
            self._ending.cancel()

    async def _contained(self) -> None:
        try:
            await self._run()
        except NotLeading as error:  # the lease is lost, which ends all else as well
            self._fail(error)
            log.warning("%s has ended: %s", self.name, error, extra={"runnable": self.name})
        except Exception as error:
            self._fail(error)
            log.exception(
                "%s has failed and is no longer run; the others continue", self.name, extra={"runnable": self.name}
            )
        else:
            if self._phase != "stopping":
                log.info("%s has ended", self.name, extra={"runnable": self.name})
            self._phase = "stopped"
        finally:
            if self._phase not in ("failed", "stopped"):
                self._phase = "stopped"

    def _fail(self, error: Exception) -> None:
        self.failures += 1
        self._phase, self._problem = "failed", f"{type(error).__name__}: {error}"


def make_run(runnable: Runnable | Callable[[], Awaitable[Any]], name: str = "") -> Run:
    """The run of a runnable, or of an async function without arguments. Raises InvalidCall for anything else."""
    if isinstance(runnable, Runnable) and not isinstance(runnable, type):
        named = name or str(getattr(runnable, "name", "") or type(runnable).__name__)
        stop = getattr(runnable, "stop", None)
        return Run(named, runnable.run, stop if callable(stop) else None)
    if iscoroutinefunction(runnable) or iscoroutinefunction(getattr(runnable, "func", None)):  # a functools.partial
        return Run(name or getattr(runnable, "__qualname__", "function"), runnable, None)
    raise InvalidCall(f"a manager runs what has `async def run(self)`, or an async function, not {runnable!r}")
