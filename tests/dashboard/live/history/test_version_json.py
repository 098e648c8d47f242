"""Tests of versions as they are stored: without managedFields, and with no version for a heartbeat."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.history.version_json import (
    is_heartbeat,
    manager_of_second,
    scale_manager,
    split_version,
    version_json,
)
from informerd.objects import Blob

Change = Callable[[dict[str, Any]], object]


def node() -> dict[str, Any]:
    condition = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-29T00:00:00Z"}
    metadata = {
        "name": "node-1",
        "resourceVersion": "1",
        "annotations": {"control-plane.alpha.kubernetes.io/leader": "a"},
    }
    return {"metadata": metadata, "status": {"conditions": [condition]}}


def as_json(obj: object) -> bytes:
    return json.dumps(obj).encode()


def test_it_is_the_object_without_managed_fields_in_its_own_order() -> None:
    whole = (
        b'{"kind":"Pod","metadata":{"name":"a","managedFields":[{"x":"]}"}],"uid":"u"},"spec":{"b":1.50,"a":"\\u00e9"}}'
    )
    assert version_json(whole) == (b'{"kind":"Pod","metadata":{"name":"a","uid":"u"},"spec":{"b":1.50,"a":"\\u00e9"}}')


@pytest.mark.parametrize(
    ("whole", "stored"),
    [
        (b'{"metadata":{"managedFields":[1],"uid":"u"}}', b'{"metadata":{"uid":"u"}}'),
        (b'{"metadata":{"name":"a","managedFields":[1]},"x":1}', b'{"metadata":{"name":"a"},"x":1}'),
        (b'{"metadata":{"managedFields":null}}', b'{"metadata":{}}'),
        (b'{ "metadata" : { "managedFields" : [1] , "uid" : "u" } }', b'{"metadata":{"uid":"u"}}'),
        (b'{"a":{"managedFields":[1],"b":2},"metadata":{"managedFields":[1],"uid":"u"}}',
         b'{"a":{"managedFields":[1],"b":2},"metadata":{"uid":"u"}}'),
        (b'{"metadata":{"managedFields":[1],"uid":"u"},"z":{"managedFields":[2]}}',
         b'{"metadata":{"uid":"u"},"z":{"managedFields":[2]}}'),
        (b'{"metadata":{"annotations":{"a":"\\"managedFields\\":[1]"},"managedFields":[1]}}',
         b'{"metadata":{"annotations":{"a":"\\"managedFields\\":[1]"}}}'),
        (b'{"metadata":{"uid":"u"}, "z": 1}', b'{"metadata":{"uid":"u"}, "z": 1}'),
    ],
)  # fmt: skip
def test_managed_fields_of_the_object_alone_go_wherever_they_stand(whole: bytes, stored: bytes) -> None:
    assert version_json(whole) == stored


ENTRIES = b"""{"metadata":{"managedFields":[
    {"manager":"a","time":"2026-01-02T00:00:00Z"},
    {"manager":"b","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:x":{}}}]}}"""
MANAGERS = (
    (ENTRIES, "a"),
    (b'{"metadata":{"managedFields":[]}}', ""),
    (b'{"metadata":{"managedFields":"odd"}}', ""),
    (b'{"metadata":{}}', ""),
    (b"{}", ""),
)


@pytest.mark.parametrize(("whole", "manager"), MANAGERS)
def test_the_manager_that_wrote_last_is_known(whole: bytes, manager: str) -> None:
    assert split_version(whole)[1] == manager


def written(**owned: list[str]) -> bytes:
    """An object whose managers own these fields, all since one second."""
    entries = [
        {"manager": name, "time": "2026-01-02T00:00:00Z", "fieldsV1": {f"f:{field}": {} for field in fields}}
        for name, fields in owned.items()
    ]
    return msgspec.json.encode({"metadata": {"managedFields": entries}})


@pytest.mark.parametrize(
    ("before", "after", "manager"),
    [
        (written(a=["x"]), written(a=["x"], b=["y"]), "b"),
        (written(a=["x"], b=["y"]), written(a=["x", "z"], b=["y"]), "a"),
        (written(a=["x", "y"], b=["z"]), written(a=["x"], b=["y", "z"]), "b"),
        (written(a=["x"], b=["y"]), written(a=["x"], b=["y"]), ""),
        (b'{"metadata":{"managedFields":1}}', written(a=["x"], b=["y"]), ""),
    ],
)
def test_of_those_that_wrote_in_one_second_the_one_wrote_last_that_owns_more(
    before: bytes, after: bytes, manager: str
) -> None:
    assert split_version(after)[2]
    assert manager_of_second(after, Blob(zstandard.compress(before))) == manager


def scaled(replicas: int, owner: str = "f:replicas") -> bytes:
    entries = [
        {"manager": "hpa", "operation": "Update", "subresource": "scale", "fieldsV1": {"f:spec": {owner: {}}}},
        {"manager": "apply", "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:spec": {"f:template": {}}}},
    ]
    whole = {"metadata": {"managedFields": entries}, "spec": {"replicas": replicas, "template": {}}}
    return msgspec.json.encode(whole)


@pytest.mark.parametrize(
    ("before", "after", "manager"),
    [
        (scaled(2), scaled(3), "hpa"),
        (scaled(3), scaled(3), ""),
        (scaled(2, "f:parallelism"), scaled(3, "f:parallelism"), ""),
        (scaled(2).replace(b'"scale"', b'"status"'), scaled(3).replace(b'"scale"', b'"status"'), ""),
        (scaled(2), b'{"metadata":{"managedFields":[{"subresource":"scale","fieldsV1":1}]}}', ""),
    ],
)
def test_who_scaled_is_known_by_the_number_that_it_owns(before: bytes, after: bytes, manager: str) -> None:
    assert scale_manager(after, version_json(before), version_json(after)) == manager


CHANGES: dict[str, tuple[Change, bool]] = {
    "resourceVersion": (lambda obj: obj["metadata"].update(resourceVersion="2"), True),
    "heartbeat": (lambda obj: obj["status"]["conditions"][0].update(lastHeartbeatTime="later"), True),
    "leader": (
        lambda obj: obj["metadata"]["annotations"].update({"control-plane.alpha.kubernetes.io/leader": "b"}),
        True,
    ),
    "label": (lambda obj: obj["metadata"].update(labels={"a": "b"}), False),
    "condition": (lambda obj: obj["status"]["conditions"][0].update(status="Unknown"), False),
    "new part": (lambda obj: obj.update(spec={}), False),
    "lost part": (lambda obj: obj.pop("status"), False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_heartbeats_make_no_version_of_their_own(name: str) -> None:
    change, is_same = CHANGES[name]
    changed = node()
    change(changed)
    assert is_heartbeat(version_json(as_json(node())), version_json(as_json(changed))) == is_same


@pytest.mark.parametrize("whole", [b"", b"[]", b"{", b"1"])
def test_what_is_no_object_is_refused(whole: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        version_json(whole)
