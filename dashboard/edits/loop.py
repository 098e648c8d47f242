"""Keep the event loop free: texts that take long are worked on in a thread, small ones at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

SMALL = 64 * 1024
"""Characters; parsing this many takes some 10 ms."""

T = TypeVar("T")


async def off_loop(function: Callable[..., T], *arguments: object, size: int) -> T:
    """The result of a function that only computes; `size` is the length of the text it works on."""
    if size <= SMALL:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)
