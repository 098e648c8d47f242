"""What a reader prints."""

from __future__ import annotations

import json
from pathlib import Path

LAST_VERSION = "99999999"
"""The resourceVersion of the load server's last event."""


def resident_megabytes() -> float:
    """This process's resident memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS in /proc/self/status: this benchmark needs Linux")


def report(*, list_seconds: float, events: int, event_seconds: float, resident: float) -> None:
    print(
        json.dumps(
            {
                "list_seconds": list_seconds,
                "events_per_second": events / event_seconds,
                "rss_mb": resident,
            }
        )
    )
