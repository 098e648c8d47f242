"""Tests of the progress of a deletion, for any object that the API server returns."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.delete.progress import progress_of

NOW = 1_800_000_000.0
ASKED, ENDS = "2027-01-15T07:59:30Z", "2027-01-15T08:00:00Z"


@pytest.mark.parametrize(
    ("grace", "since", "words"),
    [
        (30, ASKED, ["Its grace period ended 0 s ago, but the kubelet of node n has not reported that it stopped"]),
        (0, ENDS, []),
        (None, ENDS, []),
        ("30", ENDS, []),
        (-5, ENDS, []),
        (2**63 - 1, ENDS, []),
    ],
)
def test_a_grace_period_that_makes_no_sense_is_none(grace: Any, since: str, words: list[str]) -> None:
    metadata = {"name": "p", "deletionTimestamp": ENDS, "deletionGracePeriodSeconds": grace}
    progress = progress_of({"metadata": metadata, "spec": {"nodeName": "n"}}, {}, NOW)
    assert progress.requested_at == since
    assert [each.words for each in progress.waits] == words
    assert not progress.is_stuck


@pytest.mark.parametrize("spec", [None, "a text", ["a"], {"nodeName": 5}])
def test_a_spec_of_any_shape_is_waited_for(spec: Any) -> None:
    metadata = {"name": "p", "deletionTimestamp": ENDS, "deletionGracePeriodSeconds": 30}
    [wait] = progress_of({"metadata": metadata, "spec": spec}, {}, NOW + 61).waits
    assert (wait.tone, "has not reported that it stopped" in wait.words) == ("warn", True)


@pytest.mark.parametrize("moment", ["soon", "", 5, "9999999-01-01T00:00:00Z"])
def test_a_deletion_of_which_nobody_can_tell_when_is_not_called_stuck(moment: Any) -> None:
    metadata = {"name": "p", "deletionTimestamp": moment, "finalizers": ["example.com/hold"]}
    progress = progress_of({"metadata": metadata}, {}, NOW)
    assert ([each.words for each in progress.waits], progress.is_stuck) == (
        ["Waiting for the finalizer example.com/hold"],
        False,
    )
