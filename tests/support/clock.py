"""Fake clock for tests: the one of informerd's test kit, which can also go on without waking anybody."""

from informerd.testing.clock import FakeClock as _FakeClock
from informerd.testing.clock import run_ready_tasks

__all__ = ["FakeClock", "run_ready_tasks"]


class FakeClock(_FakeClock):
    """Stands still until `advance` or `skip`."""

    def skip(self, seconds: float) -> None:
        """Let `seconds` pass without a turn for any task. Sleepers that are due wake at the next `advance`."""
        self._now += seconds
