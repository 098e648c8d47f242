"""Shard of a worker, one of several equal parts of the namespaces, and the reader of DELTABOARD_SHARD."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from informerd.objects import ObjectMeta
from informerd.selectors.shard_selector import ShardSelector

MAX_SHARDS = 64
_SHARD = re.compile(r"(any|[1-9][0-9]?)/([1-9][0-9]?)")


class Shard(msgspec.Struct, frozen=True, array_like=True, order=True):
    """Shard `number`, from 1 on, of `count`. Together they have each namespace once.

    Which namespaces are in it depends on their names' hashes alone, as the API server has them (KEP-5866). What belongs
    to no namespace is in one shard, too.
    """

    number: int = 1
    count: int = 1

    @property
    def is_any(self) -> bool:
        """Whether it stands for one of the shards, which a worker takes by a Lease."""
        return self.number == 0

    @property
    def is_valid(self) -> bool:
        """Whether there is such a shard."""
        return 1 <= self.number <= self.count <= MAX_SHARDS

    @property
    def selector(self) -> ShardSelector:
        """Selects its objects; everything where it is the only one."""
        return _selector(self.number, self.count)

    def includes(self, namespace: str) -> bool:
        """Whether the objects of a namespace are in it; of the empty one: those that belong to no namespace."""
        return self.selector.matches(ObjectMeta(namespace=namespace))

    def __str__(self) -> str:
        return f"{self.number or 'any'}/{self.count}"


@lru_cache(maxsize=1_000)
def _selector(number: int, count: int) -> ShardSelector:
    return ShardSelector.of(number, count, "namespace")


WHOLE = Shard()
"""All namespaces, where they are not divided."""


def read_shard(value: str) -> Shard:
    """The shard of ``1/3`` or ``any/3``; WHOLE where the value is empty. Raises ValueError for what is no shard."""
    if not value.strip():
        return WHOLE
    found = _SHARD.fullmatch(value.strip())
    shard = Shard(int(found[1].replace("any", "0")), int(found[2])) if found else None
    if shard is None or not (shard.is_valid or (shard.is_any and 1 < shard.count <= MAX_SHARDS)):
        raise ValueError(
            f"{value!r} is no shard. Write 1/3 for the first of three, or any/3 for one that is free; there are "
            f"{MAX_SHARDS} at most"
        )
    return shard
