"""Tests of the encryption of messages, and of the keys that may read them."""

from __future__ import annotations

import pytest

from dashboard.live.replication.message_cipher import DecryptedMessage, MessageCipher, MessageRejected
from dashboard.live.replication.rejected_messages import Rejection

OLD, NEW = "the first secret of this installation", "the second secret of this installation"


def cipher(*secrets: str, installation: str = "deltaboard") -> MessageCipher:
    return MessageCipher(secrets or (OLD,), installation=installation)


def rejection(
    reader: MessageCipher, encrypted: bytes, *, address: str = "group", kind: str = "feed.frame"
) -> Rejection:
    with pytest.raises(MessageRejected) as rejected:
        reader.decrypt(address, kind, encrypted)
    return rejected.value.reason


def test_another_process_with_the_secret_reads_it() -> None:
    sender, reader = cipher(), cipher()
    opened = [reader.decrypt("group", "feed.frame", sender.encrypt("group", "feed.frame", b"rows")) for _ in range(2)]
    assert [each.data for each in opened] == [b"rows", b"rows"]
    assert [(each.number, each.is_first) for each in opened] == [(1, True), (2, False)]
    assert opened[0].session == opened[1].session
    assert cipher().decrypt("a", "b", cipher().encrypt("a", "b", b"")).session != opened[0].session


def test_what_is_sent_cannot_be_read_without_the_secret() -> None:
    encrypted = cipher().encrypt("group", "feed.frame", b"a pod's name")
    assert b"pod" not in encrypted
    assert rejection(cipher("another secret"), encrypted) == Rejection.OTHER_KEY


def test_the_first_secret_encrypts_and_all_decrypt() -> None:
    both, swapped = cipher(OLD, NEW), cipher(NEW, OLD)
    assert cipher(OLD).decrypt("a", "b", both.encrypt("a", "b", b"x")).data == b"x"
    assert both.decrypt("a", "b", swapped.encrypt("a", "b", b"x")).data == b"x"
    assert rejection(cipher(OLD), swapped.encrypt("group", "feed.frame", b"x")) == Rejection.OTHER_KEY


@pytest.mark.parametrize("position", [10, 20, 30, 40, -1])
def test_a_changed_byte_is_noticed(position: int) -> None:
    encrypted = bytearray(cipher().encrypt("group", "feed.frame", b"rows" * 10))
    encrypted[position] ^= 1
    assert rejection(cipher(), bytes(encrypted)) == Rejection.FORGED


def test_it_is_bound_to_its_address_its_type_and_its_installation() -> None:
    encrypted = cipher().encrypt("group", "feed.frame", b"rows")
    assert rejection(cipher(), encrypted, address="other") == Rejection.FORGED
    assert rejection(cipher(), encrypted, kind="feed.chunk") == Rejection.FORGED
    assert rejection(cipher(installation="staging"), encrypted) == Rejection.FORGED


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Rejection.UNENCRYPTED),
        (b"\x9a\xa4pods", Rejection.UNENCRYPTED),
        (b"\xc1", Rejection.OTHER_VERSION),
        (b"\xc1\x02whatever", Rejection.OTHER_VERSION),
        (b"\xc1\x01short", Rejection.MALFORMED),
    ],
)
def test_what_is_no_encrypted_message_has_a_reason(data: bytes, reason: Rejection) -> None:
    assert rejection(cipher(), data) == reason


def test_a_decrypted_message_has_its_place() -> None:
    sender = cipher()
    sender.encrypt("group", "feed.frame", b"lost")
    opened = cipher().decrypt("group", "feed.frame", sender.encrypt("group", "feed.frame", b"rows"))
    assert opened == DecryptedMessage(opened.session, 2, b"rows", is_first=True)
