"""Tests of the client's verbs, against a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from informerd.errors import (
    AlreadyExists,
    BadRequest,
    CallRefused,
    Conflict,
    Forbidden,
    Invalid,
    InvalidCall,
    NotFound,
    ResourceVersionTooLarge,
    Unauthorized,
    Unreachable,
)
from informerd.resource import Resource
from informerd.rest import rest_client as client_module
from informerd.rest.client import Client, Json, ResponseStream
from informerd.rest.load_config import Impersonation, load_kubeconfig
from informerd.rest.request import RestRequest
from tests.support.controlplane import ControlPlane

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
NAMESPACES = Resource(version="v1", plural="namespaces", kind="Namespace", namespaced=False)
LIMIT_RANGES = Resource(version="v1", plural="limitranges", kind="LimitRange")
NAMESPACE = "client-test"


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    controlplane.create_namespace(NAMESPACE)
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


def config_map(name: str, **data: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": NAMESPACE}, "data": data}


async def created(client: Client, name: str, **data: str) -> Json:
    answer = await client.create(CONFIG_MAPS, config_map(name, **data))
    obj: Json = answer.json()
    return obj


async def test_an_object_is_created_read_and_listed(client: Client) -> None:
    obj = await created(client, "made", key="value")
    read = await client.get(CONFIG_MAPS, "made", NAMESPACE)
    assert read.json() == obj
    assert read.status == 200
    assert abs((read.date or datetime.min.replace(tzinfo=UTC)) - datetime.now(UTC)) < timedelta(minutes=1)
    listed = (await client.list(CONFIG_MAPS, NAMESPACE, {"fieldSelector": "metadata.name=made"})).json()
    assert [each["data"] for each in listed["items"]] == [{"key": "value"}]
    everywhere = (await client.list(CONFIG_MAPS, params={"limit": 1})).json()
    assert everywhere["metadata"]["continue"]


async def test_an_update_based_on_an_old_version_is_a_conflict_and_changes_nothing(client: Client) -> None:
    old = await created(client, "fought-over", key="mine")
    await client.update(CONFIG_MAPS, {**old, "data": {"key": "theirs"}})
    with pytest.raises(Conflict, match="the object has been modified"):
        await client.update(CONFIG_MAPS, {**old, "data": {"key": "mine again"}})
    assert (await client.get(CONFIG_MAPS, "fought-over", NAMESPACE)).json()["data"] == {"key": "theirs"}


async def test_an_update_based_on_another_objects_uid_is_a_conflict(client: Client) -> None:
    old = await created(client, "reborn")
    await client.delete(CONFIG_MAPS, "reborn", NAMESPACE)
    await created(client, "reborn")
    del old["metadata"]["resourceVersion"]
    with pytest.raises(Conflict, match="UID in precondition"):
        await client.update(CONFIG_MAPS, old)


async def test_a_name_taken_and_a_name_unknown(client: Client) -> None:
    await created(client, "taken")
    with pytest.raises(AlreadyExists):
        await created(client, "taken")
    with pytest.raises(NotFound) as missing:
        await client.get(CONFIG_MAPS, "absent", NAMESPACE)
    assert (missing.value.status.details.name, missing.value.status.details.kind) == ("absent", "configmaps")


@pytest.mark.parametrize(
    ("patch_type", "patch"),
    [
        ("merge", {"data": {"key": "new"}}),
        ("strategic", {"data": {"key": "new"}}),
        ("json", [{"op": "replace", "path": "/data/key", "value": "new"}]),
    ],
)
async def test_patches(client: Client, patch_type: Any, patch: Any) -> None:
    await created(client, f"patched-{patch_type}", key="old", other="kept")
    answer = await client.patch(CONFIG_MAPS, f"patched-{patch_type}", NAMESPACE, patch, patch_type)
    assert answer.json()["data"] == {"key": "new", "other": "kept"}


async def test_apply_creates_and_takes_fields_over_only_by_force(client: Client) -> None:
    obj = config_map("applied", key="one")
    await client.patch(CONFIG_MAPS, "applied", NAMESPACE, obj, "apply", field_manager="first")
    obj["data"] = {"key": "two"}
    with pytest.raises(Conflict) as conflict:
        await client.patch(CONFIG_MAPS, "applied", NAMESPACE, obj, "apply", field_manager="second")
    assert [cause.field for cause in conflict.value.causes] == [".data.key"]
    answer = await client.patch(CONFIG_MAPS, "applied", NAMESPACE, obj, "apply", field_manager="second", force=True)
    assert answer.json()["data"] == {"key": "two"}


async def test_a_delete_meant_for_another_object_is_a_conflict(client: Client) -> None:
    obj = await created(client, "doomed")
    with pytest.raises(Conflict):
        await client.delete(CONFIG_MAPS, "doomed", NAMESPACE, uid="11111111-2222-3333-4444-555555555555")
    with pytest.raises(Conflict):
        await client.delete(CONFIG_MAPS, "doomed", NAMESPACE, resource_version="1")
    meta = obj["metadata"]
    await client.delete(
        CONFIG_MAPS, "doomed", NAMESPACE, uid=meta["uid"], propagation_policy="Background", grace_period=0
    )
    with pytest.raises(NotFound):
        await client.get(CONFIG_MAPS, "doomed", NAMESPACE)


async def test_a_dry_run_says_what_would_be_and_does_nothing(client: Client) -> None:
    obj = await created(client, "untouched", key="old")
    changed = await client.update(CONFIG_MAPS, {**obj, "data": {"key": "new"}}, dry_run=True)
    assert changed.json()["data"] == {"key": "new"}
    await client.patch(CONFIG_MAPS, "untouched", NAMESPACE, {"data": {"key": "new"}}, dry_run=True)
    await client.create(CONFIG_MAPS, config_map("never-made"), dry_run=True)
    await client.delete(CONFIG_MAPS, "untouched", NAMESPACE, dry_run=True)
    assert (await client.get(CONFIG_MAPS, "untouched", NAMESPACE)).json()["data"] == {"key": "old"}
    with pytest.raises(NotFound):
        await client.get(CONFIG_MAPS, "never-made", NAMESPACE)


async def test_an_unknown_field_is_an_error_or_a_warning_as_asked(client: Client) -> None:
    obj = {**config_map("odd"), "daat": {"key": "value"}}
    with pytest.raises(BadRequest, match='unknown field "daat"'):
        await client.create(CONFIG_MAPS, obj)
    answer = await client.create(CONFIG_MAPS, obj, field_validation="Warn")
    assert answer.warnings == ('unknown field "daat"',)


async def test_an_invalid_object_names_its_fields(client: Client) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "Bad_Name", "namespace": NAMESPACE},
        "spec": {"limits": [{"type": "Pod", "min": {"cpu": "2"}, "max": {"cpu": "1"}}]},
    }
    with pytest.raises(Invalid) as invalid:
        await client.create(LIMIT_RANGES, obj)
    assert {cause.field for cause in invalid.value.causes} == {"metadata.name", "spec.limits[0].min[cpu]"}


async def test_who_may_not_is_told_so(controlplane: ControlPlane) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("alice"))) as alice:
        with pytest.raises(Forbidden, match='User "alice" cannot list resource "configmaps"'):
            await alice.list(CONFIG_MAPS)
        assert await alice.probe()


async def test_a_wrong_token_is_unauthorized_and_the_server_alive_all_the_same(controlplane: ControlPlane) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    config = replace(config, credentials=replace(config.credentials, token="wrong"))
    async with Client(config) as client:
        with pytest.raises(Unauthorized):
            await client.list(CONFIG_MAPS)
        assert await client.probe()


async def test_impersonation_is_honoured(controlplane: ControlPlane) -> None:
    config = load_kubeconfig(controlplane.kubeconfig)
    bob = Impersonation(user="bob", groups=("team-b",))
    async with Client(replace(config, credentials=replace(config.credentials, impersonation=bob))) as client:
        with pytest.raises(Forbidden, match='User "bob" cannot list resource "configmaps"'):
            await client.list(CONFIG_MAPS)


async def test_a_client_makes_requests_on_behalf_of_others_over_its_own_connections(client: Client) -> None:
    carol = client.impersonate(Impersonation(user="carol", groups=("a", "b")))
    dave = carol.impersonate(Impersonation(user="dave ümlaut", uid="7"))
    async with dave:  # closing it closes nothing
        assert await user_info(dave) == ("dave ümlaut", {"system:authenticated"}, "7")
    assert await user_info(carol) == ("carol", {"a", "b", "system:authenticated"}, "")
    with pytest.raises(Forbidden, match='User "carol" cannot list resource "configmaps"'):
        await carol.list(CONFIG_MAPS)
    await client.list(CONFIG_MAPS)


class Watcher:
    """An observer that notes what it sees, and refuses what it is told to."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.refused = ""

    async def __call__(self, call: RestRequest, send: Callable[[], Awaitable[Any]]) -> Any:
        if call.method == self.refused:
            raise CallRefused("The record is away.")
        answer = await send()
        self.seen.append((call.method, call.path.partition("?")[0].rpartition("/")[2]))
        return answer


