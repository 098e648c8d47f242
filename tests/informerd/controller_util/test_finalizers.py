"""Tests of finalizers, which are added and removed next to others', and never on another object."""

from __future__ import annotations

import pytest

from informerd.controller_util.finalizers import add_finalizer, has_finalizer, remove_finalizer
from informerd.errors import BeingDeleted, NotFound, ObjectReplaced
from tests.informerd.controller_util.conftest import Place

OURS = "tests.example.org/ours"
THEIRS = "tests.example.org/theirs"


async def test_an_object_with_a_finalizer_waits_for_it_to_be_removed(place: Place) -> None:
    held = await add_finalizer(place.maps, await place.map(), OURS)
    assert has_finalizer(held, OURS)
    await place.maps.delete("shapes")
    going = await place.maps.get("shapes")
    assert going["metadata"]["deletionTimestamp"]
    assert await remove_finalizer(place.maps, going, OURS) is not None
    with pytest.raises(NotFound):
        await place.maps.get("shapes")


async def test_a_finalizer_is_added_once(place: Place) -> None:
    held = await add_finalizer(place.maps, await place.map(), OURS)
    assert await add_finalizer(place.maps, held, OURS) is held


async def test_finalizers_that_others_added_meanwhile_stay(place: Place) -> None:
    old = await place.map()
    await place.maps.patch("shapes", {"metadata": {"finalizers": [THEIRS]}})
    held = await add_finalizer(place.maps, old, OURS)
    assert held["metadata"]["finalizers"] == [THEIRS, OURS]
    stale = {**held, "metadata": {**held["metadata"], "resourceVersion": old["metadata"]["resourceVersion"]}}
    released = await remove_finalizer(place.maps, stale, OURS)
    assert released is not None
    assert released["metadata"]["finalizers"] == [THEIRS]


async def test_an_object_on_its_way_out_takes_no_finalizer(place: Place) -> None:
    await add_finalizer(place.maps, await place.map(), THEIRS)
    await place.maps.delete("shapes")
    with pytest.raises(BeingDeleted, match=r"shapes is being deleted: the finalizer \S+ can no longer be added"):
        await add_finalizer(place.maps, await place.maps.get("shapes"), OURS)


async def test_a_finalizer_of_what_is_gone_is_gone(place: Place) -> None:
    old = await place.map()
    await place.maps.delete("shapes")
    assert (
        await remove_finalizer(place.maps, {**old, "metadata": {**old["metadata"], "finalizers": [OURS]}}, OURS) is None
    )
    with pytest.raises(NotFound):
        await add_finalizer(place.maps, old, OURS)


async def test_another_object_of_the_same_name_keeps_its_finalizers(place: Place) -> None:
    old = await place.map()
    await place.maps.delete("shapes")
    await add_finalizer(place.maps, await place.map(), OURS)
    mine = {**old, "metadata": {**old["metadata"], "finalizers": [OURS]}}
    assert await remove_finalizer(place.maps, mine, OURS) is None
    assert has_finalizer(await place.maps.get("shapes"), OURS)
    with pytest.raises(ObjectReplaced):
        await add_finalizer(place.maps, old, THEIRS)
