"""Tests of usage with metrics-server behind a real API server: lists, details, and what they say when it is gone."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.e2e.conftest import CRD, Dashboard
from tests.support.controlplane import USERS, ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubectl import kubectl_binary
from tests.support.local_dashboard import ask
from tests.support.metrics_server import API_SERVICE, NAME, NODE, front_proxy_flags, metrics_server
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import until

pytestmark = [pytest.mark.controlplane, pytest.mark.long]

LABELS = {"app": "shop"}
PARTLY = "partly-measured"
ROLE = "usage-of-pods"
RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{RBAC_GROUP}/v1"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    folder = tmp_path_factory.mktemp("measured")
    controlplane = ControlPlane(folder, controlplane_binaries(), apiserver_flags=front_proxy_flags(folder / "front"))
    try:
        controlplane.start()
        controlplane.apply_crd(CRD)
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture(scope="module")
def server(cluster: ControlPlane) -> Iterator[Daemon]:
    with metrics_server(cluster, cluster.directory / "front") as daemon:
        cluster.create_namespace("shop")
        mydemo_type = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo"}
        mydemo = cluster.create(
            "/apis/crddemo.k8s.io/v1/namespaces/shop/mydemos",
            {**mydemo_type, "metadata": {"name": "shop"}, "spec": {"ip": "10.0.0.1", "port": 80}},
        )
        owner = {**mydemo_type, "name": "shop", "controller": True}
        deployment = cluster.create(
            "/apis/apps/v1/namespaces/shop/deployments",
            {
                "metadata": {"name": "shop", "ownerReferences": [{**owner, "uid": mydemo["metadata"]["uid"]}]},
                "spec": {
                    "selector": {"matchLabels": LABELS},
                    "template": {
                        "metadata": {"labels": LABELS},
                        "spec": {"containers": [{"name": "main", "image": "i"}]},
                    },
                },
            },
        )
        for name, cpu, memory, limit in (("low", "50m", "40Mi", "200Mi"), ("high", "400m", "190Mi", "200Mi")):
            create_pod(cluster, name, cpu, memory, limit, deployment["metadata"]["uid"])
        create_pod(cluster, "free", "100m", "1Gi", "", "")
        cluster.create_namespace(PARTLY)
        create_pod(cluster, "measured", "100m", "64Mi", "", "", namespace=PARTLY)
        create_pod(cluster, "unmeasured", "100m", "64Mi", "", "", namespace=PARTLY, node="lost-node")
        create_pod(cluster, "ended", "100m", "64Mi", "", "", namespace=PARTLY, node="lost-node")
        ended = f"/api/v1/namespaces/{PARTLY}/pods/ended/status"
        cluster.patch(ended, {"status": {"phase": "Succeeded"}})
        for path, body in account_role(USERS["deltaboard"][0]).items():
            cluster.create(f"{RBAC}/{path}", body)
        yield daemon


def account_role(user: str) -> dict[str, dict[str, Any]]:
    """A role that reads what Deltaboard follows and the usage of pods, without that of nodes, and its binding."""
    verbs, followed = ["get", "list", "watch"], ["pods", "nodes", "namespaces", "events"]
    rules = [
        {"apiGroups": [""], "resources": followed, "verbs": verbs},
        {"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": verbs},
        {"apiGroups": ["metrics.k8s.io"], "resources": ["pods"], "verbs": ["get", "list"]},
    ]
    role = {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": ROLE}
    subject = {"apiGroup": RBAC_GROUP, "kind": "User", "name": user}
    return {
        "clusterroles": {"metadata": {"name": ROLE}, "rules": rules},
        "clusterrolebindings": {"metadata": {"name": ROLE}, "roleRef": role, "subjects": [subject]},
    }


def create_pod(
    cluster: ControlPlane, name: str, cpu: str, memory: str, limit: str, owner: str,
    *, namespace: str = "shop", node: str = NODE,
) -> None:  # fmt: skip
    """A pod that uses this; `owner` is the uid of the Deployment, which owns it without a ReplicaSet between."""
    resources = {"limits": {"memory": limit, "cpu": "500m"}} if limit else {}
    annotations = {"usage/cpu": cpu, "usage/memory": memory}
    metadata: dict[str, Any] = {"name": name, "labels": LABELS, "annotations": annotations}
    if owner:
        reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": owner, "controller": True}
        metadata["ownerReferences"] = [reference]
    spec = {"nodeName": node, "containers": [{"name": "main", "image": "i", "resources": resources}]}
    cluster.create(f"/api/v1/namespaces/{namespace}/pods", {"metadata": metadata, "spec": spec})


@contextmanager
def open_dashboard(kubeconfig: Path, home: Path) -> Iterator[Dashboard]:
    """A dashboard that polls each second."""
    program = Dashboard(kubeconfig, home, DELTABOARD_USAGE_SECONDS="1")
    try:
        yield program.open()
    finally:
        program.__exit__()


@pytest.fixture(scope="module")
def site(cluster: ControlPlane, server: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with open_dashboard(cluster.kubeconfig, tmp_path_factory.mktemp("home")) as program:
        yield program


def shown(site: Dashboard, path: str) -> str:
    """The text of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", ask(f"{site.url}{path}").body)))


