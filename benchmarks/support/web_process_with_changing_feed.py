"""Web process with a made-up cluster whose feed gets entries at any rate.

    python -m benchmarks.support.web_process_with_changing_feed RATE

prints its port, then brings RATE changes a second until it is terminated: pods of ReplicaSets whose status changes, and
Kubernetes Events about them.
"""

from __future__ import annotations

import random
import sys

from benchmarks.support import web_process_with_fake_replicas  # first: it installs the reactor
from dashboard.objects.kinds.feed_entry import Entry, EventSubject, Operation
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.printers import columns_for

PODS = 5_000
PODS_PER_OWNER = 10
"""Pods of a ReplicaSet."""
STATUSES = ("Pending", "ContainerCreating", "Running", "CrashLoopBackOff")


class FeedChanges:
    """Changes without end, the same in each run."""

    def __init__(self, sources: web_process_with_fake_replicas.FakeReplicas) -> None:
        self._pods, self._events = sources.by_key["pods"], sources.by_key["events"]
        self._chance = random.Random(7)
        self._number = 0
        self._pods.send(rows=tuple(self._pod(number) for number in range(PODS)))

    def generate(self, number: int) -> None:
        """Generate changes: nine tenths of them of pods, the others Events."""
        rows: dict[str, Row] = {}
        entries = []
        for _ in range(number - number // 10):
            self._number += 1
            row = self._pod(self._chance.randrange(PODS))
            rows[row.uid] = row
            op: Operation = "added" if self._number % 20 == 0 else "modified"
            before, now = self._number % 9, self._number % 9 + 1
            words = f"restarts {before} → {now}, status Running → {row.status}" if op == "modified" else "created"
            entries.append(self._pods.entry(row, op, words, fields=(("restarts", str(now)),)))
        self._pods.send(rows=tuple(rows.values()), entries=tuple(entries))
        self._events.send(entries=tuple(self._event() for _ in range(number // 10)))

    def _pod(self, number: int) -> Row:
        status = self._chance.choice(STATUSES)
        name, owner = f"web-{number // PODS_PER_OWNER:04d}-{number:05d}", f"web-{number // PODS_PER_OWNER:04d}"
        namespace = f"team-{number // PODS_PER_OWNER % 50}"
        values: dict[str, Cell] = {
            "namespace": namespace,
            "name": name,
            "status": status,
            "ready": "1/1",
            "restarts": 3,
            "age": 1.79e9,
        }
        cells = tuple(values.get(column.id) for column in columns_for("pods"))
        return Row(
            f"uid-{number}", namespace, name, str(self._number), 1.79e9, status,
            "bad" if status == "CrashLoopBackOff" else "ok", cells, {"app": owner}, owner=("ReplicaSet", owner, owner),
        )  # fmt: skip

    def _event(self) -> Entry:
        pod = self._pod(self._chance.randrange(PODS))
        self._number += 1
        name = f"{pod.name}.{self._number:x}"
        row = Row(f"event-{self._number}", pod.namespace, name, "1", 1.79e9, "Normal", "idle", (), {})
        about = EventSubject("Pod", "", pod.namespace, pod.name)
        return self._events.entry(row, "added", 'Pulling: Pulling image "web:1.2.3"', reason="Pulling", about=about)


if __name__ == "__main__":
    web_process_with_fake_replicas.serve_changes(FeedChanges, int(sys.argv[1]))
