"""Tests of adoption: the cases of controller_ref_manager_test.go, on API servers."""

from __future__ import annotations

import pytest

from informerd.controller_util.adoption import ControllerRefManager, adopt, release
from informerd.controller_util.finalizers import add_finalizer
from informerd.controller_util.owner_references import (
    is_controlled_by,
    owners_of,
    set_controller_reference,
    set_owner_reference,
)
from informerd.errors import AlreadyOwned, BeingDeleted, NotFound, ObjectReplaced
from informerd.unstructured import Json
from tests.informerd.controller_util.conftest import Place


async def labelled(place: Place, name: str, app: str = "web", owner: Json | None = None) -> Json:
    meta: Json = {"name": name, "namespace": place.namespace, "labels": {"app": app}}
    manifest: Json = {"metadata": meta}
    if owner is not None:
        set_controller_reference(owner, manifest)
    return await place.maps.create(manifest)


def manager(place: Place, owner: Json) -> ControllerRefManager[Json]:
    return ControllerRefManager(place.maps, owner, place.demos, "app=web")


async def names_claimed(place: Place, owner: Json) -> list[str]:
    objects = await place.maps.list(label_selector="app")
    return [each["metadata"]["name"] for each in await manager(place, owner).claim(objects)]


async def test_its_own_and_orphans_that_fit_are_claimed_and_others_objects_left_alone(place: Place) -> None:
    mine, other = await place.demo("mine"), await place.demo("other")
    await labelled(place, "own", owner=mine)
    await labelled(place, "orphan")
    await labelled(place, "unfit", app="db")
    await labelled(place, "taken", owner=other)
    assert await names_claimed(place, mine) == ["orphan", "own"]
    assert is_controlled_by(await place.maps.get("orphan"), mine)
    assert is_controlled_by(await place.maps.get("taken"), other)
    assert owners_of(await place.maps.get("unfit")) == []


async def test_its_own_that_does_not_fit_any_more_is_released_and_keeps_its_other_owners(place: Place) -> None:
    mine, other = await place.demo("mine"), await place.demo("other")
    unfit: Json = {"metadata": {"name": "unfit", "namespace": place.namespace, "labels": {"app": "db"}}}
    set_owner_reference(other, unfit)
    set_controller_reference(mine, unfit)
    await place.maps.create(unfit)
    assert await names_claimed(place, mine) == []
    assert [each["name"] for each in owners_of(await place.maps.get("unfit"))] == ["other"]


async def test_an_owner_that_is_being_deleted_takes_in_and_lets_go_nothing(place: Place) -> None:
    mine = await add_finalizer(place.demos, await place.demo("mine"), "tests.example.org/wait")
    await labelled(place, "own", owner=mine)
    await labelled(place, "unfit", app="db", owner=mine)
    await labelled(place, "orphan")
    await place.demos.delete("mine")
    assert await names_claimed(place, await place.demos.get("mine")) == ["own"]
    assert is_controlled_by(await place.maps.get("unfit"), mine)
    assert owners_of(await place.maps.get("orphan")) == []
    with pytest.raises(BeingDeleted, match="it cannot adopt more objects"):  # the cache has not heard of it yet
        await names_claimed(place, mine)
    assert owners_of(await place.maps.get("orphan")) == []
    await place.demos.patch("mine", {"metadata": {"finalizers": None}})


async def test_an_owner_that_was_deleted_and_created_anew_is_found_out_by_its_uid(place: Place) -> None:
    old = await place.demo("mine")
    await place.demos.delete("mine")
    orphan = await labelled(place, "orphan")
    with pytest.raises(NotFound):
        await adopt(place.maps, orphan, old, place.demos)
    await place.demo("mine")
    with pytest.raises(ObjectReplaced):
        await adopt(place.maps, orphan, old, place.demos)
    assert owners_of(await place.maps.get("orphan")) == []


async def test_an_orphan_that_somebody_else_took_meanwhile_is_theirs(place: Place) -> None:
    mine, other = await place.demo("mine"), await place.demo("other")
    orphan = await labelled(place, "orphan")
    await adopt(place.maps, orphan, other, place.demos)
    with pytest.raises(AlreadyOwned):
        await adopt(place.maps, orphan, mine, place.demos)
    assert is_controlled_by(await place.maps.get("orphan"), other)


async def test_an_orphan_that_is_gone_or_another_by_now_is_left_out(place: Place) -> None:
    mine = await place.demo("mine")
    orphan = await labelled(place, "orphan")
    await place.maps.delete("orphan")
    assert await manager(place, mine).claim([orphan]) == []
    await labelled(place, "orphan")
    assert await manager(place, mine).claim([orphan]) == []
    assert owners_of(await place.maps.get("orphan")) == []


async def test_an_orphan_on_its_way_out_is_not_taken_in(place: Place) -> None:
    mine = await place.demo("mine")
    orphan = await add_finalizer(place.maps, await labelled(place, "orphan"), "tests.example.org/wait")
    await place.maps.delete("orphan")
    assert await names_claimed(place, mine) == []
    with pytest.raises(BeingDeleted):
        await adopt(place.maps, orphan, mine, place.demos)


async def test_what_is_released_twice_or_gone_is_no_error(place: Place) -> None:
    mine = await place.demo("mine")
    own = await labelled(place, "own", owner=mine)
    released = await release(place.maps, own, mine)
    assert released is not None
    assert owners_of(released) == []
    assert await release(place.maps, released, mine) == released
    await place.maps.delete("own")
    assert await release(place.maps, own, mine) is None
