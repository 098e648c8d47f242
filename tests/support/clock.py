"""Fake clock for tests: the one of informerd's test kit, which can also go on without waking anybody."""

from collections.abc import Callable

from informerd.testing.clock import FakeClock as _FakeClock
from informerd.testing.clock import run_ready_tasks
from informerd.testing.polling import eventually

__all__ = ["FakeClock", "run_ready_tasks"]


class FakeClock(_FakeClock):
    """Stands still until `advance` or `skip`."""

    def skip(self, seconds: float) -> None:
        """Let `seconds` pass without a turn for any task. Sleepers that are due wake at the next `advance`."""
        self._now += seconds

    async def advance_until(self, condition: Callable[[], object], *, step: float = 0.5) -> None:
        """Advance by `step` seconds again and again until `condition` is true. Between steps real time passes, in which
        answers come over sockets: for tests in which it does not matter how often something was tried.
        """

        async def advanced() -> object:
            await self.advance(step)
            return condition()

        await eventually(advanced)
