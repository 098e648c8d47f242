"""Estimate of the memory that rows take."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from dashboard.live.replication.snapshot import row_size
from dashboard.objects.kinds.row import Row

SAMPLE = 50
"""Rows whose size is computed; that of the others is estimated from theirs."""
ROW_OVERHEAD = 1_000
"""Bytes that a row takes beside its content: its place in dictionaries and indexes."""
MAX_GROWTH = 0.2
"""Share by which the number of rows may change before another sample is taken."""
MAX_USES = 60
"""Times that a sample is used: rows may grow while their number stays."""


class RowMemory:
    """Memory of one kind's rows."""

    def __init__(self) -> None:
        self._row_bytes = 0
        self._sampled = 0
        self._uses = 0

    def estimate(self, rows: Mapping[str, Row]) -> int:
        """Bytes that these rows take."""
        self._uses += 1
        if abs(len(rows) - self._sampled) > MAX_GROWTH * self._sampled or self._uses > MAX_USES:
            sample = list(islice(rows.values(), 0, None, max(1, len(rows) // SAMPLE)))
            self._row_bytes = ROW_OVERHEAD + sum(map(row_size, sample)) // max(1, len(sample))
            self._sampled, self._uses = len(rows), 0
        return len(rows) * self._row_bytes
