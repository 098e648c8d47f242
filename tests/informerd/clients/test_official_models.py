"""Tests of conversion to and from the official client's models."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import aiohttp
import msgspec
import pytest
from kubernetes.aio.client import ApiClient
from kubernetes.aio.client.models import (
    V1ConfigMap,
    V1CustomResourceDefinition,
    V1Lease,
    V1LeaseSpec,
    V1ObjectMeta,
    V1Pod,
    V1Service,
)

from informerd.clients.official_models import ModelCodec, to_body, to_model
from informerd.errors import InvalidCall, MalformedAnswer, UnexpectedObject
from informerd.resource import PODS

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"k8s-app": "b"}, "creationTimestamp": "2026-01-02T03:04:05Z"},
    "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
}


def test_a_whole_object_becomes_a_model_and_a_body_again() -> None:
    pod = to_model(V1Pod, POD)
    assert isinstance(pod, V1Pod)
    assert to_body(pod) == {
        **POD,
        "metadata": {**POD["metadata"], "creationTimestamp": "2026-01-02T03:04:05.000000Z"},  # type: ignore[dict-item]
    }


@pytest.mark.parametrize(
    "model",
    [
        to_model(V1Service, {"spec": {"ports": [{"port": 80, "targetPort": "http"}, {"port": 1, "targetPort": 2}]}}),
        to_model(V1ConfigMap, {"metadata": {"name": "a"}, "binaryData": {"x": "eA=="}, "data": {}}),
        to_model(
            V1CustomResourceDefinition,
            {
                "spec": {
                    "group": "g", "scope": "Namespaced", "names": {"kind": "K", "plural": "ks"},
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                        "type": "object", "default": {"kept": None}, "x-kubernetes-preserve-unknown-fields": True,
                        "properties": {"ref": {"$ref": "x"}}}}}],
                }
            },
        ),
    ],
)  # fmt: skip
def test_a_body_is_what_the_official_client_would_send(model: Any) -> None:
    assert to_body(model) == ApiClient().sanitize_for_serialization(model)


def test_times_are_written_so_that_leases_take_them_whatever_their_zone() -> None:
    spec = V1LeaseSpec(renew_time=datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2))))
    assert to_body(V1Lease(spec=spec)) == {"spec": {"renewTime": "2026-01-01T10:00:00.000000Z"}}
    spec = V1LeaseSpec(renew_time=datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC))
    assert to_body(V1Lease(spec=spec)) == {"spec": {"renewTime": "2026-01-01T12:00:00.123456Z"}}
    with pytest.raises(InvalidCall, match="has no time zone"):
        to_body(V1ObjectMeta(creation_timestamp=datetime(2026, 1, 1)))  # noqa: DTZ001


def test_a_field_that_the_models_do_not_know_is_left_out() -> None:
    pod = to_model(V1Pod, {**POD, "fieldOfTomorrow": 1})
    assert "fieldOfTomorrow" not in to_body(pod)


@pytest.mark.parametrize(
    ("obj", "where"),
    [
        ({"metadata": {"labels": {"a": 1}}}, r"labels\.a"),
        ({"spec": {"containers": "x"}}, "V1Container"),
        ({"spec": {"containers": [{"image": "nameless"}]}}, "name"),
        ({"spec": {"containers": 7}}, "not iterable"),
        ({"metadata": []}, "V1ObjectMeta"),
        (None, "no object"),
    ],
)
def test_an_object_that_breaks_a_models_rules_is_an_error_that_says_where(obj: Any, where: str) -> None:
    with pytest.raises(UnexpectedObject, match=f"V1Pod does not fit.*{where}"):
        to_model(V1Pod, obj)


def test_what_is_no_json_or_no_object_never_leaves_the_tree() -> None:
    codec = ModelCodec(PODS, V1Pod)
    for raw in (b"", b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(MalformedAnswer):
            codec.decode(raw)
    with pytest.raises(UnexpectedObject):
        codec.decode(b"[]")


def test_an_item_of_a_list_gets_the_kind_that_the_api_server_leaves_out() -> None:
    item = {name: value for name, value in POD.items() if name not in ("kind", "apiVersion")}
    pod = ModelCodec(PODS, V1Pod).decode(msgspec.json.encode(item))
    assert (pod.api_version, pod.kind) == ("v1", "Pod")


async def test_no_session_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_args: object, **_settings: object) -> None:
        pytest.fail("a session was opened")

    monkeypatch.setattr(aiohttp, "ClientSession", opened)
    monkeypatch.setattr(ssl, "create_default_context", opened)
    to_body(to_model(V1Pod, POD))
