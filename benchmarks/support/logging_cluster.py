"""A real API server whose pods write logs to order, on a scripted kubelet (benchmarks.support.scripted_kubelet)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.stored_objects import ClusterSize
from tests.support.controlplane import ControlPlane

NAMESPACE = "team-0"
NODE = "log-node"


@dataclass(frozen=True)
class LoggingCluster:
    """The API server, and the kubelet's logs."""

    cluster: ControlPlane
    commands: IO[str]
    answers: IO[str]

    def flow(self, rate: float, pods: list[str]) -> None:
        """Let the logs of these pods grow by so many lines a second each."""
        self.commands.write(f"flow {rate} {' '.join(pods)}\n")
        self.commands.flush()

    def stop(self) -> dict[str, int]:
        """End that. Returns how many lines the log of each pod has."""
        self.commands.write("stop\n")
        self.commands.flush()
        counts: dict[str, int] = json.loads(self.answers.readline())
        return counts

    def create_deployment(self, name: str) -> None:
        """A Deployment that selects the pods whose name begins with ``NAME-``."""
        labels = {"app": name}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "main:1"}]}}
        spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
        path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
        self.cluster.create(path, {"metadata": {"name": name}, "spec": spec})


@contextmanager
def logging_cluster(lines: Mapping[str, int]) -> Iterator[LoggingCluster]:
    """A cluster with these running pods, each with one container whose log has so many lines."""
    with filled_cluster(ClusterSize(0, 1)) as cluster:
        certificate = cluster.ca_file
        command = [sys.executable, "-m", "benchmarks.support.scripted_kubelet"]
        command += [str(certificate), str(certificate.with_suffix(".key")), json.dumps(lines)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            if process.stdin is None or process.stdout is None:
                raise SystemExit("the kubelet cannot be spoken with")
            try:
                said = process.stdout.readline().split()
                if len(said) != 2:
                    raise SystemExit("the kubelet did not start")
                _create_node(cluster, int(said[1]))
                for pod in lines:
                    _create_pod(cluster, pod)
                yield LoggingCluster(cluster, process.stdin, process.stdout)
            finally:
                process.kill()


def _create_node(cluster: ControlPlane, port: int) -> None:
    endpoints = {"kubeletEndpoint": {"Port": port}}
    status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": endpoints}
    cluster.create("/api/v1/nodes", {"metadata": {"name": NODE}, "status": status})


def _create_pod(cluster: ControlPlane, name: str) -> None:
    pods = f"/api/v1/namespaces/{NAMESPACE}/pods"
    labels = {"app": name.rpartition("-")[0]}
    spec: dict[str, Any] = {"nodeName": NODE, "containers": [{"name": "main", "image": "main:1"}]}
    cluster.create(pods, {"metadata": {"name": name, "labels": labels}, "spec": spec})
    container = {
        "name": "main", "image": "main:1", "imageID": "", "ready": True, "restartCount": 0, "containerID": "test://0",
        "state": {"running": {"startedAt": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}},
    }  # fmt: skip
    status = {"phase": "Running", "containerStatuses": [container]}
    cluster.patch(f"{pods}/{name}/status", {"status": status})
