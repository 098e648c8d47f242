"""Tests of a whole Deltaboard whose account has rights in two of five namespaces, on a real API server."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.live.namespaced_worker import Rights
from tests.support.wait import until

NAMES = ("red", "green", "blue", "grey", "gold")
SEEN = NAMES[:2]
LIMIT = "Namespaces green, red only"
KINDS = "pods,nodes,configmaps"


@pytest.fixture(scope="module")
def team_controlplane(modules_controlplane: ControlPlane) -> ControlPlane:
    """Five namespaces with a pod each; bob may read and change two of them, and look at nodes."""
    cluster = modules_controlplane
    rights = Rights(cluster, "bob", "bob")
    cluster.create("/api/v1/nodes", {"metadata": {"name": "node-1"}})
    for name in NAMES:
        cluster.create_namespace(name)
        spec = {"nodeName": "node-1", "containers": [{"name": "main", "image": "none"}]}
        cluster.create(f"/api/v1/namespaces/{name}/pods", {"metadata": {"name": f"own-{name}"}, "spec": spec})
    for name in SEEN:
        rights.give(name, "pods", "configmaps", "secrets", verbs=["*"])
    rights.give_all("nodes", verbs=["*"])
    return cluster


def page(dashboard: Dashboard, path: str) -> tuple[int, str]:
    """Status and words of a page."""
    try:
        with urllib.request.urlopen(dashboard.url + path, timeout=60) as answer:
            status, html = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, html = error.code, error.read().decode()
    return status, " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def json_of(dashboard: Dashboard, path: str) -> Any:
    with urllib.request.urlopen(dashboard.url + path, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.parametrize("is_chosen", [True, False], ids=["of the setting", "found by asking"])
def test_pages_show_two_namespaces_and_say_so(
    team_controlplane: ControlPlane, new_dashboard: Callable[..., Dashboard], is_chosen: bool
) -> None:
    chosen = {"DELTABOARD_NAMESPACES": "red, green"} if is_chosen else {}
    if not is_chosen:
        Rights(team_controlplane, "bob", "bob").give_all("nodes", "namespaces", verbs=["*"], name="names")
    dashboard = new_dashboard(team_controlplane.kubeconfig_of("bob"), DELTABOARD_KINDS=KINDS, **chosen)
    dashboard.migrate()
    until(lambda: "own-red" in page(dashboard, "/resources/pods/")[1], what="the pods are listed")
    for path in ("/", "/feed/", "/resources/pods/"):
        status, text = page(dashboard, path)
        assert status == 200
        assert LIMIT in text
        for name in NAMES[2:]:
            assert f"own-{name}" not in text
    assert json_of(dashboard, "/namespaces/") == {"names": ["green", "red"]}
    names = [each["metadata"]["name"] for each in json_of(dashboard, "/resources/pods/export.json")["items"]]
    assert sorted(names) == ["own-green", "own-red"]
    for name in ("own-gold", "nothing"):
        status, text = page(dashboard, f"/resources/pods/gold/{name}/")
        assert status == 404
        assert "Deltaboard's account does not see the namespace gold" in text
    assert page(dashboard, "/resources/pods/red/own-red/")[0] == 200
    status, text = page(dashboard, "/resources/secrets/")  # followed on demand
    assert status == 200
    until(lambda: LIMIT in page(dashboard, "/resources/secrets/")[1], what="the Secrets are listed by namespace")
    status, text = page(dashboard, "/resources/nodes/-/node-1/delete/")
    assert status == 200
    assert "what other namespaces have is not known here" in text
    status, text = page(dashboard, "/resources/nodes/-/node-1/do/drain/")
    assert status == 403
    assert "may not list the node's pods in other namespaces" in text
    status, text = page(dashboard, "/resources/pods/bulk/")
    assert status == 200
    assert "Change 2 Pods" in text
    assert "what matches in other namespaces is not known and stays as it is" in text
    assert page(dashboard, "/metrics")[0] == 200
