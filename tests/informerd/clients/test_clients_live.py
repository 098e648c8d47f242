"""Tests of the REST client, discovery, and the dynamic and typed clients against a real API server, verb by verb.

The file also serves as documentation: read from the top, it shows how to use the clients.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
import pytest
from kubernetes.aio.client.models import V1Deployment, V1Lease, V1Pod

from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.official_models import to_body, to_model
from informerd.clients.typed_client import TypedClient
from informerd.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Expired,
    Invalid,
    InvalidCall,
    MalformedSelector,
    NotFound,
    UnknownResource,
)
from informerd.objects import Object
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import load_kubeconfig
from informerd.unstructured import Json
from tests.support.controlplane import ControlPlane
from tests.support.skip_if_missing import controlplane_binaries


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace(f"tour-{uuid.uuid4().hex[:8]}")


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig), user_agent="tour/1.0") as client:
        yield client


@pytest.fixture
def dynamic(client: Client) -> DynamicClient:
    return DynamicClient(client)


def config_map(name: str, **data: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def deployment(name: str, replicas: int = 1) -> Json:
    labels = {"app": name}
    containers = [{"name": "main", "image": "nginx:1"}, {"name": "side", "image": "sidecar:1"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels}, "spec": spec}


# REST: any address


async def test_rest_any_address_can_be_asked(client: Client, namespace: str) -> None:
    answer = await client.request("GET", f"/api/v1/namespaces/{namespace}", headers={"Accept": "application/json"})
    assert answer.object()["metadata"]["name"] == namespace
    assert (await client.version()).startswith("v1.")


# Discovery: which resources there are, and which one a name means


async def test_discovery_knows_what_a_name_means(client: Client) -> None:
    discovery = Discovery(client)
    for name in ("deploy", "deployment", "Deployment", "deployments", "deployments.apps", "deployments.v1.apps"):
        resource = await discovery.resolve(name)
        assert (resource.api_version, resource.kind) == ("apps/v1", "Deployment")
    assert "pods" in {each.key for each in await discovery.resources()}


# Dynamic: create, get, list


async def test_dynamic_create_get_and_list(dynamic: DynamicClient, namespace: str) -> None:
    maps = dynamic.resource("cm", namespace)
    created = await maps.create(config_map("colours", sky="blue"))
    assert await maps.get("colours") == created
    listed = await maps.list()
    assert created in listed.items  # items have their kind, which the API server leaves out of lists
    assert int(listed.resource_version) >= int(created["metadata"]["resourceVersion"])
    with pytest.raises(AlreadyExists, match="colours"):
        await maps.create(config_map("colours"))
    with pytest.raises(NotFound, match="shapes"):
        await maps.get("shapes")
    with pytest.raises(Invalid) as invalid:
        await maps.create(config_map("Not A Name"))
    assert invalid.value.causes[0].field == "metadata.name"


async def test_dynamic_a_manifest_finds_its_resource_by_itself(dynamic: DynamicClient, namespace: str) -> None:
    manifest = deployment("web")
    manifest["metadata"]["namespace"] = namespace
    assert (await dynamic.for_manifest(manifest).create(manifest))["metadata"]["uid"]
    with pytest.raises(UnknownResource, match="Deployment in apps/v9"):
        await dynamic.for_manifest({**manifest, "apiVersion": "apps/v9"}).create(manifest)
    with pytest.raises(InvalidCall, match="needs apiVersion and kind"):
        dynamic.for_manifest({"metadata": {}})


async def test_dynamic_lists_narrow_by_selectors_and_come_in_pages(dynamic: DynamicClient, namespace: str) -> None:
    maps = dynamic.resource("configmaps", namespace)
    for number in range(7):
        made = config_map(f"page-{number}")
        made["metadata"]["labels"] = {"parity": "odd" if number % 2 else "even"}
        await maps.create(made)
    evens = await maps.list(label_selector="parity in (even)", limit=2)
    assert [each["metadata"]["name"] for each in evens] == ["page-0", "page-2", "page-4", "page-6"]
    one = [each async for each in maps.iterate(field_selector="metadata.name=page-3")]
    assert [each["metadata"]["name"] for each in one] == ["page-3"]
    paged = [each["metadata"]["name"] async for each in maps.iterate(limit=3, label_selector="parity")]
    assert paged == [f"page-{number}" for number in range(7)]
    everywhere = dynamic.resource("configmaps")
    assert len(await everywhere.list(label_selector="parity")) == 7
    with pytest.raises(MalformedSelector, match="character 11"):
        await maps.list(label_selector="parity in odd")
    with pytest.raises(BadRequest, match="nothing"):
        await maps.list(field_selector="nothing=1")


@pytest.fixture
def compacted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server that asks etcd for every page, so that a page expires with etcd's compaction."""
    binaries = controlplane_binaries()
    plane = ControlPlane(tmp_path_factory.mktemp("tour"), binaries, apiserver_flags=("--watch-cache=false",))
    try:
        plane.start()
        yield plane
    finally:
        plane.stop()


