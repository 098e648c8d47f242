"""Seals of the audit log: HMAC-SHA256 of an entry and the hash before it, with keys that the database does not have.

Without a key, whoever can write to the database could change an entry and compute all hashes after it anew.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

GENESIS = "0" * 64
"""The hash before the first entry."""


class Sealer:
    """Seals with the first of several secrets, and checks with all."""

    def __init__(self, secrets: Iterable[str]) -> None:
        keys = [hmac.digest(b"deltaboard record of who did what", each.encode(), "sha256") for each in secrets]
        self._keys = {hashlib.sha256(b"id" + key).hexdigest()[:8]: key for key in keys}
        self.key_id = next(iter(self._keys))
        """Names the key that seals; entries have it, so that a check finds the key of each."""

    def knows(self, key_id: str) -> bool:
        return key_id in self._keys

    def hash(self, previous: str, content: str, key_id: str = "") -> str:
        """The hash of an entry, in hex. Raises KeyError for a key that is not known."""
        return hmac.digest(self._keys[key_id or self.key_id], f"{previous}\n{content}".encode(), "sha256").hex()

    def head_seal(self, seq: int, last_hash: str, size: int) -> str:
        """The seal of the chain's end and size: the id of its key, and a hash."""
        return f"{self.key_id}{self._head_hash(self.key_id, seq, last_hash, size)}"

    def is_head(self, seal: str, seq: int, last_hash: str, size: int) -> bool:
        """Whether `seal` is that of this end and size."""
        key_id, found = seal[:8], seal[8:]
        return key_id in self._keys and hmac.compare_digest(found, self._head_hash(key_id, seq, last_hash, size))

    def _head_hash(self, key_id: str, seq: int, last_hash: str, size: int) -> str:
        return hmac.digest(self._keys[key_id], f"head\n{seq}\n{last_hash}\n{size}".encode(), "sha256").hex()[:56]
