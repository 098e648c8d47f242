"""Attack: pages of logs that ask for 10,000 containers at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dashboard.live.logs.container_streams import MAX_STREAMS
from dashboard.pages.logs.log_source_reader import MAX_SOURCES
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubelet_logs import NODE, kubelet_with_logs, log_line
from tests.support.local_dashboard import ask
from tests.support.raw_websocket import RawWebSocket
from tests.support.wait import until

pytestmark = [pytest.mark.program, pytest.mark.long]

PODS = 10_000 // MAX_SOURCES
USERS = ("ann", "bob", "carol", "mallory")
USER_HEADER = "X-Forwarded-User"
LINES = 1_000
MEMORY = 256 * 2**20
"""Bytes by which the process may grow: 128 MiB of lines at most, and what 200 pages of 50 containers need."""


@pytest.fixture
def kubelet(own_controlplane: ControlPlane, tmp_path: Path) -> Iterator[Daemon]:
    with kubelet_with_logs(own_controlplane, tmp_path / "kubelet") as kubelet:
        yield kubelet


@pytest.fixture
def site(own_controlplane: ControlPlane, kubelet: Daemon, tmp_path: Path) -> Iterator[Dashboard]:
    env = {"DELTABOARD_TRUST_PROXY_USER": USER_HEADER, "DELTABOARD_RIGHTS": "account"}
    program = Dashboard(own_controlplane.kubeconfig, tmp_path / "home", **env)
    try:
        yield program.open()
    finally:
        program.__exit__()


def pods_of_many_containers(cluster: ControlPlane, namespace: str, folder: Path) -> None:
    """PODS pods, each with MAX_SOURCES running containers, which all write what is in one file."""
    file = folder / "all.log"
    file.write_bytes(b"".join(log_line(f"line {number}") for number in range(LINES)))
    names = [f"main-{number}" for number in range(MAX_SOURCES)]
    running = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    status = {"image": "main:1", "imageID": "", "ready": True, "restartCount": 0, "state": running, "lastState": {}}
    statuses = [{"name": name, "containerID": f"test://{name}", **status} for name in names]
    for number in range(PODS):
        pod = {"metadata": {"name": f"many-{number}"}, "spec": {"nodeName": NODE, "containers": [
            {"name": name, "image": "main:1"} for name in names
        ]}}  # fmt: skip
        cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod)
        cluster.patch(f"/api/v1/namespaces/{namespace}/pods/many-{number}/status", {
            "status": {"phase": "Running", "containerStatuses": statuses}
        })  # fmt: skip
        cluster.create(f"/apis/kwok.x-k8s.io/v1alpha1/namespaces/{namespace}/logs", {
            "apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Logs", "metadata": {"name": f"many-{number}"},
            "spec": {"logs": [{"containers": names, "logsFile": str(file), "follow": True}]},
        })  # fmt: skip


def streams(site: Dashboard) -> int:
    metrics = ask(f"{site.url}/metrics", X_Forwarded_User="prometheus").body
    return int(float(metrics.partition("\ndeltaboard_log_streams ")[2].split()[0]))


def resident(site: Dashboard) -> int:
    """Bytes of the dashboard's process."""
    assert site.process is not None
    return int(Path(f"/proc/{site.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.timeout(900)
def test_ten_thousand_containers_are_bounded_and_pages_say_so(
    site: Dashboard, own_controlplane: ControlPlane, tmp_path: Path
) -> None:
    namespace = own_controlplane.create_namespace("many")
    pods_of_many_containers(own_controlplane, namespace, tmp_path)

    def path(number: int) -> str:
        return f"/resources/pods/{namespace}/many-{number}/logs/"

    def page(number: int) -> str:
        return ask(site.url + path(number), X_Forwarded_User=USERS[0]).body

    until(lambda: ask(site.url + path(PODS - 1), X_Forwarded_User="ann").status == 200, within=60)
    before = resident(site)
    most = 0
    with ExitStack() as sockets:
        for number in range(PODS):
            headers = {USER_HEADER: USERS[number % len(USERS)]}
            socket = sockets.enter_context(RawWebSocket(site.port, path(number), headers=headers))
            assert socket.next_heartbeat()
            most = max(most, streams(site))
        assert most == MAX_STREAMS
        assert f"follows {MAX_STREAMS} logs already" in page(PODS - 1)
        assert "line 999" in page(0)
        assert ask(f"{site.url}/resources/pods/", X_Forwarded_User="dave").status == 200
        assert resident(site) - before < MEMORY
    until(lambda: streams(site) == 0, within=60, what="no log is followed any more")
    until(lambda: "line 999" in page(PODS - 1), what="a page of the last pod has its lines")
