"""Where a replica is in the feed of its kind: the frame up to which it has everything."""

from __future__ import annotations

from dashboard.live.dictionaries import Heard
from dashboard.live.messages import Frame
from dashboard.live.pull import Pull


class Place:
    """An epoch, the number of the last frame in it, and the dictionaries that were heard up to there."""

    def __init__(self) -> None:
        self.epoch = ""
        self.seq = 0
        self._sent = 0.0
        self._dictionaries = Heard()

    def begin(self, pull: Pull) -> None:
        """From here on frames continue what the snapshot says."""
        self.epoch, self.seq, self._sent = pull.snapshot_epoch, pull.seq, 0.0
        self._dictionaries = pull.dictionaries

    def advance(self, frame: Frame) -> None:
        """This frame was applied."""
        self.seq, self._sent = frame.seq, frame.sent

    def is_late(self, frame: Frame) -> bool:
        """Whether it is late or doubled, and says nothing that is not here."""
        if frame.has_content:
            return frame.seq <= self.seq
        return frame.seq < self.seq or frame.sent < self._sent

    def continues(self, frame: Frame) -> bool:
        """Whether there is no hole before it, and its rows can be read."""
        if frame.seq > self.seq + frame.has_content:
            return False
        return self._dictionaries.bind(frame.rows, frame.dictionaries)
