"""Tests of log, exec and portforward, which are refused because no containers run."""

from __future__ import annotations

import pytest

from tests.support.devcluster.http_client import Api
from tests.support.devcluster.parity.case import pod
from tests.support.kubectl import KubectlSide


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
