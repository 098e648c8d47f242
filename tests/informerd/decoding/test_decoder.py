"""Tests of decoding an object's JSON to its projection."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from informerd.decoding.decoder import Decoder, Transform, TransformFailed
from informerd.errors import UnexpectedObject
from informerd.objects import Object
from informerd.resource import PODS
from tests.support.scripted_api_server import pod


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()


class Whole(Object, frozen=True):
    spec: msgspec.Raw = msgspec.Raw()


def encoded(obj: Any) -> bytes:
    return msgspec.json.encode(obj)


def test_a_projection_holds_its_fields_and_the_whole_object_compressed() -> None:
    whole = pod("a", "1", managedFields=[{"manager": "kubectl"}])
    obj = Decoder(PODS, Pod).decode(encoded(whole))
    assert (obj.key, obj.spec.node_name) == ("default/a", "n1")
    assert obj.full() == whole
    assert not hasattr(obj.metadata, "managed_fields")


def test_a_field_that_does_not_fit_leaves_the_object_there_with_its_head(caplog: pytest.LogCaptureFixture) -> None:
    whole = pod("a", "1") | {"spec": {"nodeName": 7}}
    obj = Decoder(PODS, Pod).decode(encoded(whole))
    assert (obj.key, obj.metadata.resource_version, obj.spec) == ("default/a", "1", Spec())
    assert obj.full()["spec"] == {"nodeName": 7}
    assert "Pod does not fit pods default/a: Expected `str`, got `int` - at `$.spec.nodeName`" in caplog.text


def test_another_kind_is_a_typed_error_that_names_both() -> None:
    with pytest.raises(UnexpectedObject, match="expected v1 Pod, got v1 Node"):
        Decoder(PODS, Pod).decode(encoded(pod("a", "1") | {"kind": "Node"}))


def test_no_json_is_a_decode_error() -> None:
    with pytest.raises(msgspec.DecodeError):
        Decoder(PODS, Pod).decode(b'{"kind":"Pod"')


def test_a_transform_comes_before_projection_and_copy() -> None:
    obj = Decoder(PODS, Pod, lambda raw: raw.replace(b"n1", b"xx")).decode(encoded(pod("a", "1")))
    assert obj.spec.node_name == "xx"
    assert obj.full()["spec"] == {"nodeName": "xx"}


def test_a_failing_transform_says_which_object_and_version_and_keeps_nothing() -> None:
    with pytest.raises(TransformFailed, match="pods default/a") as raised:
        Decoder(PODS, Pod, lambda raw: bytes([raw[99999]])).decode(encoded(pod("a", "7")))
    assert raised.value.resource_version == "7"


@pytest.mark.parametrize("transform", [None, lambda raw: raw], ids=["plain", "transformed"])
@pytest.mark.parametrize(
    ("item", "filled"),
    [
        (b'{"metadata":{"name":"a"}}', b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}'),
        (b'{ "metadata":{"name":"a"}}', b'{"kind":"Pod","apiVersion":"v1", "metadata":{"name":"a"}}'),
        (
            b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
            b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
        ),
        (
            b'{"metadata":{"name":"a"},"spec":{"nodeName":7}}',
            b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":7}}',
        ),
    ],
)
def test_items_of_lists_get_kind_and_api_version_where_they_lack_them(
    item: bytes, filled: bytes, transform: Transform | None
) -> None:
    obj = Decoder(PODS, Pod, transform).decode_item(memoryview(item))
    assert (obj.kind, obj.api_version) == ("Pod", "v1")
    assert obj.blob is not None
    assert obj.blob.json() == filled


@pytest.mark.parametrize("transform", [None, lambda raw: raw], ids=["plain", "transformed"])
@pytest.mark.parametrize(
    "item",
    [
        b'{"kind":"Other"}',
        b'{"kind":7,"metadata":{"name":"a"}}',
        b'{"metadata":{"name":7}}',
        b"{ }",
        b'{"metadata":{}}',
    ],
)
def test_items_of_another_kind_or_without_a_readable_head_are_a_typed_error(
    item: bytes, transform: Transform | None
) -> None:
    with pytest.raises(UnexpectedObject):
        Decoder(PODS, Pod, transform).decode_item(memoryview(item))


@pytest.mark.parametrize("transform", [None, lambda raw: bytes([raw[99999]])], ids=["plain", "transformed"])
@pytest.mark.parametrize("item", [b'{"metadata":{"name":"a"', b'{"spec":{"nodeName":7}', b'{"metadata":{"name":7}'])
def test_an_item_that_is_cut_off_is_a_decode_error_whatever_else_is_wrong_with_it(
    item: bytes, transform: Transform | None
) -> None:
    with pytest.raises(msgspec.DecodeError):
        Decoder(PODS, Pod, transform).decode_item(memoryview(item))


def test_raw_fields_keep_no_more_than_their_object_alive() -> None:
    chunk = bytearray(encoded(pod("a", "1")) + b" " * 1000)
    obj = Decoder(PODS, Whole).decode(memoryview(chunk)[:-1000])
    chunk.clear()  # would raise BufferError if somebody held a view
    assert msgspec.json.decode(obj.spec) == {"nodeName": "n1"}


def test_names_that_repeat_are_one_string_for_all_objects() -> None:
    decoder = Decoder(PODS, Pod)
    one, two = (decoder.decode(encoded(pod(name, "1"))) for name in "ab")
    assert one.kind is two.kind
    assert one.api_version is two.api_version
    assert one.metadata.namespace is two.metadata.namespace


def test_what_one_owner_owns_shares_its_references_until_they_change() -> None:
    decoder = Decoder(PODS, Pod)

    def owned(name: str, *, controller: bool) -> Pod:
        owner = {"kind": "ReplicaSet", "name": "web", "uid": "u-1", "apiVersion": "apps/v1", "controller": controller}
        return decoder.decode(encoded(pod(name, "1", ownerReferences=[owner])))

    first, second, changed, third = (owned(name, controller=name != "c") for name in "abcd")
    assert first.metadata.owner_references is second.metadata.owner_references
    assert [each.metadata.owner_references[0].controller for each in (first, changed, third)] == [True, False, True]


@pytest.mark.parametrize("given", [b"", b"{", None, 5], ids=repr)
@pytest.mark.parametrize("item", [False, True], ids=["event", "item"])
def test_a_transform_that_gives_no_object_fails_on_that_object_alone(given: Any, item: bool) -> None:
    decoder = Decoder(PODS, Pod, lambda raw: given)
    raw = memoryview(encoded(pod("a", "7")))
    with pytest.raises(TransformFailed, match="pods default/a") as raised:
        decoder.decode_item(raw) if item else decoder.decode(raw)
    assert raised.value.resource_version == "7"
