"""Size, rate and seed of the demo workload, and the readers of their command-line values."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEFAULT_PODS = 120
MOST_PODS = 50_000
DEFAULT_RATE = 5.0
MOST_RATE = 1_000.0


@dataclass(frozen=True)
class WorkloadSize:
    """Approximate numbers of pods, and of changes a second. A `seed` gives the same objects and names each time."""

    pods: int = DEFAULT_PODS
    rate: float = DEFAULT_RATE
    seed: int | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """The same as arguments of ``python -m devcluster``."""
        seed = () if self.seed is None else (f"--seed={self.seed}",)
        return (f"--pods={self.pods}", f"--rate={self.rate:g}", *seed)


def read_pods(text: str) -> int:
    """A number of pods; the usual one for "". Raises ValueError with a sentence."""
    if not text:
        return DEFAULT_PODS
    number = _whole(text)
    if number is None or not 1 <= number <= MOST_PODS:
        raise ValueError(f"{text!r} is not a whole number from 1 to {MOST_PODS}")
    return number


def read_rate(text: str) -> float:
    """Changes a second; the usual rate for "", 0 for a cluster that nobody disturbs. Raises ValueError."""
    if not text:
        return DEFAULT_RATE
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MOST_RATE:
        raise ValueError(f"{text!r} is not a number of changes a second from 0 to {MOST_RATE:g}")
    return number


def read_seed(text: str) -> int | None:
    """A seed; None for "". Raises ValueError."""
    number = _whole(text) if text else None
    if text and number is None:
        raise ValueError(f"{text!r} is not a whole number")
    return number


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
