"""All owners that an object names: a row has one of them only, so the packed object is read, and of it no more."""

from __future__ import annotations

import msgspec
import zstandard

from dashboard.live.messages import Row
from informerd.objects import OwnerReference


class _Metadata(msgspec.Struct, frozen=True, rename="camel", gc=False):
    owner_references: tuple[OwnerReference, ...] = ()


class _Owned(msgspec.Struct, frozen=True, gc=False):
    metadata: _Metadata = _Metadata()


_decode = msgspec.json.Decoder(_Owned).decode


def owners_of(row: Row) -> tuple[OwnerReference, ...]:
    """Empty where no object is kept, or a damaged one. May be called from any thread."""
    if row.blob is None:
        return ()
    try:
        return _decode(row.blob.json()).metadata.owner_references
    except (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
