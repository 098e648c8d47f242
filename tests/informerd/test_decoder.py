"""From an object's JSON to its projection."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from informerd.decoder import Decoder, TransformFailed
from informerd.errors import UnexpectedObject
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.scripted import pod


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()


class Strict(Object, frozen=True):
    needed: int


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


def test_an_object_that_lacks_a_required_field_is_a_typed_error_that_says_where() -> None:
    with pytest.raises(UnexpectedObject, match=r"Strict does not fit an object: .*`needed`"):
        Decoder(PODS, Strict).decode(encoded(pod("a", "1")))


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


@pytest.mark.parametrize(
    ("item", "filled"),
    [
        (b'{"metadata":{"name":"a"}}', b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}'),
        (b"{ }", b'{"kind":"Pod","apiVersion":"v1" }'),
        (b'{"apiVersion":"v1","kind":"Pod"}', b'{"apiVersion":"v1","kind":"Pod"}'),
        (b'{"metadata":{},"kind":"Other"}', b'{"metadata":{},"kind":"Other"}'),
    ],
)
def test_items_of_lists_get_kind_and_api_version_where_they_lack_them(item: bytes, filled: bytes) -> None:
    assert bytes(Decoder(PODS, Pod).fill(item)) == filled
