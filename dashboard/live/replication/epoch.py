"""Epochs, which name one run of a publisher and begin with the time of its start."""

from __future__ import annotations

import secrets

from informerd.clock import Clock


def new_epoch(clock: Clock, *, after: str = "") -> str:
    """A name for one run of a publisher. Names sort by start time, so that the newest is the greatest.

    The new name is greater than `after`, whatever the clock says.
    """
    begun = int(clock.time() * 1000)
    if after:
        begun = max(begun, int(after.partition("-")[0]) + 1)
    return f"{begun:013d}-{secrets.token_hex(3)}"


def epoch_start(epoch: str, now: float) -> float:
    """Unix seconds at which the run of this epoch began; `now` where the epoch has no time in it."""
    digits = epoch[:13]
    return min(int(digits) / 1000, now) if digits.isdecimal() else now
