"""Tests of an object's deletion text, for any values in its fields."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.describers.deletion import MAX_FINALIZERS, Deletion, deletion_of

UNTIL = "2026-11-01T08:00:30Z"


@pytest.mark.parametrize(
    ("grace", "asked"),
    [
        (30, "2026-11-01T08:00:00Z"), (0, UNTIL), (None, UNTIL), ("30", UNTIL), (True, UNTIL), (-5, UNTIL),
        (10**12, UNTIL), (10**15, UNTIL), (10**400, UNTIL),
    ],
)  # fmt: skip
def test_a_grace_period_that_makes_no_sense_is_none(grace: Any, asked: str) -> None:
    found = deletion_of({"metadata": {"deletionTimestamp": UNTIL, "deletionGracePeriodSeconds": grace}})
    assert found is not None
    assert rfc3339(found.requested_at) == asked
    assert found.wait_text == (", grace period 30 s" if grace == 30 else "")


@pytest.mark.parametrize(
    "until", [None, 3, "", "soon", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00"]
)
def test_a_time_that_is_no_moment_is_no_deletion(until: Any) -> None:
    found = deletion_of({"metadata": {"deletionTimestamp": until, "deletionGracePeriodSeconds": 30}})
    assert found is None or rfc3339(found.requested_at)


def test_of_very_many_finalizers_the_first_are_named_and_the_others_are_counted() -> None:
    names = tuple(f"example.com/{number}" for number in range(MAX_FINALIZERS + 2_000))
    text = Deletion(0.0, 0, names).wait_text
    assert text.endswith(f", {names[MAX_FINALIZERS - 1]} and 2,000 more")
    assert text.count("example.com/") == MAX_FINALIZERS
