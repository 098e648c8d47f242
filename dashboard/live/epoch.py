"""Epochs: names of publishers' lives."""

from __future__ import annotations

import secrets

from informerd.clock import Clock


def new_epoch(clock: Clock, *, after: str = "") -> str:
    """A name for a publisher's life. Names sort by the time at which they began, so that the newest is the greatest.

    `after` is one that the new one has to be greater than, whatever the clock says.
    """
    begun = int(clock.time() * 1000)
    if after:
        begun = max(begun, int(after.partition("-")[0]) + 1)
    return f"{begun:013d}-{secrets.token_hex(3)}"
