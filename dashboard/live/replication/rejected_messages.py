"""Messages of the channel layer that a process rejects: counted by reason, logged once, and said on the page."""

from __future__ import annotations

import logging
from enum import StrEnum

from informerd.clock import Clock

logger = logging.getLogger(__name__)

RECENT = 5.0
"""Seconds for which a rejected message explains why the worker is not heard."""
SILENCE_TIMEOUT = 2.0
"""Seconds after a readable message in which a rejected one is nobody's problem: the worker is heard."""


class Rejection(StrEnum):
    """Why a message was rejected, as the metric's label names it."""

    MALFORMED = "malformed"
    UNENCRYPTED = "unencrypted"
    OTHER_VERSION = "other-version"
    OTHER_KEY = "other-key"
    FORGED = "forged"
    MISADDRESSED = "misaddressed"
    REPLAYED = "replayed"
    UNREADABLE = "unreadable"


_SAME_VERSION = "Run the same version of Deltaboard for the worker and all web processes"
_CHECK_REDIS = "Check who can write to Redis"
_EXPLANATIONS = {
    Rejection.MALFORMED: f"a message is not one of Deltaboard's. {_CHECK_REDIS}",
    Rejection.UNENCRYPTED: f"a message is not encrypted, as those of older versions. {_SAME_VERSION}",
    Rejection.OTHER_VERSION: f"a message is encrypted as this version does not know. {_SAME_VERSION}",
    Rejection.OTHER_KEY: "worker and web process have different keys. "
    "Set DELTABOARD_FEED_KEY, or SECRET_KEY, to the same value for all processes and restart them",
    Rejection.FORGED: f"a message was changed on its way, or forged. {_CHECK_REDIS}",
    Rejection.MISADDRESSED: f"a message was written for another receiver. {_CHECK_REDIS}",
    Rejection.REPLAYED: f"a message came for a second time, or after a later one. {_CHECK_REDIS}",
    Rejection.UNREADABLE: f"a message has content that this version does not know. {_SAME_VERSION}",
}


class RejectedMessages:
    """Counts by reason since the process started, and what a page says while nothing else is heard."""

    def __init__(self, clock: Clock) -> None:
        self.counts = dict.fromkeys(Rejection, 0)
        self._clock = clock
        self._logged: set[Rejection] = set()
        self._last: Rejection | None = None
        self._rejected_at = float("-inf")
        self._read_at = float("-inf")

    @property
    def problem(self) -> str:
        """Why nothing of the worker can be read, in sentences; empty while something can, or nothing arrives."""
        now = self._clock.now()
        if self._last is None or now - self._rejected_at > RECENT or now - self._read_at <= SILENCE_TIMEOUT:
            return ""
        return f"The worker cannot be heard: {_EXPLANATIONS[self._last]}."

    def record(self, reason: Rejection, detail: object = "") -> None:
        """A message was rejected. Logged at the first of its reason, and again after `record_peer`."""
        self.counts[reason] += 1
        self._last, self._rejected_at = reason, self._clock.now()
        if reason not in self._logged:
            self._logged.add(reason)
            suffix = f" ({detail})" if detail else ""
            logger.warning("dropped a message of the channel layer: %s%s", _EXPLANATIONS[reason], suffix)

    def record_readable(self) -> None:
        """A message of the worker was read."""
        self._read_at = self._clock.now()

    def record_peer(self) -> None:
        """A process that was not heard before has proved that it has the key: what is rejected now may be news."""
        self._logged.clear()
