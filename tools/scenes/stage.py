"""Programs that scenes run on: a cluster and the dashboard."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools.scenes.api_client import MYDEMOS, Api
from tools.scenes.child_process import Child, DidNotStart, wait_until
from tools.scenes.fault_proxy import FaultProxy

NAMESPACE = "pictures"
"""A namespace of our own, in which nothing changes by itself."""
STABLE_MYDEMO = "checkout-settings"
"""A Mydemo there, to edit and to delete."""
ADDRESS_PATTERN = r"Deltaboard is at (http://\S+?)/\s"
CONTROLLERS = {"DELTABOARD_CONTROLLERS": "crddemo"}


class Stage:
    """Running programs of a stage. The context manager ends all of them."""

    url: str
    """Where the dashboard answers."""
    cluster: Child
    api: Api
    worker: Child
    proxy: FaultProxy

    def __init__(self) -> None:
        self._ends = contextlib.ExitStack()
        self.home = Path(self._ends.enter_context(tempfile.TemporaryDirectory()))
        self.kubeconfig = self.home / ".kube" / "config"
        """Where kubectl looks by itself, so that no command on a page names this folder."""
        self.kubeconfig.parent.mkdir()
        self.env: dict[str, str] = {}
        """Settings of the dashboard."""

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def run(self, child: Child) -> Child:
        """Start it; it ends with the stage."""
        self._ends.callback(child.end)
        return child.start()

    def run_cluster(self, *workload: str) -> None:
        command = ("-m", "devcluster", "--port", "0", "--kubeconfig", str(self.kubeconfig), *workload)
        self.cluster = self.run(Child(*command))
        self.cluster.wait_for_output("ready at")
        self.api = Api(self.kubeconfig)

    def run_proxy(self, proxy: FaultProxy) -> None:
        """Between the cluster and the dashboard that is started after this."""
        self.proxy = self._ends.enter_context(proxy)
        self.kubeconfig = proxy.kubeconfig(self.home)

    def migrate(self) -> None:
        """Make the database, which keeps drafts and changes of many."""
        migrating = Child("manage.py", "migrate", "--verbosity", "0", env=self._settings({}))
        self.run(migrating).wait_for_end()

    def run_dashboard(self, **env: str) -> None:
        """Worker and web server in one process."""
        dashboard = self.run(Child("manage.py", "deltaboard", "--port", "0", env=self._settings(env)))
        self.url = dashboard.wait_for_output(ADDRESS_PATTERN)[1]

    def run_worker_and_web(self) -> None:
        """Each in a process of its own, with a Redis of their own between them. Raises DidNotStart without Redis."""
        if shutil.which("redis-server") is None:
            raise DidNotStart("there is no redis-server")
        redis, web = free_port(), free_port()
        options = ("--port", str(redis), "--save", "", "--dir", str(self.home))
        self.run(Child(*options, program="redis-server")).wait_for_output("Ready to accept")
        env = self._settings({"REDIS_URL": f"redis://127.0.0.1:{redis}", "SECRET_KEY": "of-pictures-only"})
        self.worker = self.run(Child("manage.py", "informerd", env=env))
        daphne = ("-m", "daphne", "--websocket_timeout", "-1", "-b", "127.0.0.1", "-p", str(web))
        self.run(Child(*daphne, "dashboard.asgi:application", env=env))
        self.url = f"http://127.0.0.1:{web}"
        wait_until(f"{self.url}/readyz", lambda: is_answering(f"{self.url}/readyz"))

    def create_objects(self) -> None:
        """Create the objects that scenes need in addition to the workload's."""
        self.api.create("api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.api.create(MYDEMOS.format(namespace=NAMESPACE), mydemo(STABLE_MYDEMO, port=8080))

    def change_mydemo(self, port: int) -> None:
        """Change the Mydemo, as a colleague would."""
        self.api.merge(f"{MYDEMOS.format(namespace=NAMESPACE)}/{STABLE_MYDEMO}", {"spec": {"port": port}})

    def _settings(self, env: dict[str, str]) -> dict[str, str]:
        home = {"HOME": str(self.home), "DELTABOARD_VAR": str(self.home / "var")}
        home |= {"REDIS_URL": "", "DELTABOARD_TOKEN": "off", "DELTABOARD_HISTORY": "on"}
        return {**home, "KUBECONFIG": str(self.kubeconfig), **CONTROLLERS, **self.env, **env}


StageFactory = Callable[[], contextlib.AbstractContextManager[Stage]]


@contextlib.contextmanager
def usual_stage(pods: int = 120, rate: int = 5, seed: int = 7) -> Iterator[Stage]:
    """A cluster in which all is as usual."""
    with Stage() as stage:
        stage.run_cluster("--pods", str(pods), "--rate", str(rate), "--seed", str(seed))
        stage.create_objects()
        stage.migrate()
        stage.run_dashboard()
        yield stage


@contextlib.contextmanager
def empty_stage() -> Iterator[Stage]:
    """A cluster without anything, not even the Mydemos' definition."""
    with Stage() as stage:
        stage.run_cluster("--no-workload")
        with contextlib.suppress(OSError):
            stage.api.call("DELETE", "apis/apiextensions.k8s.io/v1/customresourcedefinitions/mydemos.crddemo.k8s.io")
        stage.run_dashboard()
        yield stage


@contextlib.contextmanager
def proxied_stage(**rules: Any) -> Iterator[Stage]:
    """A cluster behind a proxy with these rules."""
    with Stage() as stage:
        stage.run_cluster("--pods", "2000", "--rate", "0", "--seed", "7")
        stage.run_proxy(FaultProxy(stage.kubeconfig, **rules))
        stage.run_dashboard()
        yield stage


@contextlib.contextmanager
def two_process_stage() -> Iterator[Stage]:
    """The production form."""
    with Stage() as stage:
        stage.run_cluster("--rate", "2", "--seed", "7")
        stage.run_worker_and_web()
        yield stage


@contextlib.contextmanager
def unreachable_stage() -> Iterator[Stage]:
    """A cluster of which there is only the kubeconfig."""
    with Stage() as stage:
        cluster = {"name": "prod", "cluster": {"server": f"http://127.0.0.1:{free_port()}"}}
        context = {"name": "prod", "context": {"cluster": "prod", "user": "prod"}}
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "prod", "clusters": [cluster]}
        config |= {"contexts": [context], "users": [{"name": "prod", "user": {"token": "t"}}]}
        stage.kubeconfig.write_text(json.dumps(config))
        stage.run_dashboard()
        yield stage


@contextlib.contextmanager
def unusable_stage() -> Iterator[Stage]:
    """A kubeconfig that cannot be used."""
    with Stage() as stage:
        stage.kubeconfig.write_text("apiVersion: v1\nkind: Config\ncurrent-context: prod\ncontexts: [\n")
        stage.run_dashboard()
        yield stage


def is_answering(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def mydemo(name: str, *, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name, "labels": {"app": "checkout"}, "finalizers": ["example.com/backup"]},
        "spec": {"ip": "10.20.0.7", "port": port},
    }
