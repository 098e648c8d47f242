"""Names and types of the metrics in a scrape, also of those that have no samples yet."""

from __future__ import annotations

import re

_TYPE = re.compile(r"^# TYPE (\S+) (\w+)$", re.MULTILINE)


def served_metrics(text: str) -> dict[str, str]:
    """Types by name, a counter's with ``_total``. Without ``_created``, which tells when a counter began."""
    return {name: kind for name, kind in _TYPE.findall(text) if not name.endswith("_created")}
