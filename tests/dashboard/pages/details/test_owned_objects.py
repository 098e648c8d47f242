"""Tests of the objects of one owner: the first of them, and how many there are."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Tone
from dashboard.pages.details.owned_objects import Member, OwnedObjects
from tests.support.live.replica_feeder import pod

TONES: tuple[Tone, ...] = ("bad", "warn", "busy", "ok", "idle")
KEYS = ("pods", "replicasets.apps", "jobs.batch")
members = st.builds(
    lambda key, name, tone: (KINDS[key], pod(name, uid=f"{key}-{name}", tone=tone)),
    st.sampled_from(KEYS),
    st.sampled_from("abcdefgh"),
    st.sampled_from(TONES),
)


@given(st.lists(members, max_size=40), st.sets(st.sampled_from(KEYS)), st.sets(st.sampled_from("abcdefgh")))
def test_the_first_are_the_unhealthiest_of_those_that_are_there(
    changes: list[Member], kinds: set[str], names: set[str]
) -> None:
    owned, there = OwnedObjects(), dict[str, Member]()
    for member in changes:  # an object that is there already is removed, then added as it is now
        uid = member[1].uid
        if there.pop(uid, None) is not None:
            owned.remove(uid)
        if member[1].tone != "idle":
            owned.add(member)
            there[uid] = member
    without = {f"{key}-{name}" for key in KEYS for name in names}
    expected = [each for uid, each in there.items() if each[0].key in kinds and uid not in without]
    expected.sort(key=lambda each: (TONES.index(each[1].tone), each[0].key, each[1].name))
    assert owned.first(3, kinds, without) == expected[:3]
    assert owned.count(kinds, without) == len(expected)
    assert set(owned.uids) == set(there)
    assert len(owned) == len(there)
    assert all(uid in owned for uid in there)


def test_an_object_that_is_added_again_is_as_it_is_now() -> None:
    owned, row = OwnedObjects(), pod("a", uid="a")
    owned.add((KINDS["pods"], row))
    owned.remove("a")
    assert (len(owned), owned.first(1, {"pods"}, ())) == (0, [])
    owned.add((KINDS["pods"], msgspec.structs.replace(row, tone="bad")))
    assert [each[1].tone for each in owned.first(1, {"pods"}, ())] == ["bad"]
