"""Tests of the measured time for which programs waited for a processor."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.e2e.cpu_starvation import Waited
from tests.support.program import Program
from tests.support.wait import until

BUSY = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


def is_stopped(program: Program) -> bool:
    return program.process is not None and _stat(program)[0] == "T"


def seconds_on_processor(program: Program) -> float:
    return sum(map(int, _stat(program)[11:13])) / os.sysconf("SC_CLK_TCK")


def _stat(program: Program) -> list[str]:
    """``/proc/PID/stat`` from its third field, the state, on (proc(5))."""
    assert program.process is not None
    return Path(f"/proc/{program.process.pid}/stat").read_text().rpartition(")")[2].split()


@pytest.fixture
def crowd() -> Iterator[tuple[Program, Program]]:
    """Two programs that want the same processor at the same time."""
    processor = str(min(os.sched_getaffinity(0)))
    with ExitStack() as stack:
        one, other = (stack.enter_context(Program("-c", BUSY, processor)) for _ in range(2))
        yield one, other


@pytest.mark.program
def test_programs_that_want_the_same_processor_wait_for_it_and_a_stopped_one_does_not(
    crowd: tuple[Program, Program],
) -> None:
    one, other = crowd
    waited = Waited([one])
    waited.look()
    since = time.time()

    def so_far() -> float:
        waited.look()
        return waited.between(since, time.time())

    until(lambda: so_far() > 0.2, what="it has waited")
    one.pause()
    until(lambda: is_stopped(one), what="it is stopped")
    try:
        before, ran = so_far(), seconds_on_processor(other)
        until(lambda: seconds_on_processor(other) > ran + 0.2, what="the other has gone on")
        assert so_far() == before
    finally:
        one.resume()
    assert waited.between(since - 2, since - 1) == 0
    assert waited.between(since, since + 0.001) <= 0.001


@pytest.mark.program
def test_of_programs_beside_each_other_the_one_that_waited_longest_counts_and_stages_are_added(
    crowd: tuple[Program, Program],
) -> None:
    one, other = crowd
    alone, longest, added = Waited([one]), Waited([one, other]), Waited([one], [other])
    since = time.time()
    for waited in (alone, longest, added):
        waited.look()

    def by_now(waited: Waited) -> float:
        waited.look()
        return waited.between(since, time.time())

    until(lambda: by_now(alone) > 0.2, what="one has waited")
    until(lambda: by_now(added) > by_now(longest) >= by_now(alone), what="more than one is counted")


@pytest.mark.program
def test_a_program_that_has_not_begun_or_has_ended_waits_for_nothing() -> None:
    program = Program("-c", "pass")
    waited = Waited([program])
    waited.start()
    with program:
        until(lambda: not program.running())
    waited.stop()
    assert waited.between(0, time.time()) < 30
