"""Compresses the versions of an object: one in full, and each one after it by its difference from the one before.

The version before serves zstandard as a dictionary (the zstd manual, "raw content dictionary"): what both have in
common costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import zstandard

MAX_DIFFERENCES = 32
"""Most differences after a version in full: so many are unpacked at most to read one version."""
MAX_JSON_BYTES = 64 * 2**20
"""Bytes of an object that is unpacked; etcd takes 1.5 MiB by default."""
_LEVEL = 3
_MAGICLESS = zstandard.FORMAT_ZSTD1_MAGICLESS
_PARAMETERS = zstandard.ZstdCompressionParameters.from_level(
    _LEVEL, format=_MAGICLESS, write_checksum=True, write_content_size=True
)


class DamagedVersion(Exception):
    """What is stored of a version cannot be unpacked, or is not what was packed. The message says why."""


def pack(json: bytes, before: bytes | None = None) -> bytes:
    """Compress a version; with `before`, the one before it, as the difference from that one."""
    return zstandard.ZstdCompressor(compression_params=_PARAMETERS, dict_data=_dictionary(before)).compress(json)


def unpack(parts: Sequence[bytes]) -> bytes:
    """The last of versions that were packed one after the other, the first in full. Raises DamagedVersion."""
    json: bytes | None = None
    for part in parts:
        json = unpack_next(part, json)
    if json is None:
        raise DamagedVersion("there is no version in full")
    return json


def unpack_next(part: bytes, before: bytes | None = None) -> bytes:
    """A version from what was packed with `before`. Raises DamagedVersion."""
    try:
        size = zstandard.get_frame_parameters(part, format=_MAGICLESS).content_size
        if size > MAX_JSON_BYTES:
            raise DamagedVersion(f"a version of {size:,} bytes is larger than any object")
        decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary(before), format=_MAGICLESS)
        json: bytes = decompressor.decompress(part)
    except zstandard.ZstdError as error:
        raise DamagedVersion(str(error)) from error
    return json


def _dictionary(content: bytes | None) -> zstandard.ZstdCompressionDict | None:
    return zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if content else None
