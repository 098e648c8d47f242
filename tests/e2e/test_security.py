"""Tests of safe defaults: no cross-site reads or writes, no markup from object text, no visible Secret values."""

from __future__ import annotations

import base64
import http.client
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos, pod, pods

HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
}


def call(dashboard: Dashboard, method: str, path: str, **headers: str) -> int:
    """The status of one raw request; headers as keywords with underscores."""
    connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=30)
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=names)
        return connection.getresponse().status
    finally:
        connection.close()


def handshake(dashboard: Dashboard, **headers: str) -> int:
    underscored = {name.replace("-", "_"): value for name, value in HANDSHAKE.items()}
    return call(dashboard, "GET", "/live/?path=/resources/pods/", **underscored, **headers)


def test_a_request_under_a_foreign_host_name_is_refused(dashboard: Dashboard) -> None:
    assert call(dashboard, "GET", "/", Host="evil.example") == 400
    assert call(dashboard, "GET", "/", Host=f"127.0.0.1:{dashboard.port}") == 200


def test_a_websocket_from_a_foreign_origin_host_or_without_origin_is_refused(dashboard: Dashboard) -> None:
    here = f"127.0.0.1:{dashboard.port}"
    assert handshake(dashboard, Host=here, Origin=f"http://{here}") == 101
    assert handshake(dashboard, Host=here, Origin="http://evil.example") == 403
    assert handshake(dashboard, Host=here, Origin="http://127.0.0.1:1") == 403
    assert handshake(dashboard, Host="evil.example", Origin="http://evil.example") in {400, 403}
    assert handshake(dashboard, Host=here) == 403


def test_a_post_without_csrf_token_is_refused(dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> None:
    cluster.create(mydemos(namespace), mydemo("guarded"))
    for action in ("edit", "delete"):
        assert call(dashboard, "POST", f"/resources/mydemos.crddemo.k8s.io/{namespace}/guarded/{action}/") == 403
    assert cluster.exists(mydemos(namespace, "guarded"))


@pytest.mark.browser
def test_object_text_is_shown_as_text_everywhere(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    hostile = pod("hostile")
    hostile["metadata"]["annotations"] = {"note": "<script>window.owned = 1</script><img src=x onerror=alert(1)>"}
    hostile["spec"]["containers"][0]["image"] = "<b>bold</b>"
    cluster.create(pods(namespace), hostile)
    event = {
        "metadata": {"name": "hostile.1"},
        "involvedObject": {"kind": "Pod", "namespace": namespace, "name": "hostile"},
        "reason": "<i>Reason</i>", "message": "<script>window.owned = 1</script>", "type": "Warning",
    }  # fmt: skip
    for path in ("/feed/", f"/resources/pods/{namespace}/hostile/", f"/resources/events/?namespace={namespace}"):
        page.goto(f"{dashboard.url}{path}")
        expect(page.locator("body")).to_have_attribute("data-live", "live")
        if path == "/feed/":
            cluster.create(f"/api/v1/namespaces/{namespace}/events", event)
            expect(page.locator(f"li[data-resource=events][data-namespace='{namespace}']")).to_have_count(1)
        assert page.evaluate("window.owned") is None
        assert page.locator("main b:text-is('bold'), main i:text-is('Reason'), main img").count() == 0
    page.goto(f"{dashboard.url}/resources/pods/{namespace}/hostile/")
    expect(page.locator("main")).to_contain_text("<script>window.owned = 1</script>")


@pytest.mark.long
@pytest.mark.browser
def test_secret_values_never_reach_a_page(
    page: Page, cluster: ControlPlane, namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    value = "hunter2-hunter2"
    encoded = base64.b64encode(value.encode()).decode()
    applied = {"kubectl.kubernetes.io/last-applied-configuration": f'{{"data":{{"password":"{encoded}"}}}}'}
    secret = {"metadata": {"name": "vault", "annotations": applied}, "data": {"password": encoded}}
    cluster.create(f"/api/v1/namespaces/{namespace}/secrets", secret)
    dashboard = new_dashboard(cluster.kubeconfig, DELTABOARD_KINDS="pods,secrets")
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda payload: frames.append(str(payload))))
    seen = ""
    for path in ("", "vault/", "vault/yaml/"):
        address = f"/resources/secrets/{namespace}/{path}" if path else f"/resources/secrets/?namespace={namespace}"
        page.goto(f"{dashboard.url}{address}")
        seen += page.content()
    page.goto(f"{dashboard.url}/resources/secrets/{namespace}/vault/")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    cluster.patch(f"/api/v1/namespaces/{namespace}/secrets/vault", {"metadata": {"labels": {"seen": "yes"}}})
    expect(page.locator("main")).to_contain_text("seen")
    seen += page.content() + "".join(frames)
    assert "vault" in seen
    assert value not in seen
    assert encoded not in seen


@pytest.mark.long
@pytest.mark.browser
def test_every_page_comes_with_a_policy_without_unsafe_words(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("framed"))
    detail = f"/resources/mydemos.crddemo.k8s.io/{namespace}/framed/"
    for path in ("/", "/feed/", "/resources/pods/", detail, f"{detail}edit/", f"{detail}delete/", "/resources/none/"):
        answer = page.goto(f"{dashboard.url}{path}")
        assert answer is not None
        policy = answer.headers["content-security-policy"]
        assert not re.search(r"unsafe-(inline|eval)|\*", policy), policy
        assert "frame-ancestors 'none'" in policy
        assert not re.search(r"\sstyle=|\son\w+=|<script(?![^>]*(src=|application/json))", answer.text())
