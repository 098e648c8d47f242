"""Context managers that run controllers and managers for the length of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from informerd.cache.shared_informer import SharedInformer
from informerd.controller.controller import Controller
from informerd.errors import NotInTime
from informerd.manager.manager import Manager
from informerd.testing.polling import eventually

START_LIMIT = 30.0
"""Seconds of real time within which caches must have synced and workers started."""

STOP_LIMIT = 5.0
"""Seconds of real time after which what does not stop is cancelled."""


class Runnable(Protocol):
    """A Controller, or a Manager of some."""

    async def run(self) -> None: ...

    def stop(self) -> object: ...


def controllers_of(runnable: Runnable) -> tuple[Controller, ...]:
    """The controllers that it runs."""
    if isinstance(runnable, Manager):
        return runnable.controllers
    return (runnable,) if isinstance(runnable, Controller) else ()


def informers_of(runnable: Runnable) -> tuple[SharedInformer[Any], ...]:
    """The informers of its caches; those of a controller's sources are its sources' own."""
    return tuple(runnable.factory.informers) if isinstance(runnable, Manager) else ()


@asynccontextmanager
async def run_controllers(*runnables: Runnable) -> AsyncIterator[None]:
    """Run them: inside, all their controllers have synced and reconcile; at the end they are stopped.

    What one of them raises is raised here. Raises AssertionError where they do not start within START_LIMIT seconds, or
    a controller has failed, and NotInTime where they do not stop within STOP_LIMIT; an ExceptionGroup for several.
    """
    tasks = [asyncio.create_task(each.run(), name=f"{type(each).__name__} under test") for each in runnables]
    try:
        await eventually(lambda: _started(runnables, tasks), within=START_LIMIT, what="controllers start")
        yield
    finally:
        await _stop(runnables, tasks)


def _started(runnables: Sequence[Runnable], tasks: list[asyncio.Task[None]]) -> bool:
    controllers = [controller for each in runnables for controller in controllers_of(each)]
    for failed in (each for each in controllers if each.phase == "failed"):
        raise AssertionError(f"the controller {failed.name} has failed: {failed.problem}")
    return any(task.done() for task in tasks) or all(each.phase == "running" for each in controllers)


async def _stop(runnables: Sequence[Runnable], tasks: list[asyncio.Task[None]]) -> None:
    for runnable in runnables:
        runnable.stop()
    _, late = await asyncio.wait(tasks, timeout=STOP_LIMIT)
    for task in late:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    failures = [error for task in tasks if not task.cancelled() and (error := task.exception())]
    if late:
        names = ", ".join(task.get_name() for task in late)
        failures.append(NotInTime(f"not stopped within {STOP_LIMIT:g} s: {names}"))
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup("several of what ran under test have failed", failures)
