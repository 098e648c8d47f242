"""Tests that the rights which the chart gives to its accounts are enough, and hardly more: what its processes ask for
on a real API server, by its audit log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.deploy.conftest import NAMESPACE
from tests.support.access.rbac_objects import RbacObjects
from tests.support.controlplane import ControlPlane
from tests.support.deploy.audit import IMPERSONATE_ON, Request, Right, granted, is_used, requests_in, rights_used
from tests.support.deploy.release_processes import Visitor, release_processes
from tests.support.deploy.roles import namespaces_with_roles, rules_of
from tests.support.helm import VALUE_SETS, Helm, render
from tests.support.long_tests import long_but
from tests.support.program import ROOT
from tests.support.wait import until
from tools.chart_files import CHART, Json

pytestmark = [pytest.mark.program, pytest.mark.controlplane, pytest.mark.redis, pytest.mark.postgresql]

PERSON = {"X-Forwarded-User": "anna", "X-Forwarded-Groups": "team", "X-User": "anna"}
ACCESS_REVIEWS, RBAC = "authorization.k8s.io", "rbac.authorization.k8s.io"
UNUSED = {
    ("web", Right("watch", "*", "*")): "asked about by access reviews: whether a kind can be followed, and where",
    ("web", Right("list", "*", "*")): "for kinds beyond those that are followed at the same time, and in drains",
    ("web", Right(f"{IMPERSONATE_ON}create", ACCESS_REVIEWS, "selfsubjectaccessreviews")): "with other authorizers",
    ("web", Right("impersonate:user-info", "authentication.k8s.io", "uids")): "where an issuer names a uid",
    ("web", Right("impersonate", "authentication.k8s.io", "uids")): "where an issuer names a uid",
    **{
        ("web", Right("list", RBAC, kind)): "of API servers that stream no lists"
        for kind in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
    },
    ("worker", Right("patch", "", "events")): "of an Event that is repeated",
}
"""Rights that no page below needs, and what they are for."""
KINDS = ("pods", "deployments", "configmaps", "secrets", "services", "nodes", "namespaces", "clusterroles", "events")


@pytest.fixture
def rbac(chart_controlplane: ControlPlane) -> Iterator[RbacObjects]:
    """Anna may do everything: what is refused is refused to Deltaboard."""
    with RbacObjects(chart_controlplane) as objects:
        everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
        objects.grant("User/anna", everything, {"nonResourceURLs": ["*"], "verbs": ["*"]})
        yield objects


@pytest.fixture
def settings(chart_controlplane: ControlPlane) -> Iterator[str]:
    """The name of a ConfigMap in team-a, beside a Deployment, a Pod and a Mydemo of this name."""
    chart_controlplane.apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    name = f"settings-{uuid4().hex[:8]}"
    pod = {"containers": [{"name": "a", "image": "nginx"}]}
    labels = {"app": name}
    root, apps = "/api/v1/namespaces/team-a", "/apis/apps/v1/namespaces/team-a"
    chart_controlplane.create(f"{root}/configmaps", {"metadata": {"name": name}, "data": {"a": "1"}})
    chart_controlplane.create(f"{root}/pods", {"metadata": {"name": name, "labels": labels}, "spec": pod})
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    chart_controlplane.create(f"{apps}/deployments", {"metadata": {"name": name}, "spec": spec})
    mydemo = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": name}}
    mydemos = "/apis/crddemo.k8s.io/v1/namespaces/team-a/mydemos"
    chart_controlplane.create(mydemos, {**mydemo, "spec": {"ip": "10.0.0.1", "port": 80}})
    yield name
    chart_controlplane.delete(f"{mydemos}/{name}")
    chart_controlplane.delete(f"{root}/pods/{name}")
    chart_controlplane.delete(f"{apps}/deployments/{name}")


def visit(visitor: Visitor, name: str, *, writes: bool) -> None:
    """Open pages of each sort, and change, where that is allowed, a ConfigMap and a Deployment in each way."""
    of_map = f"/resources/configmaps/team-a/{name}/"
    of_pod = f"/resources/pods/team-a/{name}/"
    until(lambda: visitor.get(of_map).status_code == 200, what="it is known what Anna may see")
    visitor.crawl(
        "/", *(f"/resources/{kind}/" for kind in KINDS), "/feed/", "/kinds/?all", "/kinds/counts/", "/namespaces/",
        "/whoami/", "/controllers/", "/runs/", "/drafts/", "/audit/", "/new/", "/freshness/", f"/search/?q={name}",
        of_map, f"{of_map}yaml/", f"{of_map}history/", f"{of_map}edit/", f"{of_map}delete/",
        f"/why/configmaps/team-a/{name}/",
        f"{of_pod}logs/", f"{of_pod}logs/logs.txt", f"{of_pod}terminal/", f"{of_pod}do/evict/",
        "/logs/?namespace=team-a",
        f"/resources/deployments/team-a/{name}/do/scale/",
        "/resources/configmaps/new/?namespace=team-a",
        most=45,
    )  # fmt: skip
    if writes:
        created = f"{name}-created"
        text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {created}\n  namespace: team-a\ndata:\n  a: '1'\n"
        visitor.press("/resources/configmaps/new/?namespace=team-a", "review", "create", yaml=text)
        edited = f"/resources/configmaps/team-a/{created}/"
        until(lambda: visitor.get(edited).status_code == 200, what=f"{edited} is there")
        visitor.press(f"{edited}edit/", "review", "save", yaml=text.replace("'1'", "'2'"))
        visitor.press(f"/resources/deployments/team-a/{name}/do/restart/", "do")
        visitor.press(f"{edited}delete/", "delete")


@pytest.mark.parametrize(
    "values",
    long_but(
        ("trial", "account-that-writes", "proxy", "proxy-read-only", "namespaces", "namespaces-of-people"), "proxy"
    ),
)
def test_the_accounts_may_do_what_the_processes_do_and_hardly_more(
    chart_controlplane: ControlPlane, helm: Helm, rbac: RbacObjects, settings: str, tmp_path: Path, values: str
) -> None:
    made = render(values)
    log = chart_controlplane.directory / "audit.log"
    helm("install", "deltaboard", str(CHART), "--values", str(VALUE_SETS[values]))
    try:
        begin = log.stat().st_size if log.exists() else 0
        with release_processes(chart_controlplane, made, NAMESPACE, tmp_path) as processes:
            visitor = Visitor(processes.web.url, PERSON)
            writes = "DELTABOARD_READ_ONLY" not in processes.web.env
            visit(visitor, settings, writes=writes)
            assert (values == "proxy") == ("staging" in visitor.get("/feed/").text)  # its clusterName
            if writes:
                assert _is_changed(chart_controlplane, settings)
            if "DELTABOARD_CONTROLLERS" in processes.worker.env:
                events = "/api/v1/namespaces/team-a/events"
                until(lambda: chart_controlplane.get(events)["items"] != [], what="a controller records an Event")
        done = [*requests_in(log, begin)]
    finally:
        helm("uninstall", "deltaboard")
    assert len(visitor.opened) >= 40
    refused = [each for each in done if each.code in (401, 403)]
    if "namespaces" in values:  # what is elsewhere is asked for, and said to be forbidden
        refused = [each for each in refused if each.right.verb not in ("list", "watch") or _is_shown(made, each)]
    assert refused == []
    assert {*_unused(made, done)} - UNUSED.keys() == set()


def _is_changed(server: ControlPlane, name: str) -> bool:
    """Whether the Deployment was restarted, and the ConfigMap that was created is deleted."""
    template = server.get(f"/apis/apps/v1/namespaces/team-a/deployments/{name}")["spec"]["template"]
    is_deleted = not server.exists(f"/api/v1/namespaces/team-a/configmaps/{name}-created")
    return is_deleted and "kubectl.kubernetes.io/restartedAt" in template["metadata"].get("annotations", {})


def _is_shown(made: list[Json], request: Request) -> bool:
    """Whether the account may read this."""
    rights = granted(rules_of(made, request.account, request.namespace if request.namespace != NAMESPACE else ""))
    return any(is_used(right, {request.right}) for right in rights)


def _unused(made: list[Json], done: list[Request]) -> Iterator[tuple[str, Right]]:
    """Account and right, of rights that no request needed. Rules of whole API groups are taken together."""
    for account in ("worker", "web"):
        used = rights_used(each for each in done if each.account == f"deltaboard-{account}")
        for namespace in namespaces_with_roles(made):
            for right in granted(rules_of(made, f"deltaboard-{account}", namespace)):
                whole = right._replace(group="*") if right.resource == "*" else right
                if not is_used(whole, used):
                    yield account, whole
