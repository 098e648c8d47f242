"""Tests of one runnable: how its end is told."""

from __future__ import annotations

import logging

import pytest

from informerd.errors import NotLeading
from informerd.manager.runnable import make_run


@pytest.mark.parametrize(
    ("error", "level", "says", "has_traceback"),
    [
        (NotLeading("the lease is lost"), logging.WARNING, "writer has ended: the lease is lost", False),
        (
            LookupError("no such key"),
            logging.ERROR,
            "writer has failed and is no longer run; the others continue",
            True,
        ),
    ],
)
async def test_the_end_by_a_lost_lease_is_a_warning_and_by_any_other_error_a_traceback(
    error: Exception, level: int, says: str, has_traceback: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def write() -> None:
        raise error

    run = make_run(write, "writer")
    run.start()
    assert run.task is not None
    await run.task
    state = run.state()
    assert (state.phase, state.problem, state.failures) == ("failed", f"{type(error).__name__}: {error}", 1)
    (record,) = caplog.records
    assert (record.levelno, record.getMessage(), bool(record.exc_info)) == (level, says, has_traceback)
