"""Fixtures of the tests of a replica."""

from __future__ import annotations

import pytest

from dashboard.live.replication.messages import (
    SnapshotRequest,
)
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from tests.support.clock import FakeClock
from tests.support.live.replication_messages import chunk
from tests.support.live.sample_rows import row


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def replica(clock: FakeClock) -> Replica:
    return Replica("pods", clock)


@pytest.fixture
def live(replica: Replica) -> Replica:
    """Live in epoch 5 at frame 3, with one row."""
    assert replica.tick() == SnapshotRequest("pods", "")
    assert replica.receive_chunk(chunk("5", 3, row("a"))) is None
    return replica


@pytest.fixture
def changes(live: Replica) -> list[Change]:
    heard: list[Change] = []
    live.on_change(heard.append)
    return heard
