"""Polling of a condition until it holds or a deadline passes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from inspect import isawaitable
from typing import Any, TypeVar, overload

T = TypeVar("T")
_INTERVAL = 0.02


@overload
async def eventually(condition: Callable[[], Coroutine[Any, Any, T]], *, within: float = 30.0, what: str = "") -> T: ...


@overload
async def eventually(condition: Callable[[], T], *, within: float = 30.0, what: str = "") -> T: ...


async def eventually(condition: Callable[[], Any], *, within: float = 30.0, what: str = "") -> Any:
    """The first true answer of `condition`, which may be a coroutine function.

    AssertionError after `within` seconds, which names the condition or says `what`. `LiveCluster.wait_until_settled`
    is better where it serves: it knows what it waits for.
    """
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
