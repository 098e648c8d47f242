"""Compressor for the objects of one kind, which trains the kind's dictionary on the first of them."""

from __future__ import annotations

import msgspec

from informerd.objects import Blob
from informerd.zstd_dictionaries import Dictionary, PlainCompressor, train_dictionary

MAX_SAMPLES = 200
"""Objects on which a dictionary is trained."""

MAX_SAMPLE_BYTES = 4 * 2**20
"""Bytes of objects that are enough, however few they are."""

MAX_ONE_SAMPLE_BYTES = 64 * 2**10
"""Bytes. A larger object has little from a dictionary of half its size, and a few would be all it is trained on."""


class Compressor:
    """Belongs to one kind and one thread. The first 200 objects are packed without a dictionary, later ones with it.

    Fewer objects than that are not worth a dictionary. Large ones do not count.
    """

    def __init__(self) -> None:
        self._plain = PlainCompressor()
        self._samples: list[Blob] | None = []
        self._sample_bytes = 0
        self._dictionary: Dictionary | None = None

    @property
    def dictionary(self) -> Dictionary | None:
        """The present dictionary."""
        return self._dictionary

    def compress(self, raw: bytes | memoryview | msgspec.Raw) -> Blob:
        """Compress an object's JSON."""
        dictionary = self._dictionary
        if dictionary is not None:
            return Blob(dictionary.compress(raw), dictionary)
        blob = Blob(self._plain.compress(raw))
        size = len(memoryview(raw))
        if self._samples is not None and size <= MAX_ONE_SAMPLE_BYTES:
            self._samples.append(blob)
            self._sample_bytes += size
            if len(self._samples) >= MAX_SAMPLES or self._sample_bytes >= MAX_SAMPLE_BYTES:
                self._dictionary = train_dictionary([sample.json() for sample in self._samples])
                self._samples = None  # where it cannot be trained, it is not tried again
        return blob
