"""Tests of what is counted, logged and said of rejected messages."""

from __future__ import annotations

import pytest

from dashboard.live.replication.rejected_messages import RECENT, SILENCE_TIMEOUT, RejectedMessages, Rejection
from tests.support.clock import FakeClock


def test_a_rejected_message_is_no_problem_while_the_worker_is_heard() -> None:
    """Or anybody who writes to Redis could make every page stale."""
    clock = FakeClock()
    rejected = RejectedMessages(clock)
    rejected.record_readable()
    rejected.record(Rejection.FORGED)
    assert rejected.problem == ""
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert "changed on its way, or forged" in rejected.problem
    rejected.record_readable()
    assert rejected.problem == ""


def test_a_problem_goes_when_nothing_is_rejected_any_more() -> None:
    clock = FakeClock()
    rejected = RejectedMessages(clock)
    rejected.record(Rejection.UNENCRYPTED)
    assert "Run the same version of Deltaboard" in rejected.problem
    clock.skip(RECENT + 0.1)
    assert rejected.problem == ""


def test_each_reason_is_logged_once_for_each_process_that_is_heard(caplog: pytest.LogCaptureFixture) -> None:
    rejected = RejectedMessages(FakeClock())
    for _ in range(100):
        rejected.record(Rejection.FORGED)
        rejected.record(Rejection.REPLAYED)
    assert len(caplog.records) == 2
    rejected.record_peer()
    rejected.record(Rejection.FORGED)
    assert len(caplog.records) == 3
    assert rejected.counts[Rejection.FORGED] == 101
