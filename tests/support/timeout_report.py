"""Time-out report: adds the stack of every asyncio task when pytest-timeout ends a test that hangs."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from types import AsyncGeneratorType, FrameType
from typing import Any

import pytest

_SETTINGS = pytest.StashKey[Any]()


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Generator[None, object, object]:
    """Let the alarm tell of the tasks first, and ring again where the end of the test hangs as well."""
    set_ = yield
    item.stash[_SETTINGS] = settings
    handler = signal.getsignal(signal.SIGALRM)
    if settings.method == "signal" and callable(handler):
        signal.signal(signal.SIGALRM, _telling(handler))
        signal.setitimer(signal.ITIMER_REAL, settings.timeout, settings.timeout)
    return set_


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Set the timer anew: a test's failure has ended it, and fixtures may hang too."""
    if _SETTINGS in item.stash:
        item.ihook.pytest_timeout_set_timer(item=item, settings=item.stash[_SETTINGS])


def task_stacks() -> str:
    """Every unfinished task of the running event loop with the lines it waits in, outermost first."""
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:
        return "no event loop is running\n"
    return "".join(f"{task!r}\n{''.join(_lines(task.get_coro()))}" for task in tasks)


def _telling(handler: Callable[[int, FrameType | None], Any]) -> Callable[[int, FrameType | None], None]:
    def tell(number: int, frame: FrameType | None) -> None:
        sys.stderr.write(task_stacks())
        handler(number, frame)

    return tell


def _lines(waiting: object) -> Iterator[str]:
    """Where a suspended coroutine stands, and what it waits for. (Task.print_stack tells the outermost place only.)"""
    while waiting is not None:
        if type(waiting).__name__.startswith("async_generator_"):  # a step of one, which names it to the collector only
            waiting = next(
                (found for found in gc.get_referents(waiting) if isinstance(found, AsyncGeneratorType)), None
            )
        kind = next((kind for kind in ("cr", "ag", "gi") if hasattr(waiting, f"{kind}_frame")), "")
        frame = getattr(waiting, f"{kind}_frame", None)
        if frame is None:
            yield f"    {waiting!r}\n"
            return
        yield f"    {frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}\n"
        waiting = getattr(waiting, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")
