"""Tests of the shards of workers."""

from __future__ import annotations

import pytest

from dashboard.runtime.shard import MAX_SHARDS, WHOLE, Shard, read_shard


@pytest.mark.parametrize("count", [1, 2, 3, 7, MAX_SHARDS])
@pytest.mark.parametrize("namespace", ["", "default", "kube-system", "team-1", "ä"])
def test_each_namespace_is_in_one_shard(count: int, namespace: str) -> None:
    shards = [Shard(number, count) for number in range(1, count + 1)]
    assert [shard.includes(namespace) for shard in shards].count(True) == 1


def test_the_whole_selects_without_a_selector() -> None:
    assert not WHOLE.selector
    assert str(Shard(2, 3).selector) == (
        "shardRange(object.metadata.namespace, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')"
    )


@pytest.mark.parametrize(
    ("text", "shard"), [("", WHOLE), (" ", WHOLE), ("1/1", WHOLE), (" 2/3 ", Shard(2, 3)), ("any/3", Shard(0, 3))]
)
def test_a_shard_is_read(text: str, shard: Shard) -> None:
    assert read_shard(text) == shard


@pytest.mark.parametrize(
    "text", ["3", "0/3", "4/3", "1/0", "1/65", "-1/3", "1/3/3", "one", "1 / 3", "1/100", "any/1", "any/0", "any"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no shard"):
        read_shard(text)


@pytest.mark.parametrize(
    ("names", "divided"),
    [
        ([f"team-{number:02d}" for number in range(1, 100)], {0, 99}),
        ([f"team-{number}" for number in range(667)], {0, 90, 577}),
        ([f"tenant-{number:04d}" for number in range(2_000)], {600, 800}),
    ],
)
def test_numbered_names_are_divided_as_the_documentation_says(names: list[str], divided: set[int]) -> None:
    """docs/scale.md warns of it. The hash is the API server's own, which filters by it."""
    counts = [sum(map(Shard(number, 3).includes, names)) for number in (1, 2, 3)]
    assert (set(counts), sum(counts)) == (divided, len(names))
