"""A kubelet that serves log files of a test's own: kwok in front of a real API server."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.controller_manager_and_kwok import STAGES
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports
from tests.support.skip_if_missing import controlplane_binaries, missing
from tests.support.wait import until

NODE = "log-node"
_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "logs.kwok.x-k8s.io"},
    "spec": {
        "group": "kwok.x-k8s.io",
        "scope": "Namespaced",
        "names": {"kind": "Logs", "listKind": "LogsList", "plural": "logs", "singular": "logs"},
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def log_line(text: str, at: datetime | None = None, stream: str = "stdout") -> bytes:
    """A line as a container runtime writes it into the file."""
    moment = at or datetime.now(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}000Z {stream} F {text}\n".encode()


class LoggingPod:
    """A pod with one container, whose runs and log files the test makes."""

    def __init__(self, cluster: ControlPlane, namespace: str, name: str, folder: Path) -> None:
        self.namespace, self.name = namespace, name
        self.file, self.previous = folder / f"{name}.log", folder / f"{name}.previous.log"
        self.file.touch()
        self._cluster = cluster
        self._path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        self.create()
        logs = {"containers": ["main"], "logsFile": str(self.file), "previousLogsFile": str(self.previous)}
        cluster.create(f"/apis/kwok.x-k8s.io/v1alpha1/namespaces/{namespace}/logs", {
            "apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Logs", "metadata": {"name": name},
            "spec": {"logs": [{**logs, "follow": True}]},
        })  # fmt: skip

    def create(self) -> None:
        """Create the pod, again where it was deleted; its container runs."""
        spec = {"nodeName": NODE, "containers": [{"name": "main", "image": "main:1"}]}
        self._cluster.create(self._path.rpartition("/")[0], {"metadata": {"name": self.name}, "spec": spec})
        self._number, self._started = 0, _now()
        self.set_state({"running": {"startedAt": self._started}})

    def write(self, *texts: str) -> None:
        """Write lines to the file, each with a time of its own."""
        with self.file.open("ab") as file:
            for text in texts:
                file.write(log_line(text))

    def restart(self, exit_code: int = 1, *, leaves: tuple[str, ...] = ()) -> None:
        """End the run, after it has written what nobody may have read, and start the next one with an empty file."""
        self.previous.write_bytes(self.file.read_bytes() + b"".join(map(log_line, leaves)))
        self.file.write_bytes(b"")
        over: dict[str, Any] = {"containerID": f"test://{self._number}", "startedAt": self._started}
        over |= {"reason": "Error", "exitCode": exit_code}
        self._number, self._started = self._number + 1, _now()
        self.set_state({"running": {"startedAt": self._started}}, {"terminated": {**over, "finishedAt": _now()}})

    def end(self, exit_code: int = 0) -> None:
        self.set_state({"terminated": {
            "containerID": f"test://{self._number}", "exitCode": exit_code, "startedAt": self._started,
            "finishedAt": _now(), "reason": "Completed",
        }})  # fmt: skip

    def set_state(self, state: dict[str, Any], last: dict[str, Any] | None = None) -> None:
        status = {
            "name": "main", "image": "main:1", "imageID": "", "ready": True, "restartCount": self._number,
            "containerID": f"test://{self._number}", "state": state, "lastState": last or {},
        }  # fmt: skip
        patch = {"status": {"phase": "Running", "containerStatuses": [status]}}
        self._cluster.patch(f"{self._path}/status", patch)

    def delete(self) -> None:
        self._cluster.delete(self._path, {"gracePeriodSeconds": 0})


def _serves(kwok: Daemon, port: int) -> bool:
    kwok.check()
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2):
        return True
    return False


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def kubelet_with_logs(cluster: ControlPlane, folder: Path, *configs: Path) -> Iterator[Daemon]:
    """Run kwok as the kubelet of NODE while the block lasts. It serves what objects `Logs` of kwok name, and what
    more `configs` say.
    """
    binary = controlplane_binaries() / "kwok"
    if not os.access(binary, os.X_OK):
        missing("logs of pods", f"no kwok in {binary.parent}")
    folder.mkdir(parents=True, exist_ok=True)
    (port,) = free_ports(1)
    if not cluster.exists("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/logs.kwok.x-k8s.io"):
        cluster.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _CRD)
    until(lambda: cluster.exists("/apis/kwok.x-k8s.io/v1alpha1/logs"), within=30, what="kwok's Logs are served")
    address = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
               "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}  # fmt: skip
    cluster.create("/api/v1/nodes", {"metadata": {"name": NODE}, "status": address})
    kwok = Daemon(binary, folder)
    certificate = cluster.ca_file
    kwok.start([
        f"--kubeconfig={cluster.kubeconfig}", f"--manage-nodes-with-label-selector=none={NODE}",
        f"--server-address=127.0.0.1:{port}", f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={certificate.with_suffix('.key')}", "--enable-crds=Logs",
        *(f"--config={each}" for each in (STAGES, *configs)),
    ])  # fmt: skip
    try:
        until(lambda: _serves(kwok, port), within=30, what="kwok serves as a kubelet")
        yield kwok
    finally:
        kwok.kill()
        cluster.delete(f"/api/v1/nodes/{NODE}")
