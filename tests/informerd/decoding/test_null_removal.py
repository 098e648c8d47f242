"""Tests of null in JSON that is decoded into a projection: it is absent, as in Go."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from informerd.decoding.decoder import Decoder
from informerd.objects import Object, ObjectMeta
from informerd.resource import Resource

SLICES = Resource(group="discovery.k8s.io", version="v1", plural="endpointslices", kind="EndpointSlice")


class Port(msgspec.Struct, frozen=True):
    name: str = "default"
    port: int = 0


class Endpoint(msgspec.Struct, frozen=True, rename="camel"):
    addresses: tuple[str, ...] = ()
    node_name: str | None = "unset"


class Slice(Object, frozen=True):
    address_type: str = ""
    endpoints: tuple[Endpoint, ...] = ()
    ports: list[Port] = []
    counts: dict[str, int] = {}
    anything: Any = None
    either: Port | None = None


def decoded(**fields: Any) -> Slice:
    whole = {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1", "metadata": {"name": "a"}, **fields}
    decoder = Decoder(SLICES, Slice)
    obj = decoder.decode(msgspec.json.encode(whole))
    assert obj.full() == whole, "the whole object is as it came"
    assert decoder.errors.counts.total() == 0
    return obj


def test_a_null_field_leaves_the_others_as_they_are() -> None:
    obj = decoded(addressType="IPv4", endpoints=None, ports=[{"name": "http", "port": 80}])
    assert (obj.address_type, obj.endpoints, obj.ports) == ("IPv4", (), [Port("http", 80)])


def test_null_is_absent_at_every_depth() -> None:
    obj = decoded(
        addressType="IPv4",
        ports=[{"name": None, "port": 80}, None],
        endpoints=[{"addresses": None, "nodeName": None}, {"addresses": ["a", None]}],
        counts={"a": None, "b": 2},
        either={"name": None, "port": 1},
    )
    assert obj.ports == [Port("default", 80), Port()]
    assert obj.endpoints == (Endpoint((), None), Endpoint(("a", "")))
    assert obj.counts == {"a": 0, "b": 2}
    assert obj.either == Port("default", 1)


def test_null_stays_where_the_type_has_it() -> None:
    obj = decoded(endpoints=None, anything={"a": [None]})
    assert obj.anything == {"a": [None]}


@pytest.mark.parametrize(
    "nulls",
    [
        {"labels": None, "annotations": None, "finalizers": None, "ownerReferences": None},
        {"namespace": None, "generation": None, "creationTimestamp": None, "uid": None, "managedFields": None},
    ],
)
def test_null_in_metadata_is_absent_too(nulls: dict[str, Any]) -> None:
    obj = decoded(metadata={"name": "a", "resourceVersion": "5", **nulls}, addressType="IPv6")
    assert obj.metadata == ObjectMeta(name="a", resource_version="5")
    assert obj.address_type == "IPv6"


def test_null_in_the_metadata_of_a_lists_item_is_absent() -> None:
    raw = b'{"metadata":{"name":"a","finalizers":null},"addressType":"IPv6","endpoints":null}'
    obj = Decoder(SLICES, Slice).decode_item(memoryview(raw))
    assert (obj.key, obj.kind, obj.address_type) == ("a", "EndpointSlice", "IPv6")


def test_beside_a_null_what_does_not_fit_is_still_told() -> None:
    decoder = Decoder(SLICES, Slice)
    whole = {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1", "metadata": {"name": "a"}, "ports": 7}
    assert decoder.decode(msgspec.json.encode({**whole, "endpoints": None})).key == "a"
    assert decoder.errors.counts["unfit"] == 1