@pytest.mark.controlplane
async def test_dynamic_a_page_that_expires_in_the_middle_never_makes_a_mixture_unasked(compacted: ControlPlane) -> None:
    async with Client(load_kubeconfig(compacted.kubeconfig)) as client:
        maps = DynamicClient(client).resource("configmaps", "default")
        for number in range(6):
            await maps.create(
                {**config_map(f"old-{number}"), "metadata": {"name": f"old-{number}", "labels": {"t": ""}}}
            )

        async def after_the_first_page(**how: Any) -> list[str]:
            names: list[str] = []
            async for each in maps.iterate(limit=2, label_selector="t", **how):
                names.append(each["metadata"]["name"])
                if len(names) == 2:
                    await maps.create({"metadata": {"generateName": "old-5-", "labels": {"t": ""}}})
                    await asyncio.to_thread(compacted.etcd.compact)
            return names

        with pytest.raises(Expired):
            await after_the_first_page()
        mixed = await after_the_first_page(mixed=True)
        assert mixed[:6] == [f"old-{number}" for number in range(6)]
        assert len(mixed) == len(set(mixed)) == 8  # with both that were created in between


# Dynamic: update and its conflicts


async def test_dynamic_an_update_on_an_old_version_is_a_conflict_and_overwrites_nobody(
    dynamic: DynamicClient, namespace: str
) -> None:
    maps = dynamic.resource("configmaps", namespace)
    mine = await maps.create(config_map("shared", sky="blue"))
    theirs = await maps.update({**mine, "data": {"sky": "grey"}})
    with pytest.raises(Conflict, match="the object has been modified"):
        await maps.update({**mine, "data": {"sky": "black"}})
    assert await maps.get("shared") == theirs


async def test_dynamic_status_is_updated_apart_from_spec(dynamic: DynamicClient, namespace: str) -> None:
    deployments = dynamic.resource("deployments", namespace)
    made = await deployments.create(deployment("web"))
    changed = {**made, "status": {"replicas": 1, "observedGeneration": 1}, "spec": {**made["spec"], "replicas": 9}}
    stored = await deployments.update_status(changed)
    assert (stored["status"]["replicas"], stored["spec"]["replicas"]) == (1, 1)
    patched = await deployments.patch("web", {"status": {"replicas": 2}}, subresource="status")
    assert patched["status"]["replicas"] == 2
    with pytest.raises(Conflict):
        await deployments.update_status(changed)


# Dynamic: patches


async def test_dynamic_merge_json_and_strategic_patches(dynamic: DynamicClient, namespace: str) -> None:
    deployments = dynamic.resource("deployments", namespace)
    await deployments.create(deployment("web"))
    merged = await deployments.patch("web", {"metadata": {"annotations": {"note": "merged"}}})
    assert merged["metadata"]["annotations"]["note"] == "merged"
    steps = [
        {"op": "test", "path": "/spec/replicas", "value": 1},
        {"op": "replace", "path": "/spec/replicas", "value": 3},
    ]
    assert (await deployments.patch("web", steps, "json"))["spec"]["replicas"] == 3
    with pytest.raises(Invalid):
        await deployments.patch("web", steps, "json")
    image = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}}}
    containers = (await deployments.patch("web", image, "strategic"))["spec"]["template"]["spec"]["containers"]
    assert [each["image"] for each in containers] == ["nginx:2", "sidecar:1"]  # merged by name; others stay
    version = merged["metadata"]["resourceVersion"]
    with pytest.raises(Conflict):
        await deployments.patch("web", {"metadata": {"resourceVersion": version}, "spec": {"replicas": 5}})


