"""Tests of access reviews, and of logs and exec of pods without containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.devcluster.http_client import Api, Json
from tests.support.devcluster.parity.case import pod
from tests.support.kubectl import KubectlSide, kubectl_binary
from tests.support.skip_if_missing import missing

AUTHORIZATION = "/apis/authorization.k8s.io/v1"


@pytest.fixture
def kubectl(process: Path, tmp_path: Path) -> KubectlSide:
    binary = kubectl_binary()
    if binary is None:
        missing("kubectl", "none on PATH or in KUBEBUILDER_ASSETS")
    return KubectlSide(binary, process, tmp_path / "cache", "default")


def test_everything_is_allowed_whatever_is_asked(api: Api) -> None:
    spec: Json = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    reply = api.post(f"{AUTHORIZATION}/selfsubjectaccessreviews", {"spec": spec})
    assert (reply.code, reply.json["spec"], reply.json["status"]) == (201, spec, {"allowed": True})
    for body in ("k8s\x00whatever", "", "[]"):
        reply = api.call(
            "POST", f"{AUTHORIZATION}/selfsubjectaccessreviews", body, "application/vnd.kubernetes.protobuf"
        )
        assert (reply.code, reply.json["status"]) == (201, {"allowed": True})
    assert api.get(f"{AUTHORIZATION}/selfsubjectaccessreviews").code == 404


def test_kubectl_auth_is_answered(kubectl: KubectlSide) -> None:
    assert kubectl.run("auth can-i create pods").strip() == "yes"
    assert kubectl.run("auth can-i --list").splitlines()[1].split() == ["*.*", "[]", "[]", "[*]"]
    assert "demo" in kubectl.run("auth whoami")


@pytest.mark.parametrize(
    ("subresource", "why"),
    [("log", "has no logs"), ("exec", "has nothing to execute in"), ("portforward", "listens on no port")],
)
def test_what_takes_a_container_is_refused_with_a_sentence(api: Api, subresource: str, why: str) -> None:
    reply = api.get(f"/api/v1/namespaces/default/pods/web-1/{subresource}")
    assert (reply.code, reply.json["reason"]) == (501, "NotImplemented")
    said = f'no containers run in the demo cluster: pod "web-1" {why}; kubectl describe pod web-1 says what it does'
    assert reply.json["message"] == said
    assert api.get("/api/v1/namespaces/default/pods/web-1/other").code == 404


def test_kubectl_logs_says_so(api: Api, namespace: str, kubectl: KubectlSide) -> None:
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
    assert api.post(f"/api/v1/namespaces/{namespace}/pods", pod("quiet")).code == 201
    said = kubectl.run(f"logs quiet -n {namespace}")
    assert said.startswith('Error from server (NotImplemented): no containers run in the demo cluster: pod "quiet" has')