def rows(site: Dashboard, path: str) -> dict[str, tuple[str, str]]:
    """The texts of the cells of CPU and memory, by the object's name."""
    found = {}
    for row in re.findall(r"<tr id=\"row-.*?</tr>", ask(f"{site.url}{path}").body, re.DOTALL):
        name = re.search(r'data-name="([^"]+)"', row)
        cells = [re.search(rf'<td class="c-{each} [^>]*>(.*?)</td>', row, re.DOTALL) for each in ("cpu", "memory")]
        assert name is not None
        cpu, memory = (unescape(re.sub(r"<[^>]+>", "", each[1])).strip() if each else "" for each in cells)
        found[name[1]] = (cpu, memory)
    return found


def wait_for(site: Dashboard, path: str, name: str) -> dict[str, tuple[str, str]]:
    """The rows, once it is known what the object uses."""
    until(lambda: rows(site, path).get(name, ("–", ""))[0] not in ("–", ""), within=90, what=f"{name} is measured")
    return rows(site, path)


def wait_for_names(site: Dashboard, path: str, names: list[str]) -> None:
    until(lambda: sorted(rows(site, path)) == names, what=f"{path} has {names}")


PODS = "/resources/pods/?namespace=shop"
NODES_MISSING = (
    "Deltaboard's account may not read the usage of nodes: "
    "that needs the right to list nodes in API group metrics.k8s.io."
)


