"""Tests of the record of the holder in a Lease."""

from __future__ import annotations

import pytest

from informerd.leader_election.lease_record import LeaseRecord


@pytest.mark.parametrize(
    ("holder", "acquired_at", "since"),
    [
        ("a", "2026-11-21T07:00:00.250000Z", 1_795_244_400.25),
        ("a", "yesterday", None),
        ("a", "", None),
        ("", "2026-11-21T07:00:00.000000Z", None),
    ],
)
def test_it_says_since_when_it_is_held(holder: str, acquired_at: str, since: float | None) -> None:
    assert LeaseRecord(holder=holder, acquired_at=acquired_at).since == since
