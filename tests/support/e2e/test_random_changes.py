"""Tests of the writer of random changes: after any choice, there is something left to change."""

from __future__ import annotations

from tests.e2e.conftest import cluster as cluster
from tests.e2e.conftest import namespace as namespace
from tests.support.controlplane import ControlPlane
from tests.support.e2e.random_changes import COLLECTIONS, FLOOR, Changes


def test_however_much_goes_there_is_something_left_to_change(cluster: ControlPlane, namespace: str) -> None:
    changes = Changes(cluster, namespace)
    changes.some()
    for _ in range(150):
        changes.one()
    for kind in COLLECTIONS:
        assert len(changes.history.now(kind)) >= FLOOR
    changes.some()
    changes.confirm()
