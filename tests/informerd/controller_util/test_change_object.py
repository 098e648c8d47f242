"""Tests of change_object: concurrent changes survive, and a change without effect sends nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from kubernetes.aio.client.models import V1ConfigMap

from informerd.clients.typed_client import TypedClient
from informerd.controller_util.change_object import change_object
from informerd.errors import Conflict, InvalidCall, NotFound, ObjectReplaced
from informerd.objects import Object
from informerd.unstructured import Json
from tests.informerd.controller_util.conftest import CONFIG_MAPS, Place


def paint(colour: str) -> Any:
    def change(manifest: Json) -> None:
        manifest.setdefault("data", {})["colour"] = colour

    return change


async def test_a_change_is_written(place: Place) -> None:
    shapes = await place.map(form="round")
    changed = await change_object(place.maps, shapes, paint("red"))
    assert changed["data"] == {"form": "round", "colour": "red"}
    assert (await place.maps.get("shapes"))["data"] == changed["data"]


async def test_what_changes_nothing_is_not_sent(place: Place) -> None:
    shapes = await place.map(colour="red")
    assert await change_object(place.maps, shapes, paint("red")) is shapes


async def test_a_change_of_something_old_is_laid_over_what_others_wrote_since(place: Place) -> None:
    old = await place.map(form="round")
    await place.maps.patch("shapes", {"data": {"form": "square", "size": "3"}})
    changed = await change_object(place.maps, old, paint("red"))
    assert changed["data"] == {"form": "square", "size": "3", "colour": "red"}


async def test_ten_who_count_at_once_count_to_ten(place: Place) -> None:
    counter = await place.map(count="0")

    def count(manifest: Json) -> None:
        manifest["data"]["count"] = str(int(manifest["data"]["count"]) + 1)

    results = await asyncio.gather(
        *(change_object(place.maps, counter, count) for _ in range(10)), return_exceptions=True
    )
    refused = [each for each in results if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [Conflict] * len(refused)
    assert int((await place.maps.get("shapes"))["data"]["count"]) == 10 - len(refused) >= 5


async def test_another_object_of_the_same_name_is_left_alone(place: Place) -> None:
    old = await place.map()
    await place.maps.delete("shapes")
    new = await place.map()
    with pytest.raises(ObjectReplaced, match="was deleted and created again"):
        await change_object(place.maps, old, paint("red"))
    assert await place.maps.get("shapes") == new


async def test_what_is_gone_cannot_be_changed(place: Place) -> None:
    old = await place.map()
    await place.maps.delete("shapes")
    with pytest.raises(NotFound):
        await change_object(place.maps, old, paint("red"))


async def test_the_status_goes_to_its_subresource(place: Place) -> None:
    demo = await place.demo()
    changed = await change_object(
        place.demos, demo, lambda m: m.update(status={"observedGeneration": 1, "phase": "Ready"})
    )
    assert changed["status"]["phase"] == "Ready"
    assert changed["metadata"]["generation"] == 1


async def test_spec_and_status_are_written_both(place: Place) -> None:
    demo = await place.demo()

    def change(manifest: Json) -> None:
        manifest["spec"]["port"] = 81
        manifest["status"] = {"observedGeneration": 2, "phase": "Ready"}

    changed = await change_object(place.demos, demo, change)
    assert (changed["spec"]["port"], changed["status"]["phase"]) == (81, "Ready")


async def test_what_is_taken_away_is_gone(place: Place) -> None:
    shapes = await place.map(form="round", colour="red")
    changed = await change_object(place.maps, shapes, lambda m: m["data"].pop("form"))
    assert changed["data"] == {"colour": "red"}


class ConfigMap(Object, frozen=True, kw_only=True):
    data: dict[str, str] = {}


async def test_typed_objects_are_changed_alike_and_come_back_typed(place: Place) -> None:
    await place.map(form="round")
    typed = TypedClient(place.client)
    projections = typed.resource(CONFIG_MAPS, ConfigMap, place.namespace)
    changed = await change_object(projections, await projections.get("shapes"), paint("red"))
    assert changed.data == {"form": "round", "colour": "red"}
    models = typed.resource(CONFIG_MAPS, V1ConfigMap, place.namespace)
    model = await change_object(models, await models.get("shapes"), paint("blue"))
    assert model.data == {"form": "round", "colour": "blue"}


@pytest.mark.parametrize("field", ["name", "namespace", "uid", "resourceVersion"])
async def test_a_change_that_means_another_object_is_refused(place: Place, field: str) -> None:
    shapes = await place.map()
    with pytest.raises(InvalidCall, match=rf"may not touch metadata\.{field}"):
        await change_object(place.maps, shapes, lambda m: m["metadata"].update({field: "other"}))


async def test_a_change_that_would_have_to_be_awaited_is_refused(place: Place) -> None:
    async def change(manifest: Json) -> None:
        manifest["data"] = {"colour": "red"}

    shapes = await place.map()
    with pytest.raises(InvalidCall, match="plain function"):
        await change_object(place.maps, shapes, change)
