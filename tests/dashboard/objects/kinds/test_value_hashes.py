"""Tests of the hashes of a Secret's values: they tell that a value changed, and are on no page."""

from __future__ import annotations

import msgspec

from dashboard.objects.kinds.value_hashes import MEMBER, without_value_hashes
from dashboard.objects.paths.field_changes import row_changes
from dashboard.objects.printers.secret_redaction import MASK, mask_secret
from informerd.objects import Blob
from informerd.zstd_dictionaries import PlainCompressor
from tests.support.live.sample_rows import row

KEY = b"k" * 32


def secret(uid: str = "u", **data: str) -> bytes:
    return msgspec.json.encode({"kind": "Secret", "metadata": {"name": "s", "uid": uid}, "data": data})


def hashes(raw: bytes, key: bytes = KEY) -> dict[str, str]:
    found: dict[str, str] = msgspec.json.decode(mask_secret(raw, key))[MEMBER]["data"]
    return found


def test_a_value_that_changes_has_another_hash_and_no_other_has() -> None:
    before, after = hashes(secret(a="b25l", b="dHdv")), hashes(secret(a="b25l", b="dGhyZWU="))
    assert before["a"] == after["a"]
    assert before["b"] != after["b"]


def test_equal_values_are_not_seen_to_be_equal_elsewhere() -> None:
    assert len({*hashes(secret(a="b25l", b="b25l")).values(), *hashes(secret("other", a="b25l")).values()}) == 3


def test_without_the_key_it_cannot_be_guessed() -> None:
    assert hashes(secret(a="b25l")) != hashes(secret(a="b25l"), b"x" * 32)


def test_masking_twice_changes_nothing_and_without_a_key_there_are_no_hashes() -> None:
    masked = mask_secret(secret(a="b25l"), KEY)
    assert mask_secret(masked, KEY) == masked
    assert msgspec.json.decode(masked)["data"] == {"a": MASK}
    assert b"b25l" not in masked
    assert MEMBER.encode() not in mask_secret(secret(a="b25l"))


def test_pages_and_the_feed_never_have_them() -> None:
    blobs = [Blob(PlainCompressor().compress(mask_secret(secret(a=value), KEY))) for value in ("b25l", "dHdv")]
    old, new = (msgspec.structs.replace(row("s"), blob=blob) for blob in blobs)
    assert blobs[0].json() != blobs[1].json()
    assert MEMBER not in old.json_text()
    assert MEMBER not in old.decode_object()
    assert old.json_text() == new.json_text()
    assert row_changes(old, new).changes == []


def test_json_without_them_stays_as_it_is() -> None:
    for raw in (b'{"a": 1}', f'{{"data": {{"{MEMBER}": 1}}}}'.encode()):
        assert without_value_hashes(raw) == raw
