"""Tests of a release whose accounts were there before it: what they may do, what its processes do, what stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.deploy.conftest import NAMESPACE
from tests.support.controlplane import ControlPlane
from tests.support.deploy.release_processes import Visitor, account_of, release_processes
from tests.support.helm import VALUE_SETS, Helm, render
from tests.support.otlp_collector import Collector
from tests.support.wait import until
from tools.chart_files import CHART

pytestmark = [pytest.mark.program, pytest.mark.controlplane]

ACCOUNTS = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
READER, PAGES = "board-reader", "board-pages"


@pytest.fixture
def install(chart_controlplane: ControlPlane, helm: Helm) -> Iterator[Callable[..., None]]:
    """Installs the release with the accounts, which are deleted at the end."""
    for name in (READER, PAGES):
        chart_controlplane.create(ACCOUNTS, {"metadata": {"name": name}, "automountServiceAccountToken": False})

    def run(*options: str) -> None:
        helm("install", "deltaboard", str(CHART), "--values", str(VALUE_SETS["existing-accounts"]), *options)

    yield run
    helm.run("uninstall", "deltaboard", "--ignore-not-found")
    for name in (READER, PAGES):
        chart_controlplane.delete(f"{ACCOUNTS}/{name}")


def may(server: ControlPlane, account: str, verb: str, resource: str, group: str = "") -> bool:
    """Whether the API server lets an account do this in the whole cluster."""
    user = f"system:serviceaccount:{NAMESPACE}:{account}"
    asked = {"user": user, "resourceAttributes": {"verb": verb, "group": group, "resource": resource}}
    review = server.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": asked})
    return bool(review["status"]["allowed"])


def test_they_get_the_rights_and_are_left_when_the_release_goes(
    chart_controlplane: ControlPlane, install: Callable[..., None], helm: Helm
) -> None:
    impersonation = ("impersonate:user-info", "users", "authentication.k8s.io")
    install()
    assert {each["metadata"]["name"] for each in chart_controlplane.get(ACCOUNTS)["items"]} >= {READER, PAGES}
    assert not chart_controlplane.exists(f"{ACCOUNTS}/deltaboard-worker")
    assert not chart_controlplane.exists(f"{ACCOUNTS}/deltaboard-web")
    assert [may(chart_controlplane, name, "list", "secrets") for name in (READER, PAGES)] == [True, True]
    assert [may(chart_controlplane, name, *impersonation) for name in (READER, PAGES)] == [False, True]
    helm("uninstall", "deltaboard")
    assert [may(chart_controlplane, name, "list", "secrets") for name in (READER, PAGES)] == [False, False]
    assert chart_controlplane.exists(f"{ACCOUNTS}/{READER}")


def test_they_get_no_rights_where_none_are_made(chart_controlplane: ControlPlane, install: Callable[..., None]) -> None:
    install("--set", "rights.create=false")
    assert [may(chart_controlplane, name, "list", "secrets") for name in (READER, PAGES)] == [False, False]


@pytest.mark.redis
@pytest.mark.postgresql
def test_processes_with_them_watch_and_send_traces_to_the_collector_of_the_values(
    chart_controlplane: ControlPlane, install: Callable[..., None], tmp_path: Path
) -> None:
    pods = "/api/v1/namespaces/team-a/pods"
    with Collector() as collector:
        traced = ("--set", f"traces.endpoint={collector.url},traces.ratio=1")
        made = render("existing-accounts", *traced)
        assert (account_of(made, "worker"), account_of(made, "web")) == (READER, PAGES)
        install(*traced)
        with release_processes(chart_controlplane, made, NAMESPACE, tmp_path) as processes:
            spec = {"containers": [{"name": "a", "image": "nginx"}]}
            chart_controlplane.create(pods, {"metadata": {"name": "traced"}, "spec": spec})
            until(lambda: collector.named("replica apply", deltaboard__kind="pods"), what="the web process has the pod")
            page = Visitor(processes.web.url, {"X-Forwarded-User": "anna"}).get("/resources/pods/")
        chart_controlplane.delete(f"{pods}/traced")
    assert page.status_code == 200
    applied = collector.named("replica apply", deltaboard__kind="pods")[0]
    (published,) = [span for span in collector.trace(applied.trace) if span.name == "worker publish"]
    assert published.id == applied.parent
    assert published.process != applied.process
