"""Ages, durations and labels as table cells show them.

Source: Kubernetes' pkg/printers/internalversion/printers.go, apimachinery's util/duration.
"""

from __future__ import annotations

from datetime import datetime

from devcluster.server.storage.object_codec import Object

Cell = str | int | bool | None
NONE = "<none>"
UNKNOWN = "<unknown>"


def age(since: str | None, now: float) -> str:
    """The age of a timestamp, in kubectl's form."""
    if not since:
        return UNKNOWN
    return duration(now - datetime.fromisoformat(since).timestamp())


def duration(seconds: float) -> str:
    """apimachinery's HumanDuration."""
    left = int(seconds)
    if left < -1:
        return "<invalid>"
    if left < 120:
        return f"{max(left, 0)}s"
    minutes, hours, days = left // 60, left // 3600, left // 86400
    for limit, big, small, unit, below, size in (
        (600, minutes, left % 60, "m", "s", 1), (10_800, minutes, 0, "m", "", 0),
        (28_800, hours, minutes % 60, "h", "m", 1), (172_800, hours, 0, "h", "", 0),
        (691_200, days, hours % 24, "d", "h", 1), (63_072_000, days, 0, "d", "", 0),
    ):  # fmt: skip
        if left < limit:
            return f"{big}{unit}" + (f"{small}{below}" if size and small else "")
    years, rest = divmod(days, 365)
    return f"{years}y{rest}d" if rest and years < 8 else f"{years}y"


def name_of(obj: Object) -> str:
    return str(obj["metadata"]["name"])


def age_of(obj: Object, now: float) -> str:
    return age(obj["metadata"].get("creationTimestamp"), now)


def labels_text(labels: dict[str, str] | None) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE
