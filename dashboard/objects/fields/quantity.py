"""Parser of Kubernetes quantities: numbers with a suffix, decimal or binary."""

from __future__ import annotations

import re

_QUANTITY = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?)(n|u|m|k|[KMGTPE]i?)?", re.IGNORECASE)
_SUFFIXES = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip


def parse_quantity(text: str) -> float | None:
    """The value of ``3``, ``500m``, ``1.5Gi`` or ``1e3``; None where the text is no quantity."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or (match[2] or "") not in _SUFFIXES:
        return None
    return float(match[1]) * _SUFFIXES[match[2] or ""]
