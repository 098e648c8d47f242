"""Every address that writes, with the request that writes there, on objects of a test's own in a real API server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, Page, reviewed
from tests.support.edit.workloads_and_budgets import pod, workload
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of
from tests.support.wait import eventually

MYDEMOS = "mydemos.crddemo.k8s.io"
FINALIZER = "example.com/hold"
Json = dict[str, Any]


@dataclass(frozen=True)
class Write:
    """The request that writes, and the name that a production cluster asks for; empty where nothing is destroyed."""

    path: str
    data: Json
    typed_name: str = ""


class World:
    """A namespace and a node with an object for each write. No controllers run here: only writes change them."""

    def __init__(self, cluster: ControlPlane, namespace: str, parts: SimpleNamespace) -> None:
        self.cluster, self.namespace, self.parts = cluster, namespace, parts
        self.browser = Browser(parts)
        self.node = f"node-of-{namespace}"
        self.demos = f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"
        self.deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
        self.pods = f"/api/v1/namespaces/{namespace}/pods"
        cluster.create("/api/v1/nodes", {"metadata": {"name": self.node}})
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1"}
        for name, node in (("web-1", ""), ("web-2", self.node)):
            cluster.create(self.pods, pod(name, node, owner, terminationGracePeriodSeconds=1))
        cluster.create(self.deployments, {"apiVersion": "apps/v1", "kind": "Deployment", **workload("web", replicas=2)})
        made = [cluster.create(self.demos, mydemo(name)) for name in ("one", "two")]
        cluster.create(self.demos, mydemo("held", finalizers=[FINALIZER]))
        cluster.delete(f"{self.demos}/held")
        put_feeders(parts.replicas, Feeder(MYDEMOS, parts.clock, [row_of(MYDEMOS, each) for each in made]))

    def state(self) -> list[Json]:
        """All its objects, as the API server has them now, and what was sent to the worker."""
        collections = (self.demos, self.deployments, self.pods)
        objects = [item for each in collections for item in self.cluster.get(each)["items"]]
        messages = [message for _, message in self.parts.layer.sent if message["type"] == "controllers.requeue"]
        return [*objects, self.cluster.get(f"/api/v1/nodes/{self.node}"), *messages]

    def remove(self) -> None:
        """Take away what is not in the namespace, and what would hold that up."""
        if self.cluster.exists(f"{self.demos}/held"):
            self.cluster.patch(f"{self.demos}/held", {"metadata": {"finalizers": None}})
        for name in ("web-1", "web-2"):
            if self.cluster.exists(f"{self.pods}/{name}"):
                self.cluster.request("DELETE", f"{self.pods}/{name}", {"gracePeriodSeconds": 0})
        self.cluster.delete(f"/api/v1/nodes/{self.node}")

    def page(self, resource: str, name: str, rest: str = "") -> str:
        """Address of an object's page."""
        return f"/resources/{resource}/{'-' if resource == 'nodes' else self.namespace}/{name}/{rest}"

    async def send(self, write: Write, **typed: str) -> Page:
        return await self.browser.send(write.path, {**write.data, **typed})

    async def changes(self, before: list[Json]) -> bool:
        """Whether a write changes anything soon."""

        async def changed() -> bool:
            return self.state() != before

        return await eventually(changed, what="the write") or False

    # --- a write for each address ---

    def _write(self, page: Page, button: str, typed_name: str = "", **typed: str) -> Write:
        assert button in page.form.buttons, page.text
        return Write(page.form.action, {**page.form.values, **typed, button: ""}, typed_name)

    async def edit(self) -> Write:
        return self._write(await reviewed(self.browser, self.page(MYDEMOS, "one"), "8080", "9090"), "save")

    async def edit_to_0(self) -> Write:
        page = await reviewed(self.browser, self.page("deployments.apps", "web"), "replicas: 2", "replicas: 0")
        return self._write(page, "save", "web")

    async def edit_status(self) -> Write:
        path = self.page(MYDEMOS, "one", "edit/status/")
        page = await self.browser.open(path)
        page = await self.browser.press(page, "review", yaml=f"{page.yaml.rstrip()}\nstatus: {{phase: Running}}\n")
        return self._write(page, "save")

    async def delete(self) -> Write:
        return self._write(await self.browser.open(self.page(MYDEMOS, "one", "delete/")), "delete", "one")

    async def remove_finalizer(self) -> Write:
        path = self.page(MYDEMOS, "held", f"delete/finalizer/?name={FINALIZER}")
        return self._write(await self.browser.open(path), "take", "held", understood="yes")

    async def scale_to_0(self) -> Write:
        page = await self.browser.open(self.page("deployments.apps", "web", "do/scale/"))
        return self._write(page, "do", "web", wanted="0", sure="yes", asked="yes")

    async def scale_to_1(self) -> Write:
        page = await self.browser.open(self.page("deployments.apps", "web", "do/scale/"))
        return self._write(page, "do", wanted="1")

    async def restart(self) -> Write:
        return self._write(await self.browser.open(self.page("deployments.apps", "web", "do/restart/")), "do")

    async def evict(self) -> Write:
        return self._write(await self.browser.open(self.page("pods", "web-1", "do/evict/")), "evict", "web-1")

    async def debug(self) -> Write:
        return Write(self.page("pods", "web-2", "terminal/debug/"), {"image": "busybox:1.37", "target": ""})

    async def drain(self) -> Write:
        return self._write(await self.browser.open(self.page("nodes", self.node, "do/drain/")), "drain", self.node)

    async def new(self) -> Write:
        page = await self.browser.open(f"/resources/{MYDEMOS}/new/?namespace={self.namespace}")
        text = "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {name: made}\nspec: {ip: 10.0.0.1, port: 1}\n"
        return self._write(await self.browser.press(page, "review", yaml=text), "create")

    async def several(self) -> Write:
        text = "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {name: made}\nspec: {ip: 10.0.0.1, port: 1}\n"
        return await self._several(text)

    async def several_to_0(self) -> Write:
        text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 0}\n"
        return await self._several(text, self.parts.cluster.name)

    async def _several(self, text: str, typed_name: str = "") -> Write:
        page = await self.browser.open(f"/new/?namespace={self.namespace}")
        return self._write(await self.browser.press(page, "review", yaml=text), "apply", typed_name, after="stop")

    async def bulk_delete(self) -> Write:
        return await self._bulk(self.parts.cluster.name, verb="delete", propagation="Background", grace="default")

    async def bulk_label(self) -> Write:
        return await self._bulk(verb="label", label_set="team=b")

    async def _bulk(self, typed_name: str = "", **order: str) -> Write:
        page = await self.browser.press(
            await self.browser.open(f"/resources/{MYDEMOS}/bulk/?namespace={self.namespace}"), "all"
        )
        run = page.location
        page = await self.browser.send(run, {**order, "try": ""})
        assert page.status == 303, page.text

        async def tried() -> Page | None:
            shown = await self.browser.open(run)
            return shown if "Review: " in shown.text else None

        found = await eventually(tried, within=60, what="the dry runs")
        assert found is not None
        return self._write(found, "start", typed_name)

    async def requeue(self) -> Write:
        return Write("/controllers/requeue/", {"item": "crddemo/default/poison"})


WRITES: MappingProxyType[str, Callable[[World], Awaitable[Write]]] = MappingProxyType({
    "edit": World.edit,
    "edit, replicas to 0": World.edit_to_0,
    "edit-status": World.edit_status,
    "delete": World.delete,
    "finalizer": World.remove_finalizer,
    "act, scale to 0": World.scale_to_0,
    "act, scale to 1": World.scale_to_1,
    "act, restart": World.restart,
    "evict": World.evict,
    "debug": World.debug,
    "drain": World.drain,
    "new": World.new,
    "several": World.several,
    "several, replicas to 0": World.several_to_0,
    "bulk-run, delete": World.bulk_delete,
    "bulk-run, label": World.bulk_label,
    "requeue": World.requeue,
})  # fmt: skip
"""A way to make each write, by the name of its address in dashboard/urls.py, before the comma."""


async def prepare_all(world: World) -> dict[str, Write]:
    """All writes, none sent."""
    return {name: await make(world) for name, make in WRITES.items()}
