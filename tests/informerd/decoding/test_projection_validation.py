"""Tests of projection classes; a wrong class is refused when the informer is made."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from informerd.cache.list_watch import ListWatch
from informerd.decoding.projection_validation import check_projection
from informerd.errors import InformerdError, UnusableProjection
from informerd.objects import Object, ObjectMeta
from informerd.resource import PODS
from tests.support.clock import FakeClock
from tests.support.scripted_api_server import ScriptedServer


class Spec(msgspec.Struct, frozen=True):
    name: str
    size: int = 0


class Fine(Object, frozen=True):
    spec: Spec | None = None
    specs: tuple[Spec, ...] = ()


class Meta(ObjectMeta, frozen=True, rename="camel"):
    generate_name: str = ""


class OwnMeta(Object, frozen=True):
    metadata: Meta = Meta()


class Required(Object, frozen=True, kw_only=True):
    size: int = 0
    spec: Spec


class Changeable(Object, frozen=False):  # type: ignore[misc]
    pass


class Array(Object, frozen=True, array_like=True):
    pass


class Closed(Object, frozen=True, forbid_unknown_fields=True):
    pass


class Tagged(Object, frozen=True, tag=True):
    pass


class Renamed(Object, frozen=True):
    api_version: str = msgspec.field(default="", name="version")


class NoMeta(Object, frozen=True):
    metadata: dict[str, str] = {}  # type: ignore[assignment]


class Union(Object, frozen=True):
    spec: Spec | ObjectMeta | None = None


class Unknown(Object, frozen=True):
    spec: Nonsense | None = None  # type: ignore[name-defined]  # noqa: F821


class NoObject(msgspec.Struct):
    pass


@pytest.mark.parametrize("projection", [Object, Fine, OwnMeta])
def test_a_frozen_struct_whose_fields_have_defaults_is_a_projection(projection: type) -> None:
    check_projection(projection)


@pytest.mark.parametrize(
    ("projection", "field", "message"),
    [
        (NoObject, "", "NoObject is not a projection: it does not extend informerd's Object"),
        (dict, "", "dict is not a projection: it does not extend informerd's Object"),
        (
            Required,
            "spec",
            "Required is not a projection: the field 'spec' needs a default, because the API server leaves",
        ),
        (Changeable, "", "its objects could be changed, although all readers of a store share them: keep frozen=True"),
        (Array, "", "objects are not arrays"),
        (Closed, "", "leave out forbid_unknown_fields"),
        (Tagged, "", "no object has a tag"),
        (Renamed, "api_version", "the field 'api_version' is 'apiVersion' in JSON, not 'version'"),
        (NoMeta, "metadata", "the field 'metadata' must be an ObjectMeta"),
        (Union, "", "union contains multiple Struct types"),
        (Unknown, "", "name 'Nonsense' is not defined"),
    ],
)
def test_what_no_object_can_become_is_an_error_that_names_the_field(projection: Any, field: str, message: str) -> None:
    with pytest.raises(UnusableProjection) as raised:
        check_projection(projection)
    assert message in str(raised.value)
    assert (raised.value.projection, raised.value.field) == (projection.__name__, field)
    assert isinstance(raised.value, InformerdError)


async def test_it_is_told_when_the_list_and_watch_is_made(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client:
        with pytest.raises(UnusableProjection, match="Required is not a projection: the field 'spec'"):
            ListWatch(client, PODS, projection=Required)
    assert server.waiting == 0
