"""Tests of the client of read-only mode: what it sends, and what it refuses before anything is sent."""

from __future__ import annotations

import pytest

from dashboard.cluster.access_reviews import ResourceAttributes, ask_denial
from dashboard.cluster.read_only_client import ReadOnlyClient, check_read, subresource_of
from dashboard.objects.problems.write_refusal import refusal_of
from dashboard.runtime.read_only import ReadOnlyMode
from informerd.resource import PODS
from informerd.rest.cluster_config import Impersonation
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane

POD = "/api/v1/namespaces/default/pods/exec"
REVIEWS = "/apis/authorization.k8s.io/v1"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", POD),
        ("GET", f"{POD}/log"),
        ("GET", "/api/v1/namespaces/exec"),
        ("GET", "/version"),
        ("GET", "/apis/crddemo.k8s.io/v1/namespaces/exec/mydemos/proxy"),
        ("POST", f"{REVIEWS}/selfsubjectaccessreviews"),
        ("POST", f"{REVIEWS}/selfsubjectrulesreviews"),
        ("POST", f"{REVIEWS}/subjectaccessreviews"),
        ("POST", f"{REVIEWS}/namespaces/default/localsubjectaccessreviews"),
        ("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"),
    ],
)
def test_reads_and_questions_about_rights_are_sent(method: str, path: str) -> None:
    check_read(method, path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/namespaces/default/pods"),
        ("PUT", POD),
        ("PATCH", POD),
        ("DELETE", POD),
        ("OPTIONS", POD),
        ("get", POD),
        ("POST", f"{POD}/eviction"),
        ("GET", f"{POD}/exec"),
        ("GET", f"{POD}/ex%65c"),
        ("GET", f"{POD}/attach"),
        ("GET", f"{POD}/portforward"),
        ("GET", "/api/v1/nodes/a/proxy/run"),
        ("GET", "/api/v1/namespaces/default/services/a:80/proxy/x"),
        ("PUT", f"{REVIEWS}/selfsubjectaccessreviews"),
        ("POST", f"{REVIEWS}/selfsubjectaccessreviews/x"),
        ("POST", f"{REVIEWS}/selfsubjectaccessreviews/../../../../api/v1/pods"),
        ("POST", "/apis/authentication.k8s.io/v1/tokenreviews"),
        ("POST", "/api/v1/namespaces/default/serviceaccounts/a/token"),
    ],
)
def test_all_else_is_refused(method: str, path: str) -> None:
    with pytest.raises(ReadOnlyMode, match="DELTABOARD_READ_ONLY"):
        check_read(method, path)


def test_a_subresource_stands_after_the_name() -> None:
    assert subresource_of(f"{POD}/exec") == "exec"
    assert subresource_of(POD) == ""
    assert subresource_of("/apis/apps/v1/namespaces/a/deployments/b/scale") == "scale"
    assert subresource_of("/api/v1/namespaces/a/status") == ""


async def test_it_refuses_each_verb_and_dry_runs_whoever_it_speaks_for(controlplane: ControlPlane) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "default"}, "spec": {}}
    async with ReadOnlyClient(load_kubeconfig(controlplane.kubeconfig)) as client:
        for each in (client, client.impersonate(Impersonation(user="alice"))):
            for write in (
                each.create(PODS, pod, "default"),
                each.create(PODS, pod, "default", dry_run=True),
                each.update(PODS, pod, "default"),
                each.patch(PODS, "x", "default", {}),
                each.delete(PODS, "x", "default", dry_run=True),
                each.delete_collection(PODS, "default"),
            ):
                with pytest.raises(ReadOnlyMode):
                    await write
            with pytest.raises(ReadOnlyMode):
                async with each.stream("/api/v1/namespaces/default/pods/x/exec"):
                    pass
            with pytest.raises(ReadOnlyMode):
                async with each.download("/api/v1/nodes/x/proxy/logs"):
                    pass
        assert (await client.list(PODS)).object()["kind"] == "PodList"
        async with client.download("/api/v1/namespaces") as stream:
            assert b"NamespaceList" in await stream.read()


async def test_it_asks_about_rights(controlplane: ControlPlane) -> None:
    async with ReadOnlyClient(load_kubeconfig(controlplane.kubeconfig_of("alice"))) as client:
        assert "do not let" in await ask_denial(client, ResourceAttributes("delete", PODS, "default"))


def test_pages_say_what_it_refused() -> None:
    refusal = refusal_of(ReadOnlyMode())
    assert (refusal.code, refusal.title) == (403, "This Deltaboard is read-only")
    assert "DELTABOARD_READ_ONLY is on" in refusal.problems[0].words
    assert refusal.auto_retry_after is None
