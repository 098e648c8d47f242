"""Tests of the recorder against a real API server: the Events in the cluster afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from informerd.record.event import EVENTS
from informerd.record.recorder import EventRecorder
from informerd.record.reference import ObjectReference
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

Json = dict[str, Any]


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


@pytest.fixture
def namespace(controlplane: ControlPlane, request: pytest.FixtureRequest) -> str:
    return controlplane.create_namespace(f"recording-{abs(hash(request.node.name)) % 10**8}")


async def events_about(client: Client, name: str, namespace: str) -> list[Json]:
    answer = await client.list(EVENTS, namespace, {"fieldSelector": f"involvedObject.name={name}"})
    found: list[Json] = answer.object()["items"]
    return sorted(found, key=lambda event: str(event["metadata"]["name"]))


def config_map(controlplane: ControlPlane, namespace: str, name: str = "shapes") -> Json:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    return controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", body)


CLIENT_GO: Json = {
    "type": "Normal", "count": 1, "eventTime": None, "source": {"component": "replicaset-controller"},
    "reason": "SuccessfulCreate", "message": "Created pod: web-5fc9f4bf66-8h8rn",
    "firstTimestamp": "2026-11-21T15:14:21Z", "lastTimestamp": "2026-11-21T15:14:21Z",
    "reportingComponent": "replicaset-controller", "reportingInstance": "",
    "involvedObject": {
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5fc9f4bf66", "namespace": "default",
        "resourceVersion": "233", "uid": "5f13604c-dbdf-4017-bbec-2a1ab09d0577",
    },
    "metadata": {
        "name": "web-5fc9f4bf66.18ea183f293bc6d1", "namespace": "default", "resourceVersion": "244",
        "creationTimestamp": "2026-11-21T15:14:21Z", "uid": "10a88cb4-d5aa-4f7d-8a8b-f6cfc33f42be",
        "managedFields": [
            {
                "apiVersion": "v1", "fieldsType": "FieldsV1", "time": "2026-11-21T15:14:21Z",
                "manager": "kube-controller-manager", "operation": "Update",
                "fieldsV1": {
                    "f:count": {}, "f:firstTimestamp": {}, "f:involvedObject": {}, "f:lastTimestamp": {},
                    "f:message": {}, "f:reason": {}, "f:reportingComponent": {}, "f:source": {"f:component": {}},
                    "f:type": {},
                },
            }
        ],
    },
}  # fmt: skip
"""What kube-controller-manager 1.37.1 had written by client-go's recorder."""


def form(value: Any) -> Any:
    """Names and types, without what they say."""
    if isinstance(value, dict):
        return {name: form(each) for name, each in value.items()}
    return [*map(form, value)] if isinstance(value, list) else type(value)


async def test_an_event_has_the_very_fields_that_client_go_writes(
    controlplane: ControlPlane, client: Client, namespace: str
) -> None:
    async with EventRecorder(client, "replicaset-controller") as recorder:
        recorder.event(config_map(controlplane, namespace), "Normal", "SuccessfulCreate", "Created pod: web")
    (event,) = await events_about(client, "shapes", namespace)
    assert form(event) == form(CLIENT_GO)


async def test_an_event_stands_in_the_cluster_as_client_go_would_write_it(
    controlplane: ControlPlane, client: Client, namespace: str
) -> None:
    about = config_map(controlplane, namespace)
    async with EventRecorder(client, "mydemo-controller") as recorder:
        recorder.event(about, "Normal", "Synced", "Mydemo synced successfully")
    (event,) = await events_about(client, "shapes", namespace)
    meta = about["metadata"]
    assert event["involvedObject"] == {
        "kind": "ConfigMap", "namespace": namespace, "name": "shapes", "apiVersion": "v1",
        "uid": meta["uid"], "resourceVersion": meta["resourceVersion"],
    }  # fmt: skip
    assert event["source"] == {"component": "mydemo-controller"}
    assert (event["type"], event["reason"]) == ("Normal", "Synced")
    assert (event["message"], event["count"]) == ("Mydemo synced successfully", 1)
    assert (event["reportingComponent"], event["reportingInstance"]) == ("mydemo-controller", "")
    assert event["firstTimestamp"] == event["lastTimestamp"] != ""
    assert event["eventTime"] is None
    assert event["metadata"]["name"].startswith("shapes.")


