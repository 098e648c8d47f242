"""Controllers for a real API server: kube-controller-manager creates pods of ReplicaSets and Deployments, kwok runs
them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.skip_if_missing import controlplane_binaries, missing
from tests.support.wait import until

NODE = "kwok-1"
"""The only node. Pods have to name it, because there is no scheduler."""
STAGES = Path(__file__).parent / "kwok_stages.yaml"
_READY = 60.0


@contextmanager
def controller_manager(
    controlplane: ControlPlane, directory: Path, *controllers: str, flags: Sequence[str] = ()
) -> Iterator[Daemon]:
    """Run these of kube-controller-manager's controllers while the block lasts, with a log in `directory`."""
    (binary,) = _binaries("kube-controller-manager")
    directory.mkdir(parents=True, exist_ok=True)
    daemon = Daemon(binary, directory)
    try:
        daemon.start(
            [f"--kubeconfig={controlplane.kubeconfig}", "--leader-elect=false", "--secure-port=0", "--cert-dir=certs",
             f"--controllers={','.join(controllers)}", *flags]
        )  # fmt: skip
        yield daemon
    finally:
        daemon.kill()


def _binaries(*names: str) -> list[Path]:
    folder = controlplane_binaries()
    absent = [name for name in names if not os.access(folder / name, os.X_OK)]
    if absent:
        missing("a controller manager and nodes", f"no {' and no '.join(absent)} in {folder}")
    return [folder / name for name in names]


@contextmanager
def cluster_life(controlplane: ControlPlane, directory: Path) -> Iterator[None]:
    """Run kube-controller-manager and kwok while the block lasts, with logs in `directory`; delete the node at its end.

    Of the controller manager only what makes pods of ReplicaSets and Deployments: other tests' objects are left alone.
    """
    binaries = _binaries("kube-controller-manager", "kwok")
    directory.mkdir(parents=True, exist_ok=True)
    kwok = Daemon(binaries[1], directory)
    path = f"/api/v1/nodes/{NODE}"
    if not controlplane.exists(path):
        amount = {"cpu": "64", "memory": "256Gi", "pods": "5000"}
        status = {"allocatable": amount, "capacity": amount}
        controlplane.create("/api/v1/nodes", {"metadata": {"name": NODE}, "status": status})
    try:
        with controller_manager(controlplane, directory, "replicaset-controller", "deployment-controller") as manager:
            kwok.start([f"--kubeconfig={controlplane.kubeconfig}", "--manage-all-nodes=true", f"--config={STAGES}"])
            daemons = [manager, kwok]
            until(lambda: _node_is_ready(controlplane, path, daemons), within=_READY, what=f"{path} is Ready")
            yield
    finally:
        kwok.kill()
        controlplane.delete(path)


def _node_is_ready(controlplane: ControlPlane, path: str, daemons: list[Daemon]) -> bool:
    for daemon in daemons:
        daemon.check()
    conditions = controlplane.get(path).get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def deployment(name: str, replicas: int) -> str:
    """The manifest of a Deployment whose pods run on the node."""
    labels = {"app": name}
    containers = [{"name": "main", "image": "nginx:1"}]
    pod = {"nodeName": NODE, "containers": containers, "tolerations": [{"operator": "Exists"}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec})
