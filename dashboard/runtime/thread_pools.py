"""Thread pools for computing what takes long: large texts, responses and forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from django.http import HttpRequest

from dashboard.runtime.malloc_tuning import large_work_ended

T = TypeVar("T")
COMPUTING_THREADS = 2
"""Threads for large texts, and as many for large requests and responses. They share the interpreter with the event
loop: each more would halve the loop's share, and none would compute sooner.
"""
SMALL_TEXT = 64 * 1024
"""Characters; parsing this many takes some 10 ms."""
_computing = ThreadPoolExecutor(COMPUTING_THREADS, "computing")
"""For computing alone: what waits here delays neither database calls nor the look-up of names."""
_transfer = ThreadPoolExecutor(COMPUTING_THREADS, "transfer")
"""For compressing responses: no page waits behind the long texts of others."""
_forms = ThreadPoolExecutor(1, "forms")
"""For parsing forms, one after the other."""


async def run_in_thread_if_large(function: Callable[..., T], *arguments: object, size: int) -> T:
    """The result of `function`, which only computes: in a thread where `size`, the length of the text that it reads, is
    more than SMALL_TEXT.
    """
    return await _run_if_large(_computing, function, *arguments, size=size)


async def transfer_in_thread_if_large(function: Callable[..., T], *arguments: object, size: int) -> T:
    """As `run_in_thread_if_large`, in threads for what every response needs, such as its compression."""
    return await _run_if_large(_transfer, function, *arguments, size=size)


async def parse_form_in_thread(request: HttpRequest) -> None:
    """Have `request.POST` parsed."""
    await _run(_forms, getattr, request, "POST")


async def run_in_thread(function: Callable[..., T], *arguments: object) -> T:
    """The result of `function`, which only computes, in a thread."""
    return await _run(_computing, function, *arguments)


async def _run_if_large(threads: ThreadPoolExecutor, function: Callable[..., T], *arguments: object, size: int) -> T:
    return function(*arguments) if size <= SMALL_TEXT else await _run(threads, function, *arguments)


async def _run(threads: ThreadPoolExecutor, function: Callable[..., T], *arguments: object) -> T:
    call = partial(copy_context().run, _run_large, function, *arguments)
    return await asyncio.get_running_loop().run_in_executor(threads, call)


def _run_large(function: Callable[..., T], *arguments: object) -> T:
    try:
        return function(*arguments)
    finally:
        large_work_ended()
