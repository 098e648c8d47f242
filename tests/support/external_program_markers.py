"""External programs: tells which tests need one, and ends a test that starts one without saying so.

A test needs one if it has one of `MARKERS`, or asks for a fixture of `FIXTURES`, itself or through other fixtures. All
others are what `make test-fast` runs.
"""

from __future__ import annotations

import pytest

from tests.support.idle_controlplane import NEEDS_CONTROLPLANE

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
    fixtures = getattr(item, "fixturenames", ())
    if _parameter(item, "terminal") == "kube-apiserver":
        item.add_marker("controlplane")
    item.stash[NEEDS_CONTROLPLANE] = "controlplane" in fixtures or item.get_closest_marker("controlplane") is not None
    for name in fixtures:
        marker = "controlplane" if name.endswith("controlplane") else FIXTURES.get(name)
        if marker is not None:
            item.add_marker(marker)
    if any(item.get_closest_marker(marker) is not None for marker in MARKERS):
        item.add_marker("external")


def _parameter(item: pytest.Item, name: str) -> object:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(name) if callspec is not None else None
