"""API servers for benchmarks: a real one with tens of thousands of pods within seconds, and an empty demo cluster.

The pods of the real one are put into etcd before it starts. It detects the encoding of what it finds in etcd, so JSON
works as well as its own protobuf.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.support.api_session import session_for
from benchmarks.support.load_server_pods import pod
from benchmarks.support.marked_pod_changes import Pod
from benchmarks.support.stored_objects import ClusterSize, Stored, stored_objects
from tests.support.controlplane import ControlPlane
from tests.support.etcd import Etcd

PODS_IN_NAMESPACE = 100
"""In each namespace of `fill_namespaces`."""
READY_SECONDS = 600.0
"""Seconds within which the API server must be ready; it reads all objects first."""
AT_ONCE = 100
"""Keys to a transaction; etcd takes 128."""
ROOT = Path(__file__).resolve().parent.parent.parent
CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"


@contextmanager
def filled_cluster(size: ClusterSize) -> Iterator[ControlPlane]:
    """An API server with so many objects, and the Mydemo CRD.

    Ends the program with a sentence where KUBEBUILDER_ASSETS does not name the control plane's binaries.
    """
    binaries = Path(os.environ.get("KUBEBUILDER_ASSETS", ""))
    if not (binaries / "kube-apiserver").exists():
        sys.exit("this benchmark needs a real API server: set KUBEBUILDER_ASSETS to the folder of its binaries")
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        etcd = Etcd(directory, binaries, flags=("--quota-backend-bytes=4294967296",))
        cluster = ControlPlane(directory, binaries, etcd=etcd)
        cluster.start_timeout = READY_SECONDS
        try:
            etcd.run()
            _wait_for(etcd)
            began = time.monotonic()
            _fill(etcd, size)
            cluster.start()
            cluster.apply_crd(CRD)
            print(f"{size.pods:,} pods in {time.monotonic() - began:.0f} s", file=sys.stderr)
            yield cluster
        finally:
            cluster.stop()
            etcd.kill()


def _wait_for(etcd: Etcd) -> None:
    deadline = time.monotonic() + 30
    while True:
        etcd.check()
        try:
            etcd.call("range", {"key": "AA==", "limit": 1})
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _fill(etcd: Etcd, size: ClusterSize) -> None:
    objects = stored_objects(size)
    while some := list(islice(objects, AT_ONCE)):
        _put(etcd, some)


def _put(etcd: Etcd, items: Sequence[Stored]) -> None:
    puts = [{"requestPut": {"key": _base64(key.encode()), "value": _base64(value)}} for key, value in items]
    etcd.call("txn", {"success": puts})


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


@contextmanager
def demo_cluster() -> Iterator[Path]:
    """An empty demo cluster in a process of its own; gives its kubeconfig."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        command = [sys.executable, "-m", "devcluster", "--no-workload", "--port", "0", "--kubeconfig", str(kubeconfig)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
            if process.stdout is None or not process.stdout.readline():
                sys.exit("the demo cluster did not start")
            try:
                yield kubeconfig
            finally:
                process.terminate()


async def fill_namespaces(kubeconfig: Path, number: int) -> list[Pod]:
    """Create so many namespaces, each with PODS_IN_NAMESPACE pods. Returns one pod of each, for marks."""
    async with session_for(kubeconfig) as session:
        for team in range(number):
            await create_object(session, "/api/v1/namespaces", {"metadata": {"name": f"team-{team}"}})
            for index in range(PODS_IN_NAMESPACE):
                made = json.loads(pod(index, 1))
                spec = {"containers": [{"name": "app", "image": "app"}]}
                meta = {"name": made["metadata"]["name"], "labels": made["metadata"]["labels"]}
                await create_object(session, f"/api/v1/namespaces/team-{team}/pods", {"metadata": meta, "spec": spec})
    return [(f"team-{team}", json.loads(pod(0, 1))["metadata"]["name"]) for team in range(number)]


async def create_object(session: Any, path: str, obj: dict[str, Any]) -> None:
    """Create one object; ends the program with the answer where it is refused."""
    async with session.post(path, json=obj) as answer:
        if answer.status != 201:
            sys.exit(f"{path}: {answer.status} {await answer.text()}")
