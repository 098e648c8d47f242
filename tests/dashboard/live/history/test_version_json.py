"""Tests of versions as they are stored: without managedFields, and with no version for a heartbeat."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dashboard.live.history.version_json import is_heartbeat, version_json

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
