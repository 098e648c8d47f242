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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.support.api_session import session_for
from benchmarks.support.load_server_pods import pod
from benchmarks.support.marked_pod_changes import Pod
from tests.support.controlplane import ControlPlane
from tests.support.etcd import Etcd

NAMESPACES = 20
"""Number of the pods' namespaces where nothing else is said: team-0 to team-19."""
PODS_IN_NAMESPACE = 100
"""In each namespace of `fill_namespaces`."""
AT_ONCE = 100
"""Keys to a transaction; etcd takes 128."""
ROOT = Path(__file__).resolve().parent.parent.parent
CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"


@contextmanager
def filled_cluster(pods: int, namespaces: int = NAMESPACES) -> Iterator[ControlPlane]:
    """An API server whose namespaces team-0, team-1, … hold so many running pods of 4.8 kB, and the Mydemo CRD.

    Ends the program with a sentence where KUBEBUILDER_ASSETS does not name the control plane's binaries.
    """
    binaries = Path(os.environ.get("KUBEBUILDER_ASSETS", ""))
    if not (binaries / "kube-apiserver").exists():
        sys.exit("this benchmark needs a real API server: set KUBEBUILDER_ASSETS to the folder of its binaries")
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        etcd = Etcd(directory, binaries, flags=("--quota-backend-bytes=4294967296",))
        cluster = ControlPlane(directory, binaries, etcd=etcd)
        try:
            etcd.run()
            _wait_for(etcd)
            began = time.monotonic()
            _fill(etcd, pods, namespaces)
            cluster.start()
            cluster.apply_crd(CRD)
            print(f"{pods:,} pods in {time.monotonic() - began:.0f} s", file=sys.stderr)
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


def _fill(etcd: Etcd, pods: int, namespaces: int) -> None:
    for start in range(0, namespaces, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, namespaces))
        _put(etcd, [(f"/registry/namespaces/team-{number}", _namespace(number)) for number in numbers])
    for start in range(0, pods, AT_ONCE):
        _put(etcd, [_stored(number, namespaces) for number in range(start, min(start + AT_ONCE, pods))])


def _stored(number: int, namespaces: int) -> tuple[str, bytes]:
    found: dict[str, Any] = json.loads(pod(number, 1))
    meta = found["metadata"]
    meta["namespace"] = f"team-{number % namespaces}"
    del meta["resourceVersion"]
    meta["uid"] = f"00000000-0000-4000-8000-{number:012d}"
    return f"/registry/pods/{meta['namespace']}/{meta['name']}", json.dumps(found).encode()


def _namespace(number: int) -> bytes:
    name = f"team-{number}"
    labels = {"kubernetes.io/metadata.name": name}
    uid = f"00000000-0000-4000-9000-{number:012d}"
    meta = {"name": name, "uid": uid, "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels}
    content = {"metadata": meta, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    return json.dumps({"apiVersion": "v1", "kind": "Namespace", **content}).encode()


def _put(etcd: Etcd, items: list[tuple[str, bytes]]) -> None:
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
