"""Shard selectors of lists and watches (KEP-5866): each of several programs gets a part of the objects of a kind.

``shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`` selects half of them, by a hash of each
object's uid; namespaces are hashed likewise. The grammar and the hash, FNV-1a of 64 bits, are those of Kubernetes 1.36
and later with the feature gate ShardedListAndWatch. There the API server sends no others. Any other API server ignores
the selector and sends all: informers drop the others then.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, Self

import msgspec

from informerd.errors import InvalidCall, MalformedSelector
from informerd.objects import ObjectMeta

HASHES = 2**64
"""Number of hashes: the end of the last range."""
_FIRST, _PRIME = 0xCBF29CE484222325, 0x100000001B3
_EXAMPLE = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
_RANGE = re.compile(
    r"\s*shardRange\(\s*object\.metadata\.(?P<field>uid|namespace)\s*,"
    r"\s*(['\"])0x(?P<start>[0-9a-f]{16})\2\s*,\s*(['\"])0x(?P<end>[0-9a-f]{16}|10{16})\4\s*\)\s*"
)

ShardField = Literal["uid", "namespace"]


def shard_hash(value: str) -> int:
    """The hash of a uid or namespace: FNV-1a, 64 bits. It costs some 4 µs for a uid."""
    found = _FIRST
    for byte in value.encode():
        found = (found ^ byte) * _PRIME % HASHES
    return found


_namespace_hash = lru_cache(maxsize=20_000)(shard_hash)


class ShardRange(msgspec.Struct, frozen=True, order=True):
    """Objects whose field has a hash from `start` on and before `end`."""

    field: ShardField
    start: int
    end: int

    def __str__(self) -> str:
        return f"shardRange(object.metadata.{self.field}, '0x{self.start:016x}', '0x{self.end:016x}')"

    def matches(self, metadata: ObjectMeta) -> bool:
        """Whether an object is in the range."""
        found = shard_hash(metadata.uid) if self.field == "uid" else _namespace_hash(metadata.namespace)
        return self.start <= found < self.end


class ShardSelector(msgspec.Struct, frozen=True):
    """Ranges, of which an object must be in one; without any it matches everything.

    A value: it never changes, and equal selectors have the same text.
    """

    ranges: tuple[ShardRange, ...] = ()
    """Each once, sorted."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "ranges", tuple(sorted(set(self.ranges))))

    @classmethod
    def of(cls, number: int, count: int, field: ShardField = "uid") -> Self:
        """Shard `number`, from 1 on, of `count` shards, which are equally large and together have each object once.

        By "uid" the objects of a kind are spread evenly. By "namespace" those of a namespace stay together; but the
        hashes of names that differ in their last characters only are close together, so ``team-1`` to ``team-9`` are
        likely to be in one shard. Raises InvalidCall for a number that is none of these shards.
        """
        if not 1 <= number <= count:
            raise InvalidCall(f"of {count} shards the first is 1 and the last {count}: there is no shard {number}")
        bounds = ((number - 1) * HASHES // count, number * HASHES // count)
        return cls((ShardRange(field, *bounds),) if count > 1 else ())

    @classmethod
    def parse(cls, text: str) -> Self:
        """The selector of a text. Raises MalformedSelector with the position of the problem."""
        ranges, position = [], 0
        for part in text.split("||") if text.strip() else ():
            found = _RANGE.fullmatch(part)
            if found is None:
                raise MalformedSelector(text, f"expected a range such as {_EXAMPLE}", position=position)
            start, end = int(found["start"], 16), int(found["end"], 16)
            if start >= end:
                raise MalformedSelector(text, "the range ends before it begins", position=position)
            field: ShardField = "uid" if found["field"] == "uid" else "namespace"
            ranges.append(ShardRange(field, start, end))
            position += len(part) + 2
        return cls(tuple(ranges))

    def matches(self, metadata: ObjectMeta) -> bool:
        """Whether an object with these metadata is selected."""
        return not self.ranges or any(each.matches(metadata) for each in self.ranges)

    def __bool__(self) -> bool:
        """Whether it narrows anything."""
        return bool(self.ranges)

    def __str__(self) -> str:
        """Its text, the same for equal selectors; `parse` gives the same selector again."""
        return " || ".join(map(str, self.ranges))


def as_shard_selector(selector: str | ShardSelector) -> ShardSelector:
    """A selector that may be given as text. Raises MalformedSelector, also for what is neither."""
    if isinstance(selector, ShardSelector):
        return selector
    if not isinstance(selector, str):
        raise MalformedSelector(repr(selector), "a selector is text or a ShardSelector")
    return ShardSelector.parse(selector)