async def test_what_is_said_three_times_stands_there_once_with_its_count(
    controlplane: ControlPlane, client: Client, namespace: str
) -> None:
    about = config_map(controlplane, namespace)
    async with EventRecorder(client, "tester") as recorder:
        for _ in range(3):
            recorder.event(about, "Normal", "Synced", "again")
    assert [event["count"] for event in await events_about(client, "shapes", namespace)] == [3]
    assert (recorder.state().created, recorder.state().repeated) == (1, 2)


async def test_an_event_that_the_api_server_has_forgotten_is_created_anew_with_its_count(
    controlplane: ControlPlane, client: Client, namespace: str
) -> None:
    about = config_map(controlplane, namespace)
    async with EventRecorder(client, "tester") as recorder:
        recorder.event(about, "Normal", "Synced", "again")
        assert await recorder.flush()
        (first,) = await events_about(client, "shapes", namespace)
        await client.delete(EVENTS, first["metadata"]["name"], namespace)
        recorder.event(about, "Normal", "Synced", "again")
    (second,) = await events_about(client, "shapes", namespace)
    assert second["metadata"]["uid"] != first["metadata"]["uid"]
    assert (second["count"], second["firstTimestamp"]) == (2, first["firstTimestamp"])


async def test_twelve_messages_about_the_same_become_nine_and_one_combined(
    controlplane: ControlPlane, client: Client, namespace: str
) -> None:
    about = config_map(controlplane, namespace)
    async with EventRecorder(client, "tester") as recorder:
        for number in range(12):
            recorder.event(about, "Warning", "Fell", f"{number} m")
    events = await events_about(client, "shapes", namespace)
    assert [event["message"] for event in events] == [
        *(f"{number} m" for number in range(9)),
        "(combined from similar events): 11 m",
    ]
    assert [event["count"] for event in events] == [1] * 9 + [3]


@pytest.mark.parametrize(
    "about",
    [
        ObjectReference(kind="Node", name="node-1", uid="node-1", api_version="v1"),
        ObjectReference(kind="ClusterRole", name="system:node", api_version="rbac.authorization.k8s.io/v1"),
        ObjectReference(kind="Node", name="n" * 253, api_version="v1"),
    ],
)
async def test_events_about_what_is_in_no_namespace_and_has_odd_names_are_taken(
    client: Client, about: ObjectReference
) -> None:
    async with EventRecorder(client, "tester", host="node-1") as recorder:
        recorder.event(about, "Normal", "R" * 300, "ü" * 3000)
    (event,) = await events_about(client, about.name, "default")
    assert event["involvedObject"]["kind"] == about.kind
    assert recorder.state().refused == 0
    await client.delete(EVENTS, event["metadata"]["name"], "default")


async def test_what_is_cut_can_be_written_through_the_newer_version_too(
    client: Client, controlplane: ControlPlane
) -> None:
    about = ObjectReference(kind="Node", name="node-2", api_version="v1")
    async with EventRecorder(client, "tester", host="node-2") as recorder:
        recorder.event(about, "Normal", "R" * 300, "ü" * 3000)
    (event,) = await events_about(client, "node-2", "default")
    path = f"/apis/events.k8s.io/v1/namespaces/default/events/{event['metadata']['name']}"
    assert controlplane.get(path)["note"] == event["message"]
    controlplane.patch(path, {"metadata": {"labels": {"seen": "yes"}}})
    controlplane.delete(path)


async def test_why_an_event_could_not_be_written_is_said_until_one_is(
    controlplane: ControlPlane, namespace: str
) -> None:
    about = config_map(controlplane, namespace)
    config = load_kubeconfig(controlplane.kubeconfig_of("bob"))
    async with Client(config) as bob, EventRecorder(bob, "tester") as recorder:
        recorder.event(about, "Normal", "Synced", "first")
        assert await recorder.flush()
        assert 'cannot create resource "events"' in recorder.state().problem
        let_do_all(controlplane, "bob", namespace)

        async def is_written() -> bool:
            recorder.event(about, "Normal", "Synced", "second")
            return await recorder.flush() and not recorder.state().problem

        await eventually(is_written)


def let_do_all(controlplane: ControlPlane, user: str, namespace: str) -> None:
    group = "rbac.authorization.k8s.io"
    body = {
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    }
    controlplane.create(f"/apis/{group}/v1/namespaces/{namespace}/rolebindings", body)
