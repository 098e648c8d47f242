"""Tests of logs and shells, which are made up, and of what is refused because no containers run."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

import pytest

from tests.support.devcluster.http_client import Api
from tests.support.devcluster.parity.case import pod
from tests.support.kubectl import KubectlSide


@pytest.mark.parametrize(
    ("subresource", "why"),
    [
        ("attach", "has nothing to attach to"),
        ("proxy", "listens on no port"),
    ],
)
def test_what_takes_a_container_is_refused_with_a_sentence(api: Api, subresource: str, why: str) -> None:
    reply = api.get(f"/api/v1/namespaces/default/pods/web-1/{subresource}")
    assert (reply.code, reply.json["reason"]) == (501, "NotImplemented")
    said = f'no containers run in the demo cluster: pod "web-1" {why}; kubectl describe pod web-1 says what it does'
    assert reply.json["message"] == said
    assert api.get("/api/v1/namespaces/default/pods/web-1/other").code == 404


def test_kubectl_prints_the_log_of_what_runs_and_the_reason_for_what_does_not(
    api: Api, namespace: str, kubectl: KubectlSide
) -> None:
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
    pods = f"/api/v1/namespaces/{namespace}/pods"
    assert api.post(pods, pod("quiet")).code == 201
    said = kubectl.run(f"logs quiet -n {namespace}")
    assert 'Error from server (BadRequest): container "c" in pod "quiet" is waiting to start: ContainerCreating' in said
    started = datetime.fromtimestamp(int(time.time()) - 60, UTC).isoformat().replace("+00:00", "Z")
    status = {"name": "c", "image": "r/cart:1.0.0", "imageID": "", "ready": True, "restartCount": 0}
    running = {**status, "state": {"running": {"startedAt": started}}}
    patch = {"status": {"phase": "Running", "containerStatuses": [running]}}
    assert api.patch(f"{pods}/quiet/status", patch).code == 200
    tail = api.get(f"{pods}/quiet/log?tailLines=3&timestamps=true").text.splitlines()
    assert len(tail) == 3
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ts=", line) for line in tail)
    assert api.get(f"{pods}/quiet/log?limitBytes=10").text == api.get(f"{pods}/quiet/log").text[:10]
    assert api.get(f"{pods}/quiet/log?sinceTime=2999-01-01T00:00:00Z").text == ""
    for query, code, words in (
        ("container=none", 400, "container none is not valid for pod quiet"),
        ("previous=true", 400, 'previous terminated container "c" in pod "quiet" not found'),
        ("tailLines=-1", 422, "must be greater than or equal to 0"),
        ("tailLines=x", 400, "invalid syntax"),
        ("sinceTime=x", 400, "parsing time"),
        ("sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", 422, "at most one of"),
    ):
        reply = api.get(f"{pods}/quiet/log?{query}")
        assert (reply.code, words in reply.json["message"]) == (code, True), reply.text
    assert api.get(f"{pods}/none/log").code == 404
    assert api.post(f"{pods}/quiet/log", {}).code == 405


def test_kubectl_runs_a_command_in_the_shell_of_the_demo_and_gets_its_exit_code(
    api: Api, namespace: str, kubectl: KubectlSide
) -> None:
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
    pods = f"/api/v1/namespaces/{namespace}/pods"
    assert api.post(pods, pod("quiet")).code == 201
    assert 'container not found ("c")' in kubectl.run(f"exec quiet -n {namespace} -- hostname")
    status = {"name": "c", "image": "r/cart:1.0.0", "imageID": "", "ready": True, "restartCount": 0}
    running = {**status, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    patch = {"status": {"phase": "Running", "containerStatuses": [running]}}
    assert api.patch(f"{pods}/quiet/status", patch).code == 200
    assert "quiet" in kubectl.run(f"exec quiet -n {namespace} -- cat /etc/hostname")
    assert "exit code 1" in kubectl.run(f"exec quiet -n {namespace} -- cat /etc/passwd")
    assert 'exec: "top": executable file not found' in kubectl.run(f"exec quiet -n {namespace} -- top")
    assert "container other is not valid for pod quiet" in kubectl.run(f"exec quiet -c other -n {namespace} -- ls")
    assert api.get(f"{pods}/quiet/exec").code == 400
    assert api.get(f"{pods}/quiet/exec?command=ls").code == 400  # no websocket
    assert api.post(f"{pods}/quiet/exec?command=ls", {}).code == 400
