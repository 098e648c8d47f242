"""Web process with a made-up cluster of many pods, of which a given number change each second.

    python -m benchmarks.support.web_process_with_changing_rows ROWS RATE

prints its port, then when (`time.time()`) the first change was due. A change has a mark in the row's IP address: its
number, counted from FIRST. The number says when the change was due; the change comes at that time, or late where this
process is late. Frames are encoded and decoded as if they came from a worker.
"""

from __future__ import annotations

import random
import sys
import time

import msgspec

from benchmarks.support import web_process_with_fake_replicas  # first: it installs the reactor

from benchmarks.support.pod_rows import pod_row  # isort: skip
from dashboard.live.replication.messages import encoder, frame_decoder
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for

FIRST = 1_000_000
_IP = next(place for place, column in enumerate(columns_for("pods")) if column.id == "ip")


class RowChanges:
    """Changes of random rows; status and restarts change by chance, and each has its mark."""

    def __init__(self, sources: web_process_with_fake_replicas.FakeReplicas, rows: int) -> None:
        self._source = sources.by_key["pods"]
        self._replica = self._source.replica
        self._chance = random.Random(rows)
        self._rows = rows
        self._number = 0
        for start in range(0, rows, 500):
            self._source.send(rows=tuple(self._row(each, each) for each in range(start, min(rows, start + 500))))

    def generate(self, number: int) -> None:
        if not self._number:
            print(f"began {time.time() - 1 / web_process_with_fake_replicas.FRAMES_A_SECOND}", flush=True)
        rows = {}
        for mark in range(FIRST + self._number, FIRST + self._number + number):
            row = self._row(self._chance.randrange(self._rows), mark)
            rows[row.uid] = row
        self._number += number
        self._source.send(rows=tuple(rows.values()))

    def _row(self, number: int, mark: int) -> Row:
        row = pod_row(number, mark, self._chance)
        return msgspec.structs.replace(row, cells=(*row.cells[:_IP], str(mark), *row.cells[_IP + 1 :]))


def round_trip(source: web_process_with_fake_replicas.FakeReplicaSource) -> None:
    """Have the replica get what came out of the wire's encoding."""
    take = source.replica.receive_frame
    source.replica.receive_frame = lambda frame: take(frame_decoder.decode(encoder.encode(frame)))  # type: ignore[method-assign]


def make_row_changes(sources: web_process_with_fake_replicas.FakeReplicas) -> RowChanges:
    made = RowChanges(sources, int(sys.argv[1]))
    round_trip(sources.by_key["pods"])
    return made


if __name__ == "__main__":
    web_process_with_fake_replicas.serve_changes(make_row_changes, int(sys.argv[2]))
