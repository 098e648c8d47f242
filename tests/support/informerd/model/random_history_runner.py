"""Runner of many histories from one seed: the same seed gives the same histories."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import msgspec
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.support.informerd.model.state_machine import Histories


class Outcome(msgspec.Struct):
    histories: int = 0
    """Those up to the first that went wrong; not the tries to make that one shorter."""
    found: bool = False
    """Whether one went wrong."""
    failure: AssertionError | None = None
    """What was found, with the history's steps in its notes."""
    seed: int = 0
    """The failing block's."""
    trace: int = 0
    """A checksum of all that the API server was asked, and when each history ended."""

    def report(self) -> str:
        """The failure and the history in which it was found."""
        notes = getattr(self.failure, "__notes__", [])
        return "\n".join([str(self.failure), *notes])


def run_histories(
    number: int, count: int, *, steps: int, shrink: bool, progress: Callable[[int], None] = lambda done: None
) -> Outcome:
    """Run `count` histories of at most `steps` steps, seeded with `number`, up to the first that goes wrong.

    `shrink`: look for a shorter one that goes wrong as well, which may take minutes. Settings: no database and a given
    seed, so that nothing depends on earlier runs; no deadline, because machines are busy; the health checks for slow
    and large examples are off, because a history is an example of fifty draws and thirty milliseconds.
    """
    outcome = Outcome(seed=number)

    class Counted(Histories):
        def teardown(self) -> None:
            try:
                super().teardown()
            finally:
                outcome.found = outcome.found or (self.world is not None and bool(self.world.problems))
            if self.world is not None and not outcome.found:
                outcome.histories += 1
                seen = repr((self.world.server.requests, self.world.loop.time()))
                outcome.trace = crc32(seen.encode(), outcome.trace)
                progress(outcome.histories)

    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    chosen = settings(
        max_examples=count,
        stateful_step_count=steps,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example),
    )
    try:
        run_state_machine_as_test(seed(number)(Counted), settings=chosen)
    except AssertionError as error:
        outcome.failure = error
    return outcome
