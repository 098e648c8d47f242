"""Tests of discovery: every kind with its verbs, aggregated too, and kinds that come and go."""

from __future__ import annotations

from tests.devcluster.conftest import Demo
from tests.devcluster.server.endpoints.test_http import CRDS, GADGETS
from tests.support.wait import eventually

CUSTOM = {"apiextensions.k8s.io", "devcluster.example"}
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


async def test_discovery_names_every_kind_and_its_abilities(demo: Demo) -> None:
    core = (await demo.ask("GET", "/api/v1")).json["resources"]
    pods = next(entry for entry in core if entry["name"] == "pods")
    assert (pods["shortNames"], pods["namespaced"]) == (["po"], True)
    assert {"list", "watch", "create", "delete", "patch"} <= set(pods["verbs"])
    assert "pods/status" in {entry["name"] for entry in core}
    groups = {group["name"] for group in (await demo.ask("GET", "/apis")).json["groups"]}
    assert groups == {"apps", "batch", "coordination.k8s.io", "policy", "metrics.k8s.io", *CUSTOM}
    assert (await demo.ask("GET", "/apis/apps")).json["preferredVersion"]["version"] == "v1"


async def test_aggregated_discovery_says_the_same(demo: Demo) -> None:
    reply = await demo.ask("GET", "/apis", Accept=AGGREGATED)
    assert reply.json["kind"] == "APIGroupDiscoveryList"
    assert "as=APIGroupDiscoveryList" in reply.headers["Content-Type"]
    found = {
        (item["metadata"]["name"], resource["resource"])
        for item in reply.json["items"]
        for version in item["versions"]
        for resource in version["resources"]
    }
    assert {("devcluster.example", "gadgets"), ("apps", "deployments")} <= found
    core = (await demo.ask("GET", "/api", Accept=AGGREGATED)).json["items"]
    assert [item["metadata"] for item in core] == [{}]


async def test_a_kind_comes_and_goes_with_its_definition(demo: Demo) -> None:
    assert (await demo.ask("GET", GADGETS)).code == 200
    await demo.ask("DELETE", f"{CRDS}/gadgets.devcluster.example")

    async def gone() -> bool:
        return (await demo.ask("GET", GADGETS)).code == 404

    await eventually(gone)
    assert (await demo.ask("GET", GADGETS)).text == "404 page not found\n"
