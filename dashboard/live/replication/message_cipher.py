"""Encryption of the messages between worker and web processes: AES-256-GCM, with keys derived by HKDF (RFC 5869)."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dashboard.live.replication.rejected_messages import Rejection
from informerd.lru_cache import LruCache

MARK = 0xC1
"""First byte of encrypted data. No msgpack value begins with it, so data without encryption is recognised."""
VERSION = 1
"""Second byte: the version of this format."""
MAX_SESSIONS = 1000
"""Sessions of other processes whose derived keys are remembered."""

_HEADER = struct.Struct(">BB8s16sQ")
_KEY_BYTES = 32


class MessageRejected(Exception):
    """A message that this process must not use."""

    def __init__(self, reason: Rejection) -> None:
        super().__init__(reason)
        self.reason = reason


class DecryptedMessage(NamedTuple):
    """Data with its place among the messages of its sender."""

    session: bytes
    """One life of the sender."""
    number: int
    """Counts the messages of a session to all addresses, from 1."""
    data: bytes
    is_first: bool = False
    """Whether nothing of this session was decrypted before."""


class MessageCipher:
    """Encrypts with the first of `secrets`, decrypts with any. Processes with another `installation` have other keys.

    The address and the type of a message are authenticated, not encrypted. Each process encrypts with a key of its own
    (its session), derived from the secret and 16 random bytes, and uses the number of the message as nonce: so no nonce
    is used twice with a key, however many messages and processes there are (NIST SP 800-38D, section 8).
    """

    def __init__(self, secrets: Sequence[str], *, installation: str) -> None:
        self._installation = installation
        self._secrets = {_derive(secret, b"", "key id", 8): secret for secret in secrets}
        self._key_id = next(iter(self._secrets))
        self._session = os.urandom(16)
        self._own = self._session_cipher(self._key_id, self._session)
        self._number = 0
        self._others: LruCache[tuple[bytes, bytes], AESGCM] = LruCache(MAX_SESSIONS)

    def encrypt(self, address: str, message_type: str, data: bytes) -> bytes:
        """Encrypted `data` for one address: a group or a channel."""
        self._number += 1
        header = _HEADER.pack(MARK, VERSION, self._key_id, self._session, self._number)
        return header + self._own.encrypt(_nonce(self._number), data, _bound(header, address, message_type))

    def decrypt(self, address: str, message_type: str, encrypted: bytes) -> DecryptedMessage:
        """The data of a message. Raises MessageRejected where no process with the key made it for this address."""
        if encrypted[:1] != bytes((MARK,)):
            raise MessageRejected(Rejection.UNENCRYPTED)
        if encrypted[1:2] != bytes((VERSION,)):
            raise MessageRejected(Rejection.OTHER_VERSION)
        if len(encrypted) < _HEADER.size:
            raise MessageRejected(Rejection.MALFORMED)
        header = encrypted[: _HEADER.size]
        _, _, key_id, session, number = _HEADER.unpack(header)
        if key_id not in self._secrets:
            raise MessageRejected(Rejection.OTHER_KEY)
        known = self._others.get((key_id, session))
        cipher = known or self._session_cipher(key_id, session)
        try:
            data = cipher.decrypt(_nonce(number), encrypted[_HEADER.size :], _bound(header, address, message_type))
        except InvalidTag:
            raise MessageRejected(Rejection.FORGED) from None
        if known is None:
            self._others.put((key_id, session), cipher)
        return DecryptedMessage(session, number, data, known is None)

    def _session_cipher(self, key_id: bytes, session: bytes) -> AESGCM:
        purpose = f"messages of {self._installation}"
        return AESGCM(_derive(self._secrets[key_id], session, purpose, _KEY_BYTES))


def _derive(secret: str, salt: bytes, purpose: str, length: int) -> bytes:
    info = f"deltaboard feed: {purpose}".encode()
    return HKDF(SHA256(), length, salt=salt or None, info=info).derive(secret.encode())


def _nonce(number: int) -> bytes:
    return number.to_bytes(12, "big")


def _bound(header: bytes, address: str, message_type: str) -> bytes:
    """What is authenticated beside the data."""
    return msgspec.msgpack.encode((header, address, message_type))
