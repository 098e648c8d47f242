"""The writer of the faults' tests: whatever chance has it do, there is something left to change."""

from __future__ import annotations

from tests.controlplane import ControlPlane
from tests.e2e.changes import COLLECTIONS, FLOOR, Changes


def test_however_much_goes_there_is_something_left_to_change(cluster: ControlPlane, namespace: str) -> None:
    changes = Changes(cluster, namespace)
    changes.some()
    for _ in range(150):
        changes.one()
    for kind in COLLECTIONS:
        assert len(changes.history.now(kind)) >= FLOOR
    changes.some()
    changes.confirm()
