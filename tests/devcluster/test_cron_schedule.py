"""Tests of the schedules of CronJobs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from devcluster.cron_schedule import CronSchedule


@pytest.mark.slow
@pytest.mark.parametrize("text", ["* * * * *", "0,1 * * * *", "30 9 * * mon-fri", "* 3 1 * *", "0 0 31 2 *"])
def test_the_newest_time_is_the_last_of_all_that_passed(text: str) -> None:
    schedule, start = CronSchedule.parse(text), datetime(2026, 11, 1, 2, 59, 30, tzinfo=UTC).timestamp()
    for until in (start, start + 29, start + 30, start + 4000, start + 200_000.5, start + 3_000_000):
        expected, following = None, schedule.next_after(start)
        while following is not None and following <= until:
            expected, following = following, schedule.next_after(following)
        assert schedule.latest_between(start, until) == expected


@pytest.mark.parametrize(
    ("text", "since", "due"),
    [
        ("*/5 * * * *", "2026-11-22T19:04:59", "2026-11-22T19:05:00"),
        ("0 0 * * *", "2026-11-22T00:00:00", "2026-11-23T00:00:00"),
        ("30 9 * jan-mar mon-fri", "2026-11-22T19:00:00", "2027-01-01T09:30:00"),
        ("0 12 13 * 5", "2026-11-22T19:00:00", "2026-11-27T12:00:00"),
        ("0 0 29 2 *", "2026-11-22T19:00:00", "2028-02-29T00:00:00"),
        ("@hourly", "2026-11-22T19:00:00", "2026-11-22T20:00:00"),
        ("0 0 31 2 *", "2026-11-22T19:00:00", ""),
    ],
)
def test_a_schedule_says_when_it_is_due(text: str, since: str, due: str) -> None:
    found = CronSchedule.parse(text).next_after(datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp())
    assert ("" if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%dT%H:%M:%S")) == due
