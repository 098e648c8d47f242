"""Fake clock for tests, the one of informerd's test kit."""

from informerd.testing.clock import FakeClock, run_ready_tasks

__all__ = ["FakeClock", "run_ready_tasks"]
