"""Tests that freed memory goes back to the system, and that the event loop gets its turn soon."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from dashboard.runtime import malloc_tuning
from dashboard.runtime.malloc_tuning import LARGE_LIST, SWITCH_INTERVAL, list_ended

FORMS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote_plus

from dashboard.runtime.malloc_tuning import return_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

if sys.argv[1] == "returned":
    assert return_freed_memory()
form = "data%3A+value%0A" * 200_000
before = resident()
with ThreadPoolExecutor(6) as threads:
    for _ in range(2):
        list(threads.map(lambda _: len(unquote_plus(form)), range(6)))
    print(resident() - before)
"""

FRAGMENTS = """
import time
from pathlib import Path

from dashboard.runtime import malloc_tuning

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

malloc_tuning.TRIM_DELAY = 0.2
malloc_tuning.return_freed_memory()
texts = [bytes([number % 7]) * 3000 * (1 + number % 3) for number in range(30_000)]
full = resident()
texts[:] = [text if number % 30 == 0 else None for number, text in enumerate(texts)]
malloc_tuning.large_work_ended()
deadline = time.monotonic() + 30
while time.monotonic() < deadline and resident() > full / 2:
    time.sleep(0.05)
print(resident() / full)
"""

THREADS = """
import asyncio
from dashboard.runtime import malloc_tuning, thread_pools

def fail():
    assert not malloc_tuning._large_work_ended.is_set()
    raise OSError

try:
    asyncio.run(thread_pools.run_in_thread(fail))
except OSError:
    print(int(malloc_tuning._large_work_ended.is_set()))
"""

TUNED = """
import sys
from dashboard.runtime.malloc_tuning import tune_process

tune_process()
print(sys.getswitchinterval())
"""


def printed_number(*code: str) -> float:
    return float(subprocess.run([sys.executable, "-c", *code], check=True, capture_output=True, text=True).stdout)


def left_mib(how: str) -> float:
    """MiB that a process has more after two rounds of large forms in six threads."""
    return printed_number(FORMS, how)


@pytest.mark.long
@pytest.mark.program
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc is told what to keep")
def test_large_freed_blocks_go_back_to_the_system() -> None:
    assert left_mib("returned") < left_mib("by default") / 3


@pytest.mark.program
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc is told what to keep")
def test_small_freed_blocks_between_others_go_back_after_large_work() -> None:
    assert printed_number(FRAGMENTS) < 0.5


@pytest.mark.program
def test_work_in_a_thread_is_large_work_however_it_ends() -> None:
    assert printed_number(THREADS) == 1


@pytest.mark.program
def test_threads_change_over_soon() -> None:
    assert printed_number(TUNED) == SWITCH_INTERVAL


def test_the_end_of_a_large_list_alone_is_large_work(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bool] = []
    monkeypatch.setattr(malloc_tuning, "large_work_ended", lambda: calls.append(True))
    list_ended(LARGE_LIST - 1)
    assert calls == []
    list_ended(LARGE_LIST)
    assert calls == [True]
