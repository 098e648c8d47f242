"""Long run of random informer histories: ``python -m tools.informer_soak``, or `make soak`.

Each block of 500 has a seed of its own, counted up from the first one, which is printed: the same seed and steps give
the same histories. The command ends with status 1 at the first history that fails, and prints a shorter one that fails
too.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.support.informerd.model.random_history_runner import Outcome, run_histories

HISTORIES_PER_BLOCK = 500
REPORT_SECONDS = 5.0
"""Seconds between two lines."""


class Progress:
    """Prints how far it has come, in whole and at what rate."""

    def __init__(self, histories: int) -> None:
        self.done_count = 0
        self.seed = 0
        self._histories = histories
        self._began = self._said = time.monotonic()

    def update(self, done_in_block: int) -> None:
        """Report the number of finished histories in the present block."""
        now = time.monotonic()
        if now - self._said >= REPORT_SECONDS:
            self._said = now
            self.print_line(self.done_count + done_in_block)

    def print_line(self, done: int) -> None:
        """One line."""
        seconds = time.monotonic() - self._began
        print(
            f"{done:7,} of {self._histories:,} histories, {done / seconds:.0f} a second, seed {self.seed}", flush=True
        )


def soak(histories: int, first_seed: int, steps: int) -> Outcome:
    """Run them up to the first that goes wrong."""
    progress = Progress(histories)
    outcome = Outcome()
    progress.seed = first_seed
    while progress.done_count < histories and outcome.failure is None:
        count = min(HISTORIES_PER_BLOCK, histories - progress.done_count)
        outcome = run_histories(progress.seed, count, steps=steps, shrink=True, progress=progress.update)
        if outcome.failure is None:
            progress.done_count += outcome.histories
            progress.print_line(progress.done_count)
            progress.seed += 1
    return Outcome(progress.done_count, failure=outcome.failure, seed=progress.seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=40, help="steps of a history at most")
    parser.add_argument("--seed", type=int, help="of the first block; by default another one each time")
    arguments = parser.parse_args()
    first_seed = random.randrange(1_000_000) if arguments.seed is None else arguments.seed
    print(f"{arguments.histories:,} histories of up to {arguments.steps} steps, seed {first_seed}", flush=True)
    outcome = soak(arguments.histories, first_seed, arguments.steps)
    if outcome.failure is None:
        print(f"{outcome.histories:,} histories, nothing wrong")
        return 0
    print(outcome.report())
    print(f"again: make soak SEED={outcome.seed} STEPS={arguments.steps} HISTORIES={HISTORIES_PER_BLOCK}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
