"""Compression dictionaries on the feed: rows are sent packed, and each dictionary is sent once.

The worker remembers which dictionaries it has announced; the replica binds rows to those it has received. A row keeps
its dictionary, so that its holder can read it in any thread and long after the worker that packed it has ended.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import msgspec
import zstandard

from dashboard.objects.kinds.row import Row
from informerd.objects import Blob
from informerd.zstd_dictionaries import MAX_DICTIONARY_BYTES, Dictionary, dictionary_id

logger = logging.getLogger(__name__)

MAX_OBJECT_BYTES = 16 * 2**20
"""Bytes of a row's whole object, unpacked. API servers accept 3 MB, and etcd stores 1.5 MB."""


class AnnouncedDictionaries:
    """Dictionaries that one publisher's frames have announced; they start with its epoch and are part of a snapshot."""

    def __init__(self) -> None:
        self._by_id: dict[int, Dictionary] = {}

    def announce(self, rows: Iterable[Row], retained_rows: Iterable[Row]) -> tuple[bytes, ...]:
        """The dictionaries that a frame with `rows` has to carry. Those that none of the `retained_rows` needs are
        dropped.
        """
        new = {id_: entry for id_, entry in _needed(rows).items() if self._by_id.get(id_) is not entry}
        if not new:
            return ()
        still = _needed(retained_rows)
        self._by_id = {id_: known for id_, known in self._by_id.items() if id_ in still} | new
        return tuple(dictionary.data for dictionary in new.values())

    def all(self) -> tuple[bytes, ...]:
        """All dictionaries that a replica needs to read every row, those of later frames included."""
        return tuple(dictionary.data for dictionary in self._by_id.values())


class ReceivedDictionaries:
    """Dictionaries that a replica has received since the snapshot that it is based on."""

    def __init__(self) -> None:
        self._by_id: dict[int, Dictionary] = {}

    def bind(self, rows: Iterable[Row], dictionaries: Iterable[bytes]) -> bool:
        """Learn `dictionaries` and give each row its own. Returns whether all were known; if not, `rows` must not be
        shown.
        """
        for data in dictionaries:
            self._learn(data)
        return all(self._bind(row) for row in rows)

    def _learn(self, data: bytes) -> None:
        if len(data) > MAX_DICTIONARY_BYTES:
            logger.error("received a dictionary of %d bytes, which is too large", len(data))
            return
        try:
            dictionary = Dictionary(data)
        except zstandard.ZstdError:
            logger.exception("received a malformed dictionary")
        else:
            self._by_id[dictionary.id] = dictionary

    def _bind(self, row: Row) -> bool:
        blob = row.blob
        if blob is None or blob.dictionary is not None:
            return True
        if not fits(blob):
            return False
        needed = dictionary_id(blob.data)
        if not needed:
            return True
        dictionary = self._by_id.get(needed)
        msgspec.structs.force_setattr(blob, "dictionary", dictionary)  # just decoded: nobody else has it yet
        return dictionary is not None


def fits(blob: Blob) -> bool:
    """Whether the unpacked object has at most MAX_OBJECT_BYTES, as `blob` itself says: zstandard unpacks no more.

    One that does not say it, and one that is damaged, does not fit.
    """
    try:
        return bool(0 <= zstandard.frame_content_size(blob.data) <= MAX_OBJECT_BYTES)
    except zstandard.ZstdError:
        return False


def _needed(rows: Iterable[Row]) -> dict[int, Dictionary]:
    dictionaries = {row.blob.dictionary for row in rows if row.blob is not None}
    return {dictionary.id: dictionary for dictionary in dictionaries if dictionary is not None}
