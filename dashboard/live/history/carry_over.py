"""Copies each object that exists from the part before into a new part, in full and in small steps."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dashboard.live.history.part import set_meta
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.part_writer import PartWriter
from dashboard.live.history.version_codec import DamagedVersion

logger = logging.getLogger(__name__)

STEP = 100
"""Objects of a step: some 20 ms."""
POSITION = "carried"
"""Name in the table meta: id of the last object of the part before that was looked at."""


class CarryOver:
    """Copies what existed when the part of `writer` began. A part goes on being written to meanwhile; where the process
    ends, the next one goes on from the last step.
    """

    def __init__(self, before: PartReader, writer: PartWriter, size: Callable[[], int] = lambda: 0) -> None:
        """`size` returns the bytes of the part that is written."""
        self._before = before
        self._writer = writer
        self._size = size
        found = writer.connection.query("SELECT value FROM {meta} WHERE name = ?", POSITION)
        self._position = int(found[0][0]) if found else 0
        self._ids = before.object_ids("o.id > ?", self._position)
        self._has_position = bool(found)
        self._at = 0

    def step(self) -> bool:
        """Copy some objects and commit. False once all are there. Raises HistoryUnavailable."""
        ids = self._ids[self._at : self._at + STEP]
        if not ids:
            self._writer.mark_complete(self._size())
            return False
        for number in ids:
            try:
                for _, stored in self._before.states_at([number], self._writer.part.begin):
                    if not stored.version.operation.is_end:
                        self._writer.carry(stored)
            except DamagedVersion as error:
                logger.warning("an object in the history is damaged, and its part ends: %s", error)
        set_meta(self._writer.connection, POSITION, str(ids[-1]), is_new=not self._has_position)
        self._has_position = True
        self._writer.commit()
        self._at += len(ids)
        return True

    def close(self) -> None:
        self._before.connection.close()
