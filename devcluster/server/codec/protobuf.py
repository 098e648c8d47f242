"""Converter of protobuf bodies to JSON, for kubectl's create and drain commands and typed Go clients.

Responses are JSON, which every such client accepts too. Field numbers are looked up in recorded data; an unknown number
is left out. As in Go's JSON, non-pointer fields are left out when they are zero. Source: apimachinery's
pkg/runtime/serializer/protobuf and the kinds' Go types.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

MESSAGES_FILE = Path(__file__).parent.parent / "data" / "protobuf.json"
MAGIC = b"k8s\x00"
DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
SCALARS = frozenset(("string", "bytes", "bool", "int32", "int64", "double"))

_MACHINERY = "io.k8s.apimachinery.pkg"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEEPEST = 60

WireValue = int | bytes


class MalformedMessage(ValueError):
    """The bytes are not a message; in the Go decoder's words."""


@dataclass(frozen=True)
class Messages:
    """The recorded messages: by message and field number the JSON name, the encoding, and the type."""

    fields: Mapping[str, Mapping[int, tuple[str, str, str]]]

    @classmethod
    def load(cls, file: Path = MESSAGES_FILE) -> Messages:
        """Read the recorded file."""
        recorded: dict[str, dict[str, str]] = json.loads(file.read_text())
        return cls({name: {int(n): _spelled(text) for n, text in held.items()} for name, held in recorded.items()})

    def decode(self, body: bytes, message: str) -> dict[str, Any]:
        """The object in a request's body, whose kind has this root message. Raises MalformedMessage."""
        if not body.startswith(MAGIC):
            words = "provided data does not appear to be a protobuf message"
            raise MalformedMessage(f"{words}, expected prefix [{' '.join(str(byte) for byte in MAGIC)}]")
        typed, raw = {}, b""
        for number, value in _wire_fields(body[len(MAGIC) :]):
            if number == 1:
                typed = {n: _text(v) for n, v in _wire_fields(_bytes(value))}
            elif number == 2:
                raw = _bytes(value)
        head = {"apiVersion": typed.get(1, ""), "kind": typed.get(2, "")}
        return {key: text for key, text in head.items() if text} | self._message(raw, message, 0)

    def _message(self, raw: bytes, message: str, depth: int) -> dict[str, Any]:
        if depth > _DEEPEST:
            raise MalformedMessage("proto: message nested too deeply")
        known, decoded = self.fields[message], dict[str, Any]()
        for number, value in _wire_fields(raw):
            if number in known:
                name, container, kind = known[number]
                self._add(decoded, name, container, kind, value, depth + 1)
        return decoded

    def _add(self, decoded: dict[str, Any], name: str, container: str, kind: str, value: WireValue, depth: int) -> None:
        if container == "inline":
            decoded.update(self._message(_bytes(value), kind, depth))
        elif container == "list":
            decoded.setdefault(name, []).append(self._value(kind, value, depth))
        elif container == "map":
            entry = dict(_wire_fields(_bytes(value)))
            item = self._value(kind, entry[2], depth) if 2 in entry else _zero(kind)
            decoded.setdefault(name, {})[_text(entry.get(1, b""))] = item
        else:
            item = self._value(kind, value, depth)
            if item is not None and (container == "pointer" or item not in ("", 0, False, {})):
                decoded[name] = item

    def _value(self, kind: str, value: WireValue, depth: int) -> Any:
        if kind in _SCALAR:
            return _SCALAR[kind](value)
        if kind in SPECIAL_MESSAGES:
            return SPECIAL_MESSAGES[kind](dict(_wire_fields(_bytes(value))))
        return self._message(_bytes(value), kind, depth)


def _spelled(text: str) -> tuple[str, str, str]:
    name, _, rest = text.partition(" ")
    container, _, kind = rest.rpartition(" ")
    return name, container or "inline", kind


def _zero(kind: str) -> Any:
    return "" if kind in ("string", "bytes", f"{_MACHINERY}.api.resource.Quantity") else {}


def _wire_fields(raw: bytes) -> Iterator[tuple[int, WireValue]]:
    """Numbers and values in their order: integers, or bytes for longer values."""
    place = 0
    while place < len(raw):
        tag, place = _varint(raw, place)
        number, wire = tag >> 3, tag & 7
        size = {1: 8, 5: 4}.get(wire, 0)
        if wire == 0:
            value, place = _varint(raw, place)
            yield number, value
            continue
        if wire == 2:
            size, place = _varint(raw, place)
        elif not size:
            raise MalformedMessage(f"proto: illegal wireType {wire}")
        if place + size > len(raw):
            raise MalformedMessage("unexpected EOF")
        yield number, raw[place : place + size]
        place += size


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(raw):
            raise MalformedMessage("unexpected EOF")
        byte = raw[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise MalformedMessage("proto: integer overflow")


def _bytes(value: WireValue) -> bytes:
    if isinstance(value, int):
        raise MalformedMessage("proto: wrong wireType = 0 for a field of bytes")
    return value


def _text(value: WireValue) -> str:
    return _bytes(value).decode(errors="replace")


def _integer(value: WireValue) -> int:
    if not isinstance(value, int):
        raise MalformedMessage("proto: wrong wireType = 2 for a field of integers")
    return value - (1 << 64) if value >> 63 else value


def _double(value: WireValue) -> float:
    if not isinstance(value, bytes) or len(value) != 8:
        raise MalformedMessage("proto: wrong wireType for a field of doubles")
    return float(struct.unpack("<d", value)[0])


_SCALAR: Mapping[str, Callable[[WireValue], Any]] = MappingProxyType(
    {
        "string": _text,
        "bytes": lambda value: base64.b64encode(_bytes(value)).decode(),
        "bool": lambda value: bool(_integer(value)),
        "int32": _integer,
        "int64": _integer,
        "double": _double,
    }
)


def _time(fields: dict[int, WireValue], form: str = "seconds") -> str | None:
    """RFC 3339; None for Go's zero time."""
    seconds, nanos = _integer(fields.get(1, 0)), _integer(fields.get(2, 0))
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise MalformedMessage("proto: a time out of range") from None
    return moment.replace(tzinfo=None).isoformat(timespec=form) + "Z" if fields else None


def _int_or_string(fields: dict[int, WireValue]) -> int | str:
    return _text(fields.get(3, b"")) if fields.get(1) else _integer(fields.get(2, 0))


SPECIAL_MESSAGES: Mapping[str, Callable[[dict[int, WireValue]], Any]] = MappingProxyType(
    {
        f"{_MACHINERY}.apis.meta.v1.Time": _time,
        f"{_MACHINERY}.apis.meta.v1.MicroTime": lambda fields: _time(fields, "microseconds"),
        f"{_MACHINERY}.apis.meta.v1.FieldsV1": lambda _: None,
        f"{_MACHINERY}.api.resource.Quantity": lambda fields: _text(fields.get(1, b"")),
        f"{_MACHINERY}.util.intstr.IntOrString": _int_or_string,
    }
)
"""Messages whose JSON is not an object."""
