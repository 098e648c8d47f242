"""Output of a reader."""

from __future__ import annotations

import json
from pathlib import Path


def resident_megabytes() -> float:
    """This process's resident memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS in /proc/self/status: this benchmark needs Linux")


def report(
    *, list_seconds: float, events: int, event_seconds: float, resident: float, grown: float, objects: int
) -> None:
    """`resident` megabytes in all; `grown` by how many since before the first list, for so many `objects`."""
    print(
        json.dumps(
            {
                "list_seconds": list_seconds,
                "events_per_second": events / event_seconds,
                "rss_mb": resident,
                "bytes_per_object": grown * 2**20 / objects,
            }
        )
    )