async def test_an_observer_sees_every_request_and_may_refuse_it(client: Client) -> None:
    watcher = Watcher()
    observed = client.observed_by(watcher)
    await created(observed, "observed", key="value")
    await observed.get(CONFIG_MAPS, "observed", NAMESPACE)
    async with observed.download(CONFIG_MAPS.path(NAMESPACE)) as answer:
        assert await answer.read()
    async with observed.stream(CONFIG_MAPS.path(NAMESPACE), {"watch": True}):
        pass
    assert watcher.seen == [("POST", "configmaps"), ("GET", "observed"), ("GET", "configmaps"), ("GET", "configmaps")]
    watcher.refused = "DELETE"
    with pytest.raises(CallRefused, match="The record is away"):
        await observed.delete(CONFIG_MAPS, "observed", NAMESPACE)
    assert (await client.get(CONFIG_MAPS, "observed", NAMESPACE)).status == 200
    assert len(watcher.seen) == 4, "the client itself is not observed"


async def test_an_observed_client_impersonates_and_closing_it_closes_nothing(client: Client) -> None:
    carol, watcher = Impersonation(user="carol"), Watcher()
    for observed in (client.impersonate(carol).observed_by(watcher), client.observed_by(watcher).impersonate(carol)):
        with pytest.raises(Forbidden, match='User "carol"'):
            await observed.list(CONFIG_MAPS, NAMESPACE)
        await observed.close()
    assert (await client.list(CONFIG_MAPS, NAMESPACE)).status == 200


