"""Tests of the fields that no edit can set."""

from __future__ import annotations

import pytest

from dashboard.objects.fields.server_set_fields import LAST_APPLIED, can_be_set


@pytest.mark.parametrize(
    ("path", "can"),
    [
        (("spec", "replicas"), True),
        (("data", "status"), True),
        (("metadata", "labels", "name"), True),
        (("metadata", "annotations", "a"), True),
        (("metadata", "finalizers"), True),
        (("metadata", "annotations", LAST_APPLIED), False),
        (("metadata", "uid"), False),
        (("metadata", "name"), False),
        (("metadata", "managedFields", "[0]", "manager"), False),
        (("status",), False),
        (("status", "phase"), False),
        (("kind",), False),
    ],
)
def test_status_and_what_the_server_sets_cannot_be_set(path: tuple[str, ...], can: bool) -> None:
    assert can_be_set(path) is can
