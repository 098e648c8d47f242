"""Zstandard dictionaries, with which each object of a kind compresses to a fraction of its size.

An object alone compresses to a fifth; with a dictionary of its kind's field names and usual values it compresses to a
twentieth or less (the zstd manual, "dictionary builder").
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import msgspec
import zstandard

MAX_DICTIONARY_BYTES = 32 * 1024
"""Bytes of a dictionary at most."""

_SAMPLES_A_BYTE = 48
"""How many times as many bytes of samples a dictionary needs; with fewer the trainer cannot fill it, and it is bad."""

_TRAINER = {"d": 8, "f": 16, "steps": 4}
"""Of the zstd manual's fast cover: tables of 2**16 entries are as good here as the usual 2**20, whose eight megabytes
would stay with the process."""

_SMALLEST = 512
_LEVEL = 1

_Raw = bytes | bytearray | memoryview | msgspec.Raw


class Dictionary:
    """Packs and unpacks one kind's objects. `decompress` may be called from any thread, `compress` from one at a time.

    `data` is what another process needs to unpack: ``Dictionary(data)``. Each packed object names its dictionary by
    `id`, see `dictionary_id`. Raises zstandard.ZstdError where `data` is no dictionary.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        trained = zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_FULLDICT)
        self.id: int = trained.dict_id()
        self._trained = trained
        self._compress: Callable[[_Raw], bytes] | None = None
        self._decompressor = zstandard.ZstdDecompressor(dict_data=trained)
        self._lock = threading.Lock()

    def compress(self, raw: _Raw) -> bytes:
        """Compress an object's JSON.

        compress() returns a block as large as its input, shrunk in place: a copy takes only what it needs.
        """
        compress = self._compress or self._begin_to_pack()
        return bytes(memoryview(compress(raw)))

    def _begin_to_pack(self) -> Callable[[_Raw], bytes]:
        """Make the compressor at its first use: its tables take 0.1 MB, which programs that only read save."""
        self._trained.precompute_compress(level=_LEVEL)
        compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=self._trained, write_checksum=False)
        self._compress = compressor.compress
        return self._compress

    def decompress(self, packed: bytes) -> bytes:
        """The object's JSON. Raises zstandard.ZstdError for what was packed with another dictionary."""
        with self._lock:
            unpacked: bytes = self._decompressor.decompress(packed)
        return unpacked


def dictionary_id(compressed: bytes) -> int:
    """The id of the dictionary that `compressed` needs, 0 for none. Raises zstandard.ZstdError for other bytes."""
    needed: int = zstandard.get_frame_parameters(compressed).dict_id
    return needed


def train_dictionary(samples: Sequence[bytes]) -> Dictionary | None:
    """A dictionary for objects like these; None where they are too few, too small or have nothing in common.

    200 objects of 5 kB take 20 ms.
    """
    size = min(MAX_DICTIONARY_BYTES, sum(map(len, samples)) // _SAMPLES_A_BYTE)
    if size < _SMALLEST:
        return None
    try:
        return Dictionary(zstandard.train_dictionary(size, [*samples], **_TRAINER).as_bytes())
    except zstandard.ZstdError:
        return None


class PlainCompressor:
    """Packs and unpacks without a dictionary. Of one thread at a time."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=False)

    def compress(self, raw: _Raw) -> bytes:
        """Compress an object's JSON."""
        return bytes(memoryview(self._compressor.compress(raw)))


def decompress_plain(packed: bytes) -> bytes:
    """The JSON of an object that was packed without a dictionary."""
    unpacked: bytes = zstandard.ZstdDecompressor().decompress(packed)
    return unpacked