async def test_an_impersonation_of_nobody_is_refused_since_it_would_be_the_client_itself(client: Client) -> None:
    with pytest.raises(InvalidCall, match="names a user"):
        client.impersonate(Impersonation(user="", groups=("system:authenticated",)))


async def user_info(client: Client) -> tuple[str, set[str], str]:
    """Name, groups and uid of a client's user, as the API server sees them."""
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = await client.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body=review)
    user = answer.json()["status"]["userInfo"]
    return user["username"], set(user["groups"]), user.get("uid", "")


async def test_one_request_may_be_made_as_somebody_else(client: Client) -> None:
    headers = tuple(Impersonation(user="carol", groups=("a", "b")).headers())
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = await client.request("POST", path, body=review, headers=headers)
    user = answer.json()["status"]["userInfo"]
    assert (user["username"], set(user["groups"])) == ("carol", {"a", "b", "system:authenticated"})


async def test_version_and_names_that_need_quoting(client: Client) -> None:
    assert (await client.version()).startswith("v1.")
    with pytest.raises(NotFound):
        await client.get(NAMESPACES, "no such+name&x=1")


async def test_a_watch_gives_each_event_as_one_document(client: Client) -> None:
    listed = (await client.list(CONFIG_MAPS, NAMESPACE)).json()
    params = {"watch": True, "resourceVersion": listed["metadata"]["resourceVersion"]}
    async with client.stream(CONFIG_MAPS.path(NAMESPACE), params) as stream:
        assert stream.date is not None
        await created(client, "watched", key="1")
        await client.patch(CONFIG_MAPS, "watched", NAMESPACE, {"data": {"key": "2"}})
        await client.delete(CONFIG_MAPS, "watched", NAMESPACE)
        seen = []
        async for line in stream:
            event = msgspec.json.decode(line)
            seen.append((event["type"], event["object"]["data"]["key"]))
            if event["type"] == "DELETED":
                break
    assert seen == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")]


async def test_a_watch_ends_when_the_server_ends_it(client: Client) -> None:
    async with client.stream(CONFIG_MAPS.path(NAMESPACE), {"watch": True, "timeoutSeconds": 1}) as stream:
        lines = [line async for line in stream]
        assert await stream.batch() == []
    assert all(msgspec.json.decode(line)["type"] == "ADDED" for line in lines)


async def test_a_watch_that_is_refused_raises_before_it_begins(controlplane: ControlPlane) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("alice"))) as alice:
        with pytest.raises(Forbidden):
            async with alice.stream(CONFIG_MAPS.path(), {"watch": True}):
                pytest.fail("it began")


@pytest.mark.long
async def test_a_version_not_yet_there_is_too_large(client: Client) -> None:
    with pytest.raises(ResourceVersionTooLarge):
        await client.list(
            CONFIG_MAPS, NAMESPACE, {"resourceVersion": "9000000000", "resourceVersionMatch": "NotOlderThan"}
        )


async def test_watches_have_a_pool_of_their_own(client: Client) -> None:
    """A hundred and fifty of them leave room for requests, which aiohttp's one pool of a hundred would not."""
    path, stack = CONFIG_MAPS.path(NAMESPACE), []
    try:
        for _ in range(150):
            watch = client.stream(path, {"watch": True, "timeoutSeconds": 60})
            await watch.__aenter__()
            stack.append(watch)
        async with asyncio.timeout(30):
            assert await client.version()
    finally:
        for watch in stack:
            await watch.__aexit__(None, None, None)


@pytest.mark.long
async def test_a_frozen_server_is_noticed_by_the_probe_and_streams_close_at_once(
    own_controlplane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PROBE_TIMEOUT", 0.5)
    async with Client(load_kubeconfig(own_controlplane.kubeconfig)) as client:
        async with client.stream(CONFIG_MAPS.path(), {"watch": True}) as stream:
            assert await client.probe()
            reading = asyncio.create_task(_drain(stream))
            own_controlplane.pause()
            with pytest.raises(Unreachable, match="did not answer in time"):
                await client.probe()
            async with asyncio.timeout(30):
                stream.close()
                await reading
        own_controlplane.resume()
        assert await client.probe()


async def _drain(stream: ResponseStream) -> None:
    while await stream.batch():
        pass
