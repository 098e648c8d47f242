"""Tests of protobuf bodies as the API server reads them: values that are not objects in JSON, and malformed ones."""

from __future__ import annotations

from typing import Any

import pytest

from devcluster.server.codec.protobuf import MAGIC, MalformedMessage, Messages

MESSAGES = Messages.load()
CORE, META = "io.k8s.api.core.v1", "io.k8s.apimachinery.pkg.apis.meta.v1"
MOMENT = 1_793_520_000
"""2026-11-01T08:00:00Z."""


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    encoded = b""
    while value > 0x7F:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def field(number: int, value: int | str | bytes) -> bytes:
    """A field as a client writes it: an integer, or what has a length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def decoded(message: str, *fields: bytes) -> dict[str, Any]:
    return MESSAGES.decode(MAGIC + field(2, b"".join(fields)), message)


def test_a_body_has_the_kind_of_its_head() -> None:
    head = field(1, field(1, "v1") + field(2, "ConfigMap"))
    body = MAGIC + head + field(2, field(2, field(1, "a") + field(2, "b")))
    assert MESSAGES.decode(body, f"{CORE}.ConfigMap") == {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}


def test_a_body_without_the_mark_of_the_encoding_is_refused() -> None:
    with pytest.raises(MalformedMessage, match=r"expected prefix \[107 56 115 0\]"):
        MESSAGES.decode(b"{}", f"{CORE}.ConfigMap")


def test_an_entry_of_a_map_may_leave_its_value_or_name_out() -> None:
    found = decoded(f"{CORE}.ConfigMap", field(2, field(1, "a")), field(2, field(2, "b")))
    assert found == {"data": {"a": "", "": "b"}}


@pytest.mark.parametrize(
    ("port", "value"),
    [
        (field(1, 0) + field(2, 8080), 8080),
        (field(2, -1), -1),
        (field(1, 1) + field(2, 0) + field(3, "http"), "http"),
        (field(1, 1), ""),
    ],
)
def test_a_number_or_name_is_the_one_that_its_type_says(port: bytes, value: int | str) -> None:
    found = decoded("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", field(1, port))
    assert found == {"minAvailable": value}


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (field(1, MOMENT) + field(2, 999_999_999), {"creationTimestamp": "2026-11-01T08:00:00Z"}),
        (field(1, -1), {"creationTimestamp": "1969-12-31T23:59:59Z"}),
        (b"", {}),
    ],
)
def test_a_time_is_written_in_whole_seconds_and_none_at_all_is_left_out(moment: bytes, written: dict[str, str]) -> None:
    assert decoded(f"{META}.ObjectMeta", field(8, moment)) == written


def test_the_times_of_a_lease_have_microseconds() -> None:
    found = decoded("io.k8s.api.coordination.v1.LeaseSpec", field(4, field(1, MOMENT) + field(2, 123_456_789)))
    assert found == {"renewTime": "2026-11-01T08:00:00.123456Z"}


def test_quantities_are_text_and_managed_fields_are_left_out() -> None:
    cpu = field(1, "cpu") + field(2, field(1, "100m"))
    assert decoded(f"{CORE}.ResourceRequirements", field(2, cpu)) == {"requests": {"cpu": "100m"}}
    entry = field(1, "kubectl") + field(7, field(1, b"{}"))
    assert decoded(f"{META}.ObjectMeta", field(17, entry)) == {"managedFields": [{"manager": "kubectl"}]}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (field(7, "text"), "proto: wrong wireType = 2 for a field of integers"),
        (field(1, 5), "proto: wrong wireType = 0 for a field of bytes"),
        (field(8, 5), "proto: wrong wireType = 0 for a field of bytes"),
        (field(8, field(1, "text")), "proto: wrong wireType = 2 for a field of integers"),
        (field(8, field(1, 1 << 62)), "proto: a time out of range"),
        (field(8, field(1, 1 << 40)), "proto: a time out of range"),
        (b"\x40" + b"\xff" * 10, "proto: integer overflow"),
        (b"\x42\x05ab", "unexpected EOF"),
        (b"\x43", "proto: illegal wireType 3"),
    ],
)
def test_what_is_no_message_is_refused_in_words(fields: bytes, why: str) -> None:
    with pytest.raises(MalformedMessage) as caught:
        decoded(f"{META}.ObjectMeta", fields)
    assert str(caught.value) == why
