"""Keyed hashes of a Secret's values, beside the masked values: history sees by them that a value changed.

They are in the whole object that informers keep, and nowhere on a page.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import msgspec

MEMBER = "deltaboard-value-hashes"
"""Member of the Secret's JSON that has them, by field and name."""
HASH_BYTES = 8
_member = f'"{MEMBER}"'.encode()


def value_hash(key: bytes, uid: str, field: str, name: str, value: object) -> str:
    """Hash of one value. Equal values of two Secrets, or of two names, have different ones; nobody without the key can
    tell a value from it.
    """
    content = msgspec.json.encode([uid, field, name, value])
    return hmac.new(key, content, hashlib.sha256).hexdigest()[: 2 * HASH_BYTES]


def without_value_hashes(whole: bytes) -> bytes:
    """The JSON without the hashes; unchanged where it has none."""
    if _member not in whole:
        return whole
    members: dict[str, Any] = msgspec.json.decode(whole, type=dict[str, msgspec.Raw])
    if members.pop(MEMBER, None) is None:
        return whole
    return msgspec.json.encode(members)
