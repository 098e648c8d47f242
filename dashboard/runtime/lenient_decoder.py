"""Decoder of messages that takes those of newer versions: a fixed value that it does not know becomes a known one.

Only fields with a few fixed values (Literal) are meant. Anything else that does not fit is an error.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
from msgspec import inspect

T = TypeVar("T")

REPLACEMENTS = ("unknown", "stale", "modified", "idle", "")
"""What an unknown word becomes: the first of these that its field may have. It is the most careful one."""
EXPLAINING_FIELDS = ("problem", "words")
"""Fields of the same struct that then say the word, where it has one of them."""


class LenientDecoder(Generic[T]):
    """Decodes msgpack. Raises msgspec.DecodeError; of a message that is known throughout it costs what msgspec does."""

    def __init__(self, wanted: type[T]) -> None:
        self._wanted = wanted
        self._decoder = msgspec.msgpack.Decoder(wanted)
        self._type = inspect.type_info(wanted)

    def decode(self, data: bytes) -> T:
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError:
            return msgspec.convert(_known(msgspec.msgpack.decode(data), self._type), self._wanted)


def _known(value: Any, wanted: inspect.Type) -> Any:
    match wanted:
        case inspect.StructType() if isinstance(value, list):
            return _known_struct(value, wanted)
        case inspect.VarTupleType() | inspect.ListType() if isinstance(value, list):
            return [_known(each, wanted.item_type) for each in value]
        case inspect.TupleType() if isinstance(value, list):
            known = [_known(each, item) for each, item in zip(value, wanted.item_types, strict=False)]
            return known + value[len(known) :]
        case inspect.DictType() if isinstance(value, dict):
            return {key: _known(each, wanted.value_type) for key, each in value.items()}
        case inspect.UnionType() if value is not None:
            others = [each for each in wanted.types if not isinstance(each, inspect.NoneType)]
            return _known(value, others[0]) if len(others) == 1 else value
        case inspect.LiteralType() if isinstance(value, str) and value not in wanted.values:
            return next((each for each in REPLACEMENTS if each in wanted.values), value)
    return value


def _known_struct(values: list[Any], wanted: inspect.StructType) -> list[Any]:
    known = [_known(value, field.type) for value, field in zip(values, wanted.fields, strict=False)]
    unknown = [
        value
        for value, now, field in zip(values, known, wanted.fields, strict=False)
        if isinstance(field.type, inspect.LiteralType) and value != now and now != "idle"
    ]
    names = [field.name for field in wanted.fields]
    place = next((names.index(name) for name in EXPLAINING_FIELDS if name in names), len(known))
    if unknown and place < len(known):
        said = f"“{unknown[0]}”, which this version does not know"
        known[place] = f"{known[place]} ({said})" if known[place] else said
    return known + values[len(known) :]
