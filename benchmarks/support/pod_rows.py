"""Rows of pods that are made up, with a status by chance."""

from __future__ import annotations

import random

from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import columns_for

STATUSES: tuple[tuple[str, Tone], ...] = (
    ("Running", "ok"), ("Running", "ok"), ("Running", "ok"), ("Pending", "busy"), ("CrashLoopBackOff", "bad"),
)  # fmt: skip


def pod_row(number: int, version: int, chance: random.Random) -> Row:
    """A row of the list of pods, in one of 40 namespaces and on one of 200 nodes."""
    status, tone = chance.choice(STATUSES)
    name, namespace, created = f"web-{number % 997}-{number:06d}", f"team-{number % 40}", 1.79e9 + number * 7
    values = {
        "namespace": namespace, "name": name, "status": status, "ready": "1/1", "restarts": chance.randrange(9),
        "node": f"node-{number % 200}", "ip": f"10.{number % 200}.{number % 250}.7", "age": created,
    }  # fmt: skip
    cells = tuple(values.get(column.id) for column in columns_for("pods"))
    labels = {"app": name[:3]}
    return Row(f"uid-{number}", namespace, name, str(version), created, status, tone, cells, labels)  # type: ignore[arg-type]