async def test_dynamic_apply_owns_fields_and_takes_them_over_only_by_force(
    dynamic: DynamicClient, namespace: str
) -> None:
    maps = dynamic.resource("configmaps", namespace)
    await maps.apply(config_map("applied", sky="blue", sea="green"))
    await maps.apply(config_map("applied", sky="blue"))  # what is no longer named goes
    assert (await maps.get("applied"))["data"] == {"sky": "blue"}
    with pytest.raises(Conflict) as conflict:
        await maps.apply(config_map("applied", sky="grey"), field_manager="painter")
    assert [cause.field for cause in conflict.value.causes] == [".data.sky"]
    assert '"tour"' in conflict.value.causes[0].message  # the default manager is the User-Agent's name
    taken = await maps.apply(config_map("applied", sky="grey"), field_manager="painter", force=True)
    assert taken["data"] == {"sky": "grey"}
    bare = {"metadata": {"name": "bare"}, "data": {"a": "b"}}
    assert (await maps.apply(bare))["kind"] == "ConfigMap"  # kind and apiVersion are the resource's
    with pytest.raises(InvalidCall, match=r"apply\(\)"):
        await maps.patch("applied", {}, "apply")


# Dynamic: scale and other subresources


async def test_dynamic_scale_and_other_subresources(dynamic: DynamicClient, namespace: str) -> None:
    deployments = dynamic.resource("deploy", namespace)
    await deployments.create(deployment("web"))
    assert await deployments.scale("web", 4) == 4
    scale = deployments.subresource("scale")
    read = await scale.get("web")
    assert (read["kind"], read["spec"]["replicas"]) == ("Scale", 4)
    assert (await scale.update("web", {**read, "spec": {"replicas": 2}}))["spec"]["replicas"] == 2
    with pytest.raises(Conflict):
        await scale.update("web", {**read, "spec": {"replicas": 7}})
    accounts = dynamic.resource("serviceaccounts", namespace)
    await accounts.create({"metadata": {"name": "robot"}})
    token = await accounts.subresource("token").create("robot", {"spec": {"expirationSeconds": 600}})
    assert token["status"]["token"].count(".") == 2
    pods = dynamic.resource("pods", namespace)
    await pods.create({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    await pods.subresource("eviction").create("p", {"metadata": {"name": "p"}})
    with pytest.raises(NotFound):
        await pods.get("p")


# Dynamic: delete


async def test_dynamic_delete_with_preconditions_policy_and_grace_period(
    dynamic: DynamicClient, namespace: str
) -> None:
    deployments = dynamic.resource("deployments", namespace)
    made = await deployments.create(deployment("web"))
    with pytest.raises(Conflict):
        await deployments.delete("web", uid="another")
    with pytest.raises(Conflict):
        await deployments.delete("web", resource_version="1")
    waiting = await deployments.delete("web", uid=made["metadata"]["uid"], propagation_policy="Foreground")
    assert waiting is not None
    assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
    pods = dynamic.resource("pods", namespace)
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 30}
    await pods.create({"metadata": {"name": "slow"}, "spec": spec})
    ending = await pods.delete("slow", grace_period=7)
    assert ending is not None
    assert ending["metadata"]["deletionGracePeriodSeconds"] == 7
    await pods.delete("slow", grace_period=0)
    with pytest.raises(NotFound):
        await pods.get("slow")
    maps = dynamic.resource("configmaps", namespace)
    await maps.create(config_map("gone"))
    assert await maps.delete("gone") is None
    with pytest.raises(NotFound):
        await maps.delete("gone")


async def test_dynamic_delete_collection_takes_what_is_selected_and_all_only_when_told(
    dynamic: DynamicClient, namespace: str
) -> None:
    secrets = dynamic.resource("secrets", namespace)
    for name, tier in (("a", "web"), ("b", "web"), ("c", "db")):
        await secrets.create({"metadata": {"name": name, "labels": {"tier": tier}}})
    with pytest.raises(InvalidCall, match="everything=True"):
        await secrets.delete_collection(label_selector="")
    await secrets.delete_collection(label_selector="tier=web", dry_run=True)
    assert len(await secrets.list()) == 3
    await secrets.delete_collection(label_selector="tier=web")
    assert [each["metadata"]["name"] for each in await secrets.list()] == ["c"]
    await secrets.delete_collection(everything=True)
    assert len(await secrets.list()) == 0


# Dynamic: dry runs


async def test_dynamic_a_dry_run_of_every_write_answers_as_if_and_stores_nothing(
    dynamic: DynamicClient, namespace: str
) -> None:
    deployments = dynamic.resource("deployments", namespace)
    assert (await deployments.create(deployment("dry"), dry_run=True))["metadata"]["uid"]
    assert (await deployments.apply(deployment("dry"), dry_run=True))["metadata"]["uid"]
    assert len(await deployments.list()) == 0
    made = await deployments.create(deployment("wet"))
    more = {**made, "spec": {**made["spec"], "replicas": 5}}
    assert (await deployments.update(more, dry_run=True))["spec"]["replicas"] == 5
    status = {**made, "status": {"replicas": 5}}
    assert (await deployments.update_status(status, dry_run=True))["status"]["replicas"] == 5
    assert (await deployments.patch("wet", {"spec": {"replicas": 6}}, dry_run=True))["spec"]["replicas"] == 6
    assert (await deployments.apply(deployment("wet", 7), dry_run=True, force=True))["spec"]["replicas"] == 7
    assert await deployments.scale("wet", 8, dry_run=True) == 8
    await deployments.delete("wet", dry_run=True)
    assert await deployments.get("wet") == made
    with pytest.raises(Conflict):
        await deployments.update({**more, "metadata": {**made["metadata"], "resourceVersion": "1"}}, dry_run=True)


# Dynamic: watch


async def test_dynamic_watch_gives_changes_in_order_and_where_to_go_on(dynamic: DynamicClient, namespace: str) -> None:
    maps = dynamic.resource("configmaps", namespace)
    listed = await maps.list()
    async with maps.watch(listed.resource_version, label_selector="seen") as changes:
        made = await maps.create({"metadata": {"name": "w", "labels": {"seen": "yes"}}})
        await maps.patch("w", {"data": {"a": "b"}})
        await maps.delete("w")
        seen = []
        async for change in changes:
            seen.append((change.type, change.object["metadata"]["name"]))
            if change.type == "DELETED":
                break
        assert seen == [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")]
        assert int(changes.resource_version) > int(made["metadata"]["resourceVersion"])
    async with maps.watch(changes.resource_version, timeout=1) as rest:
        assert [change.type async for change in rest] == []  # ended by the server


# Dynamic: scope, names and warnings


async def test_dynamic_scope_is_checked_before_anything_is_sent(dynamic: DynamicClient, namespace: str) -> None:
    everywhere, nodes = dynamic.resource("configmaps"), dynamic.resource("nodes", namespace)
    with pytest.raises(InvalidCall, match="configmaps are namespaced: give a namespace"):
        await everywhere.get("x")
    with pytest.raises(InvalidCall, match="configmaps are namespaced"):
        await everywhere.create(config_map("x"))
    with pytest.raises(InvalidCall, match="configmaps are namespaced"):
        await everywhere.delete_collection(everything=True)
    with pytest.raises(InvalidCall, match=f"nodes are cluster-scoped: leave '{namespace}' out"):
        await nodes.list()
    inside = config_map("own")
    inside["metadata"]["namespace"] = namespace
    made = await everywhere.create(inside)  # an object that says its namespace needs no other
    assert (await everywhere.update({**made, "data": {"a": "b"}}))["data"] == {"a": "b"}
    with pytest.raises(BadRequest, match="does not match the namespace"):
        await dynamic.resource("configmaps", "default").update(made)
    with pytest.raises(UnknownResource, match="nonsense"):
        await dynamic.resource("nonsense").list()


async def test_dynamic_warnings_come_to_whoever_asked(dynamic: DynamicClient, namespace: str) -> None:
    said: list[str] = []
    maps = dynamic.resource("configmaps", namespace, on_warning=said.append)
    made = await maps.create({**config_map("warned"), "colour": "red"}, field_validation="Warn")
    await maps.update({**made, "shape": "round"}, field_validation="Warn")
    await maps.patch("warned", {"size": 3}, field_validation="Warn")
    assert said == ['unknown field "colour"', 'unknown field "shape"', 'unknown field "size"']
    with pytest.raises(Invalid, match="unknown field"):
        await maps.patch("warned", {"size": 3})


# Typed: projections and official models


class Replicas(msgspec.Struct, frozen=True, gc=False):
    replicas: int = 0


class Scaled(Object, frozen=True, kw_only=True, rename="camel", gc=False):
    """A projection of one's own: ten lines."""

    spec: Replicas = Replicas()


async def test_typed_by_projection(client: Client, namespace: str) -> None:
    deployments = TypedClient(client).resource("deploy", Scaled, namespace)
    made = await deployments.create(deployment("web", 2))
    assert (made.spec.replicas, made.metadata.namespace, made.kind) == (2, namespace, "Deployment")
    assert made.full()["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1"
    (listed,) = await deployments.list()
    assert listed.spec == made.spec
    patched = await deployments.patch("web", {"spec": {"replicas": 3}})
    assert patched.spec.replicas == 3
    with pytest.raises(InvalidCall, match=r"Scaled .*/web is a projection"):
        await deployments.update(patched)
    whole = patched.full()
    whole["spec"]["replicas"] = 4
    assert (await deployments.update(whole)).spec.replicas == 4
    with pytest.raises(Conflict):
        await deployments.update(whole)
    async with deployments.watch() as changes:
        async for change in changes:
            assert (change.type, change.object.spec.replicas) == ("ADDED", 4)
            break
    await deployments.delete("web", dry_run=True)
    assert (await deployments.get("web")).spec.replicas == 4
    with pytest.raises(InvalidCall, match="int is neither a projection"):
        TypedClient(client).resource("pods", int)


async def test_typed_by_the_official_clients_models(client: Client, namespace: str) -> None:
    deployments = TypedClient(client).resource("deployments", V1Deployment, namespace)
    model = to_model(V1Deployment, deployment("web", 2))
    made = await deployments.create(model)
    assert isinstance(made, V1Deployment)
    assert made.metadata is not None
    assert made.metadata.name == "web"
    assert made.spec is not None
    made.spec.replicas = 3
    stored = await deployments.update(made)
    assert stored.spec is not None
    assert stored.spec.replicas == 3
    with pytest.raises(Conflict):
        await deployments.update(made)
    assert stored.status is not None
    stored.status.replicas = 1
    assert to_body(await deployments.update_status(stored, dry_run=True))["status"]["replicas"] == 1
    assert [each.kind for each in await deployments.list()] == ["Deployment"]
    applied = to_model(V1Deployment, deployment("web", 5))
    assert to_body(await deployments.apply(applied, force=True, dry_run=True))["spec"]["replicas"] == 5
    assert await deployments.delete("web", propagation_policy="Background") is None
    pods = TypedClient(client).resource("pods", V1Pod, namespace)
    assert [each async for each in pods.iterate()] == []


async def test_typed_times_are_taken_back_as_they_were_given(client: Client, namespace: str) -> None:
    leases = TypedClient(client).resource("leases", V1Lease, namespace)
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z"}
    lease = await leases.create({"metadata": {"name": "whole-second"}, "spec": spec})
    assert lease.spec is not None
    lease.spec.holder_identity = "you"
    stored = to_body(await leases.update(lease))["spec"]  # the official client's own body would be refused here
    assert stored == {**spec, "holderIdentity": "you"}
