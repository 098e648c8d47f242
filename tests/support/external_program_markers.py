"""External programs: tells which tests need one, and ends a test that starts one without saying so.

A test needs one if it has one of `MARKERS`, or asks for a fixture of `FIXTURES`, itself or through other fixtures. All
others are what `make test-fast` runs.
"""

from __future__ import annotations

import pytest

MARKERS = ("browser", "controlplane", "postgresql", "program", "redis")
FIXTURES = {
    "chromium": "browser",
    "demo_terminal": "program",
    "page_server_pool": "program",
    "process": "program",
    "terminal": "program",
}
"""Fixtures that start a program, each with the marker that a test gets by it. So does any ``…controlplane``."""


def mark(item: pytest.Item) -> None:
    """Add the markers that follow from its fixtures, and `external` where it needs another program."""
    for name in getattr(item, "fixturenames", ()):
        marker = "controlplane" if name.endswith("controlplane") else FIXTURES.get(name)
        if marker is not None:
            item.add_marker(marker)
    if any(item.get_closest_marker(marker) is not None for marker in MARKERS):
        item.add_marker("external")
