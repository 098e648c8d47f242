"""Dictionaries on the feed: rows travel packed, and what unpacks them travels once.

The worker's end remembers which it has announced, the replica's end binds rows to what it has heard. A row keeps its
dictionary with it, so that whoever has the row can read it, in any thread and long after the worker that packed it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import msgspec
import zstandard

from dashboard.live.messages import Row
from informerd.dictionary import Dictionary, dictionary_id

logger = logging.getLogger(__name__)


class Announced:
    """What one publisher's frames have said: it begins with its epoch and is what a snapshot says of them."""

    def __init__(self) -> None:
        self._by_id: dict[int, Dictionary] = {}

    def announce(self, rows: Iterable[Row], kept: Iterable[Row]) -> tuple[bytes, ...]:
        """What a frame with `rows` has to carry. What none of the `kept` rows needs is forgotten at that moment."""
        new = {id_: found for id_, found in _needed(rows).items() if self._by_id.get(id_) is not found}
        if not new:
            return ()
        still = _needed(kept)
        self._by_id = {id_: known for id_, known in self._by_id.items() if id_ in still} | new
        return tuple(dictionary.data for dictionary in new.values())

    def all(self) -> tuple[bytes, ...]:
        """What a replica has to know to read every row, those of later frames included."""
        return tuple(dictionary.data for dictionary in self._by_id.values())


class Heard:
    """What a replica has heard of since the snapshot that it rests on."""

    def __init__(self) -> None:
        self._by_id: dict[int, Dictionary] = {}

    def bind(self, rows: Iterable[Row], dictionaries: Iterable[bytes]) -> bool:
        """Learn `dictionaries` and give each row its own; whether all were known. If not, `rows` must not be shown."""
        for data in dictionaries:
            self._learn(data)
        return all(self._bind(row) for row in rows)

    def _learn(self, data: bytes) -> None:
        try:
            dictionary = Dictionary(data)
        except zstandard.ZstdError:
            logger.exception("heard of a dictionary that is none")
        else:
            self._by_id[dictionary.id] = dictionary

    def _bind(self, row: Row) -> bool:
        blob = row.blob
        if blob is None or blob.dictionary is not None:
            return True
        try:
            needed = dictionary_id(blob.data)
        except zstandard.ZstdError:
            return False
        if not needed:
            return True
        dictionary = self._by_id.get(needed)
        msgspec.structs.force_setattr(blob, "dictionary", dictionary)  # just decoded: nobody else has it yet
        return dictionary is not None


def _needed(rows: Iterable[Row]) -> dict[int, Dictionary]:
    found = {row.blob.dictionary for row in rows if row.blob is not None}
    return {dictionary.id: dictionary for dictionary in found if dictionary is not None}
