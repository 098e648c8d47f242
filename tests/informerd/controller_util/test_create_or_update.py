"""Tests of create or update: an object reaches the wanted state, with any existing object and any other writer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from informerd.clients.resource_client import ResourceClient
from informerd.controller_util.create_or_update import create_or_update
from informerd.errors import Invalid, InvalidCall, NotFound
from informerd.unstructured import Json
from tests.informerd.controller_util.conftest import Place

SHAPES: Json = {"metadata": {"name": "shapes"}, "data": {"form": "round"}}


def shapes(place: Place) -> Json:
    return {**SHAPES, "metadata": {"name": "shapes", "namespace": place.namespace}}


def paint(manifest: Json) -> None:
    manifest.setdefault("data", {})["colour"] = "red"


async def test_it_says_what_had_to_be_done(place: Place) -> None:
    outcomes = [await create_or_update(place.maps, shapes(place), paint) for _ in range(2)]
    await place.maps.patch("shapes", {"data": {"colour": "blue", "size": "3"}})
    outcomes.append(await create_or_update(place.maps, shapes(place), paint))
    assert [each.outcome for each in outcomes] == ["created", "unchanged", "updated"]
    assert outcomes[0].object["data"] == {"form": "round", "colour": "red"}
    assert outcomes[2].object["data"] == {"form": "round", "colour": "red", "size": "3"}


async def test_the_manifest_stays_as_it_was(place: Place) -> None:
    manifest = shapes(place)
    await create_or_update(place.maps, manifest, paint)
    assert manifest["data"] == {"form": "round"}


async def test_a_status_is_written_at_the_creation_too(place: Place) -> None:
    demo: Json = {"metadata": {"name": "a", "namespace": place.namespace}, "spec": {"ip": "10.0.0.1", "port": 80}}

    def ready(manifest: Json) -> None:
        manifest["status"] = {"observedGeneration": 1, "phase": "Ready"}

    created = await create_or_update(place.demos, demo, ready)
    assert (created.outcome, created.object["status"]["phase"]) == ("created", "Ready")
    assert (await create_or_update(place.demos, demo, ready)).outcome == "unchanged"


async def test_many_at_once_create_it_once_and_each_finds_it_as_wanted(place: Place) -> None:
    written = await asyncio.gather(*(create_or_update(place.maps, shapes(place), paint) for _ in range(8)))
    outcomes = [each.outcome for each in written]
    assert outcomes.count("created") == 1
    assert {each.object["data"]["colour"] for each in written} == {"red"}
    assert len({each.object["metadata"]["uid"] for each in written}) == 1


class Rival(ResourceClient[Json]):
    """A client before which somebody else writes once, after it has read."""

    async def get(self, name: str, **options: Any) -> Json:
        try:
            read = await super().get(name, **options)
        except NotFound:
            await self._meddle(self.create({"metadata": {"name": name}, "data": {"size": "3"}}))
            raise
        await self._meddle(super().patch(name, {"data": {"size": "3"}}))
        return read

    def in_namespace(self, namespace: str) -> ResourceClient[Json]:
        return self

    async def _meddle(self, write: Coroutine[Any, Any, Json]) -> None:
        if hasattr(self, "meddled"):
            write.close()
        else:
            self.meddled = True
            await write


def rival(place: Place) -> Rival:
    maps = place.maps
    return Rival(place.client, maps._requested, maps._make_codec, place.namespace)


async def test_who_is_overtaken_while_changing_lays_the_change_over_what_is_there(place: Place) -> None:
    await place.maps.create(SHAPES)
    written = await create_or_update(rival(place), shapes(place), paint)
    assert written.outcome == "updated"
    assert written.object["data"] == {"form": "round", "size": "3", "colour": "red"}


async def test_who_is_overtaken_while_creating_changes_what_is_there(place: Place) -> None:
    written = await create_or_update(rival(place), shapes(place), paint)
    assert written.outcome == "updated"
    assert written.object["data"] == {"size": "3", "colour": "red"}


async def test_what_the_api_server_would_not_have_is_its_error(place: Place) -> None:
    with pytest.raises(Invalid):
        await create_or_update(place.demos, {"metadata": {"name": "b", "namespace": place.namespace}}, lambda m: None)


async def test_a_manifest_without_a_name_is_refused(place: Place) -> None:
    with pytest.raises(InvalidCall, match="needs a name"):
        await create_or_update(place.maps, {"metadata": {"generateName": "a-"}}, paint)


async def test_a_manifest_without_a_namespace_is_meant_for_the_clients(place: Place) -> None:
    seen: list[str] = []
    written = await create_or_update(
        place.maps, SHAPES, lambda manifest: seen.append(manifest["metadata"]["namespace"])
    )
    assert written.outcome == "created"
    assert [written.object["metadata"]["namespace"], *seen] == [place.namespace] * 2
    assert (await create_or_update(place.maps, SHAPES, paint)).outcome == "updated"


async def test_a_manifest_of_another_namespace_than_the_clients_is_refused(place: Place) -> None:
    elsewhere: Json = {"metadata": {"name": "shapes", "namespace": "default"}}
    with pytest.raises(
        InvalidCall, match=f"is not in the namespace {place.namespace} of this client: use another client"
    ):
        await create_or_update(place.maps, elsewhere, paint)
    anywhere = place.maps.in_namespace("")
    assert (await create_or_update(anywhere, shapes(place), paint)).outcome == "created"
