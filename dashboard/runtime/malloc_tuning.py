"""Settings of the C library's malloc, and of Python's thread switches, for a process that serves many people."""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
import time
from collections.abc import Callable

LARGE_BLOCK = 2**20
"""Bytes from which on a block of memory is one of the system's own mappings, which ends when the block is freed."""
UNUSED_AT_END = 2**20
"""Bytes that each arena may keep at its end."""
SWITCH_INTERVAL = 0.0005
"""Seconds for which a thread may run Python code while another waits; Python's default is 0.005. The event loop waits
so long several times in each request while a thread parses a form or renders a page.
"""
TRIM_DELAY = 5.0
"""Seconds to wait after large work until its memory is given back, which happens no more often than that: it takes 10
to 200 ms for 400 MB, the longer the more small pieces are free, and other threads that ask for memory may wait as long.
"""
LARGE_LIST = 5_000
"""Objects of a list from which on reading it is large work."""
_large_work_ended = threading.Event()
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h


def tune_process() -> None:
    """Set all of it, for the rest of the process."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    return_freed_memory()


def return_freed_memory() -> bool:
    """Give freed memory back for the rest of the process: large blocks at once, small ones after large work. Whether
    the C library can be told.

    By default both limits grow with the blocks that are freed, up to 32 and 64 MiB, and each thread has an arena of its
    own (mallopt(3)): a few large forms left 300 MB with the process for good.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    threading.Thread(target=_trim_after_large_work, args=(library.malloc_trim,), name="memory", daemon=True).start()
    mallopt = library.mallopt
    return bool(mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK) and mallopt(_M_TRIM_THRESHOLD, UNUSED_AT_END))


def large_work_ended() -> None:
    """Have the free memory between the blocks in use given back soon (malloc_trim(3))."""
    _large_work_ended.set()


def list_ended(objects: int) -> None:
    """A list of so many objects has been read, which is large work or not."""
    if objects >= LARGE_LIST:
        large_work_ended()


def _trim_after_large_work(trim: Callable[[int], int]) -> None:
    while _large_work_ended.wait():
        _large_work_ended.clear()
        time.sleep(TRIM_DELAY)
        trim(0)
