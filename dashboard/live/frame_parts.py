"""What one tick brought, cut into frames that no layer chokes on."""

from __future__ import annotations

from dashboard.live.messages import Entry, Row
from dashboard.live.snapshot import CHUNK_BYTES, CHUNK_ROWS, weight

FRAME_ENTRIES = 1000

Part = tuple[tuple[Row, ...], tuple[str, ...], tuple[Entry, ...]]


def parts_of(changes: dict[str, Row | None], entries: list[Entry]) -> list[Part]:
    """What one tick brought, cut into frames that no layer chokes on; mostly that is one."""
    parts: list[Part] = []
    rows: list[Row] = []
    gone: list[str] = []
    size = 0
    for uid, row in changes.items():
        if row is None:
            gone.append(uid)
        else:
            rows.append(row)
        size += 100 if row is None else weight(row)
        if len(rows) + len(gone) >= CHUNK_ROWS or size >= CHUNK_BYTES:
            parts.append((tuple(rows), tuple(gone), ()))
            rows, gone, size = [], [], 0
    parts.append((tuple(rows), tuple(gone), tuple(entries[:FRAME_ENTRIES])))
    for start in range(FRAME_ENTRIES, len(entries), FRAME_ENTRIES):
        parts.append(((), (), tuple(entries[start : start + FRAME_ENTRIES])))  # noqa: PERF401
    return [part for part in parts if any(part)]
