"""Tests of compressed versions: what was packed is read back, and what was damaged is told."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.history.version_codec import DamagedVersion, Template, pack, unpack, unpack_next

TEXTS = st.lists(st.binary(max_size=300), min_size=1, max_size=12)


def pods(number: int) -> list[bytes]:
    """Versions of a pod whose counter goes up."""
    made = random.Random(1)
    annotations = {f"key-{place}": f"{made.getrandbits(128):x}" for place in range(40)}
    return [
        json.dumps({"metadata": {"name": "web", "annotations": annotations}, "status": {"restarts": count}}).encode()
        for count in range(number)
    ]


def packed(versions: list[bytes]) -> list[bytes]:
    return [pack(versions[0]), *(pack(after, before) for before, after in itertools.pairwise(versions))]


@given(TEXTS)
def test_each_version_is_read_back_as_it_was(versions: list[bytes]) -> None:
    parts = packed(versions)
    assert [unpack(parts[: place + 1]) for place in range(len(parts))] == versions


@given(st.binary(max_size=300), TEXTS)
def test_a_template_packs_and_unpacks_as_the_version_before_does(before: bytes, versions: list[bytes]) -> None:
    template, other = Template(before), Template(before)
    for version in versions:
        part = template.pack(version)
        assert part == pack(version, before)
        assert other.unpack(part) == unpack_next(part, before) == version
        assert unpack([part, pack(b"later", version)], other) == b"later"


def test_what_is_no_version_of_a_template_is_told() -> None:
    full = Template(pods(1)[0])
    for part in (b"", b"\x00", full.pack(pods(2)[1])[:-1]):
        with pytest.raises(DamagedVersion):
            full.unpack(part)
    assert full.unpack(full.pack(b"still read")) == b"still read"


def test_a_difference_takes_a_fraction_of_the_version() -> None:
    full, *differences = packed(pods(5))
    assert len(full) > 800
    assert max(map(len, differences)) < 40


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_damaged_part_is_told_and_gives_no_wrong_version(place: int) -> None:
    versions, damage = pods(3), random.Random(place)
    for _ in range(300):
        parts = packed(versions)
        changed = bytearray(parts[place])
        changed[damage.randrange(len(changed))] ^= 1 << damage.randrange(8)
        parts[place] = bytes(changed)
        try:
            assert unpack(parts) == versions[-1]  # a bit that means nothing
        except DamagedVersion:
            continue


@pytest.mark.parametrize("parts", [[], [b""], [b"\x00"], [pack(b"x")[:-1]]])
def test_what_is_no_version_is_told(parts: list[bytes]) -> None:
    with pytest.raises(DamagedVersion):
        unpack(parts)


def test_a_difference_from_another_version_is_told() -> None:
    first, second, third = pods(3)
    with pytest.raises(DamagedVersion):
        unpack([pack(first), pack(third, second + b"more of it" * 100)])
