"""Mydemos: a controller that writes their status, and changes now and then, but never to what a person works on."""

from __future__ import annotations

from devcluster.workload import building
from devcluster.workload.building import Json, stamp
from devcluster.workload.cluster import Cluster
from devcluster.workload.queue import DueQueue
from informerd.cache.handler import HandlerFunctions
from informerd.objects import Object
from informerd.resource import MYDEMOS

SOURCE = "mydemo-controller"
HANDS_OFF_SECONDS = 300.0
"""How long a Mydemo that somebody else changed is left alone."""

_PORTS = (80, 443, 3000, 5432, 6379, 8080, 8081, 8443, 9090, 9200)


class MydemoController:
    """Reconciles Mydemos and, when asked to, changes one."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue = DueQueue(cluster.clock)
        self._ours: dict[str, Json] = {}
        """By uid, the spec as the workload knows it."""
        self._touched: dict[str, float] = {}
        """By uid, when somebody else changed it last, in monotonic seconds."""
        handler: HandlerFunctions[Object] = HandlerFunctions(
            on_add=self._added, on_update=lambda _, new: self._changed(new), on_delete=lambda obj, _: self._gone(obj)
        )
        cluster.add_handler(MYDEMOS, handler)

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    def is_free(self, mydemo: Json) -> bool:
        """Whether nobody else has changed it in the last minutes."""
        touched = self._touched.get(mydemo["metadata"]["uid"])
        return touched is None or self._cluster.clock.now() - touched >= HANDS_OFF_SECONDS

    def _added(self, obj: Object, is_in_initial_list: bool) -> None:
        if is_in_initial_list:
            self._ours[obj.metadata.uid] = obj.full().get("spec", {})
        self._changed(obj)

    def _changed(self, obj: Object) -> None:
        uid, spec = obj.metadata.uid, obj.full().get("spec", {})
        if self._ours.get(uid) != spec:
            self._touched[uid] = self._cluster.clock.now()
            self._ours[uid] = spec
        self._queue.add(obj.key, self._cluster.rng.uniform(0.3, 1.2))

    def _gone(self, obj: Object) -> None:
        self._ours.pop(obj.metadata.uid, None)
        self._touched.pop(obj.metadata.uid, None)

    async def reconcile(self, key: str) -> None:
        """Write the status of a generation that has none yet, and say so."""
        mydemo = self._cluster.get(MYDEMOS, key)
        if mydemo is None or "deletionTimestamp" in mydemo["metadata"]:
            return
        generation = mydemo["metadata"].get("generation", 1)
        if (mydemo.get("status") or {}).get("observedGeneration") == generation:
            return
        status = building.mydemo_status(generation, stamp(self._cluster.clock.time()))
        await self._cluster.patch(MYDEMOS, mydemo, {"status": status}, status=True)
        await self._cluster.recorder.normal(mydemo, SOURCE, "Synced", "Mydemo synced successfully")

    async def change_one(self) -> None:
        """Give one that is free another port, or another last part of its address."""
        free = [mydemo for mydemo in self._cluster.all(MYDEMOS) if self.is_free(mydemo)]
        if not free:
            return
        rng, mydemo = self._cluster.rng, self._cluster.rng.choice(free)
        spec = dict(mydemo["spec"])
        if rng.random() < 0.7 or "." not in spec["ip"]:
            spec["port"] = rng.choice([port for port in _PORTS if port != spec["port"]])
        else:
            spec["ip"] = f"{spec['ip'].rsplit('.', 1)[0]}.{rng.randrange(1, 255)}"
        self._ours[mydemo["metadata"]["uid"]] = spec
        await self._cluster.patch(MYDEMOS, mydemo, {"spec": spec})
