"""Garbage collection in a run of the tests: hooks that keep it from looking at what is there for the whole run.

There are half a million objects of the tests themselves, and more of each file. Python would look at all of them again
and again, in each test that makes enough of its own.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

THRESHOLDS = (10_000, 20, 20)
"""Python's thresholds of garbage collection, in a process with more to look at than most have."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while the tests are collected, and leave them out of all collections after it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Collect the garbage of a file's tests at their end, and leave what remains of them out of later collections."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path != item.path:
            gc.collect()
            gc.freeze()
