"""What is wrong of a kind, and when that is asked again."""

from __future__ import annotations

import msgspec

from dashboard.live.messages import Row
from dashboard.live.replica import Change
from dashboard.live.wrong_rows import Summary
from tests.live.feeder import pod

NOW = 1.8e9


def slow(version: int) -> Row:
    return msgspec.structs.replace(pod("slow", version=version, status="Pending", tone="busy"), since=NOW)


def waiting(version: int) -> Change:
    return Change(rows=[(slow(version - 1) if version > 1 else None, slow(version))])


def test_a_row_that_is_updated_while_it_waits_is_noted_once() -> None:
    summary = Summary("pods")
    for version in range(1, 100):
        summary.apply(waiting(version), NOW + version / 10)
    assert len(summary._due) == 1
    assert not summary.pass_time(NOW + 299)
    assert summary.pass_time(NOW + 301)
    assert list(summary.wrong) == ["uid-default-slow"]


def test_what_goes_or_recovers_while_it_waits_never_becomes_wrong() -> None:
    summary = Summary("pods")
    summary.apply(waiting(1), NOW)
    summary.apply(Change(rows=[(slow(1), None)]), NOW + 1)
    assert not summary.pass_time(NOW + 400)
    summary.apply(waiting(1), NOW + 1)
    summary.apply(Change(rows=[(slow(1), pod("slow"))]), NOW + 2)
    assert not summary.pass_time(NOW + 400)
    assert summary.wrong == {}
    assert not summary._due_of
