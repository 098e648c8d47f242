"""Tests of evictions and their discovery, on the demo cluster and on the real API server.

Refusals and dry runs are cases of test_parity.
"""

from __future__ import annotations

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.devcluster.http_client import MERGE, Api, Json
from tests.support.devcluster.parity.case import pod
from tests.support.devcluster.parity.eviction_cases import budget, eviction

PLURALS = ("pods/eviction", "poddisruptionbudgets", "poddisruptionbudgets/status", "pods/binding")


@pytest.fixture(params=["demo", pytest.param("real", marks=pytest.mark.controlplane)])
def server(request: pytest.FixtureRequest, api: Api) -> Api:
    if request.param == "demo":
        return api
    controlplane: ControlPlane = request.getfixturevalue("controlplane")
    return Api.of(controlplane.kubeconfig)


@pytest.fixture
def place(server: Api, namespace: str) -> str:
    """A namespace with a running pod, and a budget that allows one disruption."""
    server.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    server.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    path = f"/api/v1/namespaces/{namespace}/pods"
    for name in ("a", "b"):
        server.post(path, {**pod(name), "metadata": {"name": name, "labels": {"app": "web"}}})
        _said(server, f"{path}/{name}", {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    server.post(budgets, budget("web"))
    _said(server, f"{budgets}/web", {"observedGeneration": 1, "disruptionsAllowed": 1, "currentHealthy": 2,
                                     "desiredHealthy": 1, "expectedPods": 2})  # fmt: skip
    return namespace


def _said(server: Api, path: str, status: Json) -> None:
    assert server.call("PATCH", f"{path}/status", {"status": status}, MERGE).code == 200


def test_an_eviction_takes_what_the_budget_allows_and_the_next_one_is_held(server: Api, place: str) -> None:
    pods = f"/api/v1/namespaces/{place}/pods"
    assert server.post(f"{pods}/a/eviction?dryRun=All", eviction("a")).code == 201
    found = server.get(f"/apis/policy/v1/namespaces/{place}/poddisruptionbudgets/web").json["status"]
    assert (found["disruptionsAllowed"], found.get("disruptedPods")) == (1, None), "a dry run takes nothing"

    uid = server.get(f"{pods}/a").json["metadata"]["uid"]
    assert server.post(f"{pods}/a/eviction", eviction("a", deleteOptions={"preconditions": {"uid": uid}})).code == 201
    assert server.get(f"{pods}/a").code == 404, "no node has to end it"
    found = server.get(f"/apis/policy/v1/namespaces/{place}/poddisruptionbudgets/web").json["status"]
    assert (found["disruptionsAllowed"], [*found["disruptedPods"]]) == (0, ["a"])

    held = server.post(f"{pods}/b/eviction", eviction("b"))
    assert (held.code, held.json["reason"]) == (429, "TooManyRequests")
    why = "The disruption budget web does not allow evicting pods currently"
    assert held.causes == [("", "DisruptionBudget", why)]
    assert server.get(f"{pods}/b").code == 200


def test_a_pod_on_a_node_gets_its_grace_period_and_says_why_it_goes(server: Api, place: str) -> None:
    pods = f"/api/v1/namespaces/{place}/pods"
    target = {"target": {"kind": "Node", "name": "somewhere"}, "metadata": {"name": "a"}}
    assert server.post(f"{pods}/a/binding", target).code == 201
    assert server.post(f"{pods}/a/eviction", eviction("a", deleteOptions={"gracePeriodSeconds": 7})).code == 201
    left = server.get(f"{pods}/a").json
    assert left["metadata"]["deletionGracePeriodSeconds"] == 7
    (why,) = (each for each in left["status"]["conditions"] if each["type"] == "DisruptionTarget")
    assert (why["reason"], why["message"]) == ("EvictionByEvictionAPI", "Eviction API: evicting")


def test_discovery_lists_bindings_evictions_and_budgets(server: Api) -> None:
    found = [*server.get("/api/v1").json["resources"], *server.get("/apis/policy/v1").json["resources"]]
    kept = [{k: v for k, v in each.items() if k != "storageVersionHash"} for each in found if each["name"] in PLURALS]
    changed = ["get", "patch", "update"]
    kind = {"namespaced": True, "kind": "PodDisruptionBudget"}
    every = ["create", "delete", "deletecollection", *changed[:1], "list", *changed[1:], "watch"]
    assert kept == [
        {"name": "pods/binding", "singularName": "", "namespaced": True, "kind": "Binding", "verbs": ["create"]},
        {"name": "pods/eviction", "singularName": "", "namespaced": True, "group": "policy", "version": "v1",
         "kind": "Eviction", "verbs": ["create"]},
        {"name": PLURALS[1], "singularName": "poddisruptionbudget", **kind, "verbs": every, "shortNames": ["pdb"]},
        {"name": PLURALS[2], "singularName": "", **kind, "verbs": changed},
    ]  # fmt: skip
