"""Tests of access reviews, which allow everything."""

from __future__ import annotations

from tests.support.devcluster.http_client import Api, Json
from tests.support.kubectl import KubectlSide

AUTHORIZATION = "/apis/authorization.k8s.io/v1"


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
