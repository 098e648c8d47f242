"""Web process with a made-up cluster of many pods, of which a given number change each second.

    python -m benchmarks.support.rows_server ROWS RATE

prints its port, then when (`time.time()`) the first change was due. The mark of a change, in the row's IP address, is
its number from FIRST on, so that whoever sees it knows when it was due: each comes at its time, late where the process
is.
Frames go through the wire's encoding, as if from a worker.
"""

from __future__ import annotations

import random
import sys
import time

import msgspec

from benchmarks.support import feed_server  # first: it installs the reactor

from benchmarks.views import pod  # isort: skip
from dashboard.live.replication.messages import encoder, frame_decoder
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for

FIRST = 1_000_000
_IP = next(place for place, column in enumerate(columns_for("pods")) if column.id == "ip")


class RowChanges:
    """Changes of random rows; status and restarts change by chance, and each has its mark."""

    def __init__(self, sources: feed_server.FakeReplicas, rows: int) -> None:
        self._source = sources.by_key["pods"]
        self._replica = self._source.replica
        self._chance = random.Random(rows)
        self._rows = rows
        self._number = 0
        for start in range(0, rows, 500):
            self._source.send(rows=tuple(self._row(each, each) for each in range(start, min(rows, start + 500))))

    def generate(self, number: int) -> None:
        if not self._number:
            print(f"began {time.time() - 1 / feed_server.FRAMES_A_SECOND}", flush=True)
        rows = {}
        for mark in range(FIRST + self._number, FIRST + self._number + number):
            row = self._row(self._chance.randrange(self._rows), mark)
            rows[row.uid] = row
        self._number += number
        self._source.send(rows=tuple(rows.values()))

    def _row(self, number: int, mark: int) -> Row:
        row = pod(number, mark, self._chance)
        return msgspec.structs.replace(row, cells=(*row.cells[:_IP], str(mark), *row.cells[_IP + 1 :]))


def round_trip(source: feed_server.FakeReplicaSource) -> None:
    """Have the replica get what came out of the wire's encoding."""
    take = source.replica.receive_frame
    source.replica.receive_frame = lambda frame: take(frame_decoder.decode(encoder.encode(frame)))  # type: ignore[method-assign]


def make_row_changes(sources: feed_server.FakeReplicas) -> RowChanges:
    made = RowChanges(sources, int(sys.argv[1]))
    round_trip(sources.by_key["pods"])
    return made


if __name__ == "__main__":
    feed_server.serve_changes(make_row_changes, int(sys.argv[2]))