def test_lists_show_what_kubectl_top_prints(site: Dashboard, cluster: ControlPlane) -> None:
    pods = wait_for(site, PODS, "high")
    assert {name: memory for name, (_, memory) in pods.items()} == {
        "low": "20% 40Mi", "high": "95% 190Mi", "free": "12% 1024Mi",
    }  # fmt: skip
    top = subprocess.run(
        [kubectl_binary() or "kubectl", "top", "pods", "--namespace=shop", "--no-headers"],
        env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed = {line.split()[0]: line.split()[1:] for line in top.stdout.splitlines()}
    for name, (cpu, memory) in pods.items():
        assert memory.split()[1] == printed[name][1]
        cores, expected = (int(each.removesuffix("m")) for each in (cpu.split()[1], printed[name][0]))
        assert abs(cores - expected) <= 0.2 * expected + 5  # measured at another moment
    nodes = wait_for(site, "/resources/nodes/", NODE)
    assert re.fullmatch(r"\d+% \d+m", nodes[NODE][0])
    assert wait_for(site, "/resources/namespaces/", "shop")["shop"][1].endswith("1254Mi")


def test_pods_are_found_and_sorted_by_what_they_use(site: Dashboard) -> None:
    wait_for(site, PODS, "high")
    for query, names in (
        ("memory>80%", ["high"]),
        ("memory<=80%", ["free", "low"]),
        ("memory>100Mi", ["free", "high"]),
        ("cpu>=300m", ["high"]),
        ("cpu=", []),
    ):
        wait_for_names(site, f"{PODS}&q={quote(query)}", names)
    until(lambda: list(rows(site, f"{PODS}&sort=-memory")) == ["free", "high", "low"], what="sorted by memory")
    export = ask(f"{site.url}/resources/pods/export.csv?namespace=shop&sort=-memory").body.splitlines()
    assert export[0].split(",")[6:8] == ["CPU", "Memory"]


def test_owners_have_the_sum_of_their_pods(site: Dashboard) -> None:
    found = wait_for(site, "/resources/deployments.apps/?namespace=shop", "shop")
    assert found["shop"][1] == "57% 230Mi"
    assert wait_for(site, "/resources/mydemos.crddemo.k8s.io/", "shop")["shop"][1] == "57% 230Mi"


def test_a_sum_says_how_many_of_the_pods_that_may_run_are_in_it(site: Dashboard) -> None:
    found = wait_for(site, "/resources/namespaces/", PARTLY)
    assert found[PARTLY][1] == "1/2 pods 64Mi"
    details = f"/resources/namespaces/-/{PARTLY}/"
    assert "1 of 2 pods measured: the others are not in the sum." in shown(site, details)
    assert "pods measured" not in shown(site, "/resources/namespaces/-/shop/")


def test_an_account_without_the_right_to_nodes_has_the_pods_and_is_told_of_the_right(
    cluster: ControlPlane, server: Daemon, tmp_path: Path
) -> None:
    kubeconfig = cluster.kubeconfig_of("deltaboard")
    with open_dashboard(kubeconfig, tmp_path) as account:
        assert wait_for(account, PODS, "high")["high"][1] == "95% 190Mi"
        until(lambda: NODES_MISSING in shown(account, "/resources/nodes/"), what="the right is named")
        assert rows(account, "/resources/nodes/")[NODE] == ("–", "–")
        details = shown(account, f"/resources/nodes/-/{NODE}/")
        assert NODES_MISSING in details
        assert "Not measured yet" not in details
        assert "may not read" not in shown(account, PODS)
        assert wait_for(account, "/resources/namespaces/", "shop")["shop"][1].endswith("1254Mi")


def test_details_draw_what_was_used_with_the_limit(site: Dashboard) -> None:
    wait_for(site, PODS, "high")
    until(lambda: 'class="limit"' in ask(f"{site.url}/resources/pods/shop/high/").body, within=60, what="a chart")
    page = ask(f"{site.url}/resources/pods/shop/high/").body
    assert 'aria-label="Memory: now 190Mi, 95% of the limit 200Mi, at most 190Mi in the time shown"' in page
    assert "95% of its node's allocatable" not in page
    assert "Created" in page
    free = shown(site, "/resources/pods/shop/free/")
    assert "12% of its node's allocatable 8192Mi" in free
    assert "Usage" not in shown(site, "/resources/configmaps/kube-system/extension-apiserver-authentication/")


def test_without_the_metrics_api_one_sentence_says_so_and_lists_go_on(
    site: Dashboard, cluster: ControlPlane, server: Daemon, tmp_path: Path
) -> None:
    wait_for(site, PODS, "high")
    server.kill()
    until(lambda: "The metrics API does not answer" in shown(site, "/resources/pods/shop/high/"), within=60)
    assert rows(site, PODS)["high"][1] == "95% 190Mi"  # what was measured last, for some minutes
    assert re.search(
        r"The metrics API does not answer.* The last try was at .*, the next one is at ", shown(site, PODS)
    )
    cluster.delete(f"{API_SERVICE}/{NAME}")
    until(lambda: "Nothing in the cluster serves the metrics API" in shown(site, f"{PODS}&q=memory%3E1Gi"), within=60)
    assert rows(site, PODS)["high"] == ("–", "–")
    kubeconfig = cluster.kubeconfig_of("deltaboard")
    with open_dashboard(kubeconfig, tmp_path) as account:
        until(lambda: rows(account, "/resources/nodes/"), within=60, what="nodes are listed")
        details = f"/resources/nodes/-/{NODE}/"  # reading the usage is forbidden, and would be in vain
        until(lambda: "Nothing in the cluster serves the metrics API" in shown(account, details), within=60)
        assert "may not read" not in shown(account, details)
        assert "may not read" not in shown(account, "/resources/nodes/")
