"""Waiting for real processes: a condition is polled until it holds or a deadline passes. For nothing else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from inspect import isawaitable
from typing import Any, TypeVar, overload

T = TypeVar("T")
_INTERVAL = 0.02


def until(condition: Callable[[], T], *, within: float = 10.0, what: str = "") -> T:
    """The first true answer of `condition`; AssertionError after `within` seconds."""
    deadline = time.monotonic() + within
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what or condition}")
        time.sleep(_INTERVAL)
    return answer


@overload
async def eventually(condition: Callable[[], Coroutine[Any, Any, T]], *, within: float = 10.0, what: str = "") -> T: ...


@overload
async def eventually(condition: Callable[[], T], *, within: float = 10.0, what: str = "") -> T: ...


async def eventually(condition: Callable[[], Any], *, within: float = 10.0, what: str = "") -> Any:
    """`until` for a running event loop; `condition` may be a coroutine function."""
    deadline = time.monotonic() + within
    while True:
        answer = condition()
        if isawaitable(answer):
            answer = await answer
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what or condition}")
        await asyncio.sleep(_INTERVAL)
