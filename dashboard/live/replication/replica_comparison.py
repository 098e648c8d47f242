"""Comparison of the rows of two replicas of a kind, in slices, while both change."""

from __future__ import annotations

from dashboard.live.replication.joined_replica import JoinedReplica
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.snapshot_pull import RowChange
from dashboard.objects.kinds.row import Row
from dashboard.runtime.time_slicing import SlicedWork

Division = Replica | JoinedReplica
"""The rows of one worker, or of the shards of several."""
COMPARED_IN_STEP = 200
"""Rows that are compared in one step."""


class ReplicaComparison:
    """Finds out in slices which rows of another replica differ from those that are shown, while both change."""

    def __init__(self, shown: Division, to: Division) -> None:
        self.to = to
        self._shown = shown
        self._uids = set[str]()
        """Those of rows that differed, or have changed since."""

    def run(self) -> SlicedWork:
        """Compare all rows. Of equal versions the objects themselves are not compared."""
        for uids in (list(self._shown.rows), list(self.to.rows)):
            for start in range(0, len(uids), COMPARED_IN_STEP):
                self._uids.update(uid for uid in uids[start : start + COMPARED_IN_STEP] if self._differs(uid))
                yield None

    def add_changed(self, change: Change) -> None:
        """Note a change of one of both."""
        self._uids.update(row.uid for pair in change.rows for row in pair if row is not None)

    def changes(self) -> list[RowChange]:
        """The differences, as the rows are now. Deletes come first, so that no name is there twice."""
        before, after = self._shown.rows, self.to.rows
        pairs = [(before.get(uid), after.get(uid)) for uid in self._uids if self._differs(uid)]
        return sorted(pairs, key=lambda pair: pair[1] is not None)

    def _differs(self, uid: str) -> bool:
        old, new = self._shown.rows.get(uid), self.to.rows.get(uid)
        if old is None or new is None:
            return old is not new
        if not new.version or old.version != new.version:
            return old != new
        return _shown_parts(old) != _shown_parts(new)


def _shown_parts(row: Row) -> tuple[object, ...]:
    return row.cells, row.status, row.tone, row.reason, row.since, row.until, row.deleting
