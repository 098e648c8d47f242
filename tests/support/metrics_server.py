"""metrics-server behind a real API server, with kwok as the kubelet that it asks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.api_client import ApiFailure
from tests.support.certificates import write_certificate
from tests.support.controller_manager_and_kwok import STAGES
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports
from tests.support.skip_if_missing import controlplane_binaries, missing
from tests.support.wait import until

NODE = "measured-node"
USAGE = Path(__file__).parent / "kwok_usage.yaml"
API_SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices"
NAME = "v1beta1.metrics.k8s.io"
_NAME = "front"
"""Name by which metrics-server knows the API server."""


def front_proxy_flags(folder: Path) -> tuple[str, ...]:
    """Make the certificates with which an API server asks others for people, and return the flags that it needs."""
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, authority = write_certificate(folder, "front-ca")
    write_certificate(folder, _NAME, authority_key, authority)
    return (
        f"--requestheader-client-ca-file={folder / 'front-ca.crt'}",
        f"--requestheader-allowed-names={_NAME}",
        f"--proxy-client-cert-file={folder / 'front.crt'}",
        f"--proxy-client-key-file={folder / 'front.key'}",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--kubelet-preferred-address-types=InternalIP",
    )


@contextmanager
def metrics_server(cluster: ControlPlane, folder: Path) -> Iterator[Daemon]:
    """Run metrics-server and a kubelet while the block lasts; `folder` has what `front_proxy_flags` made.

    A pod of NODE uses what its annotations usage/cpu and usage/memory say. The first figures come after some 20 s.
    """
    binaries = controlplane_binaries()
    absent = [name for name in ("kwok", "metrics-server") if not os.access(binaries / name, os.X_OK)]
    if absent:
        missing("usage", f"no {' and no '.join(absent)} in {binaries}")
    kubelet_port, server_port = free_ports(2)
    _create_node(cluster, kubelet_port)
    kubelet_folder, server_folder = folder / "kubelet", folder / "metrics-server"
    kubelet_folder.mkdir(exist_ok=True)
    server_folder.mkdir(exist_ok=True)
    kwok, server = Daemon(binaries / "kwok", kubelet_folder), Daemon(binaries / "metrics-server", server_folder)
    certificate = cluster.ca_file
    kwok.start([
        f"--kubeconfig={cluster.kubeconfig}", "--manage-all-nodes=true", "--node-ip=127.0.0.1",
        f"--node-port={kubelet_port}", f"--server-address=127.0.0.1:{kubelet_port}",
        f"--tls-cert-file={certificate}", f"--tls-private-key-file={certificate.with_suffix('.key')}",
        f"--config={STAGES}", f"--config={USAGE}",
    ])  # fmt: skip
    server.start([
        f"--kubeconfig={cluster.kubeconfig}", f"--authentication-kubeconfig={cluster.kubeconfig}",
        f"--authorization-kubeconfig={cluster.kubeconfig}", f"--secure-port={server_port}",
        "--bind-address=127.0.0.1", "--cert-dir=certs", "--kubelet-insecure-tls",
        "--kubelet-preferred-address-types=InternalIP", "--metric-resolution=10s", "--kubelet-request-timeout=5s",
        "--kubelet-use-node-status-port", f"--requestheader-client-ca-file={folder / 'front-ca.crt'}",
        f"--requestheader-allowed-names={_NAME}",
    ])  # fmt: skip
    try:
        _register(cluster, server_port)
        yield server
    finally:
        server.kill()
        kwok.kill()


def _create_node(cluster: ControlPlane, kubelet_port: int) -> None:
    annotations = {"metrics.k8s.io/resource-metrics-path": f"/metrics/nodes/{NODE}/metrics/resource"}
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    status = {
        "allocatable": amounts, "capacity": amounts,
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet_port}},
    }  # fmt: skip
    cluster.create("/api/v1/nodes", {"metadata": {"name": NODE, "annotations": annotations}, "status": status})


def _register(cluster: ControlPlane, port: int) -> None:
    """Have the API server ask metrics-server for the group metrics.k8s.io."""
    if not cluster.exists("/api/v1/namespaces/kube-system"):
        cluster.create_namespace("kube-system")
    service = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}
    cluster.create("/api/v1/namespaces/kube-system/services", {"metadata": {"name": "metrics-server"}, "spec": service})
    backend = {"name": "metrics-server", "namespace": "kube-system", "port": port}
    spec = {
        "group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
        "insecureSkipTLSVerify": True, "service": backend,
    }  # fmt: skip
    cluster.create(API_SERVICE, {"metadata": {"name": NAME}, "spec": spec})
    until(lambda: _is_served(cluster), within=60, what="the metrics API is served")


def _is_served(cluster: ControlPlane) -> bool:
    try:
        cluster.get("/apis/metrics.k8s.io/v1beta1")
    except ApiFailure:
        return False
    return True
