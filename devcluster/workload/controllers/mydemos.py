"""Mydemo controller of the demo: writes their status, and changes one now and then, except those that a person edits.

The controller of the dashboard or of `informerd.controllers` records the Event that a Mydemo was handled, as crddemo
does. This one writes the status, which crddemo does not, and records no Event, so that none is recorded twice.
"""

from __future__ import annotations

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Mydemo, MydemoSpec, find_condition
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.times import timestamp
from informerd.cache.handler import HandlerFunctions
from informerd.controller.request import Request

USER_NAMESPACE = "default"
"""The namespace that belongs to no team: the Mydemos in it are there for people to try things on."""
HANDS_OFF_SECONDS = 300.0
"""Seconds for which a Mydemo that somebody else changed is left alone."""

_PORTS = (80, 443, 3000, 5432, 6379, 8080, 8081, 8443, 9090, 9200)


class MydemoController:
    """Reconciles Mydemos and, when asked to, changes one."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._ours: dict[str, MydemoSpec] = {}
        """By uid, the spec as the workload knows it."""
        self._changed_at: dict[str, float] = {}
        """By uid, when somebody else changed it last, in monotonic seconds."""
        handler: HandlerFunctions[Mydemo] = HandlerFunctions(
            on_add=self._added, on_update=lambda _, new: self._changed(new), on_delete=lambda obj, _: self._gone(obj)
        )
        cluster.mydemos.informer.add_handler(handler)

    def is_free(self, mydemo: Mydemo) -> bool:
        """Whether nobody else has changed it in the last minutes."""
        changed_at = self._changed_at.get(mydemo.metadata.uid)
        return changed_at is None or self._cluster.clock.now() - changed_at >= HANDS_OFF_SECONDS

    def _added(self, mydemo: Mydemo, is_in_initial_list: bool) -> None:
        if is_in_initial_list:
            self._ours[mydemo.metadata.uid] = mydemo.spec
        self._changed(mydemo)

    def _changed(self, mydemo: Mydemo) -> None:
        uid = mydemo.metadata.uid
        if self._ours.get(uid) != mydemo.spec:
            self._changed_at[uid] = self._cluster.clock.now()
            self._ours[uid] = mydemo.spec

    def _gone(self, mydemo: Mydemo) -> None:
        self._ours.pop(mydemo.metadata.uid, None)
        self._changed_at.pop(mydemo.metadata.uid, None)

    async def reconcile(self, request: Request) -> None:
        """Write the status of a generation that has none yet."""
        mydemo = self._cluster.mydemos.get(request)
        if mydemo is None or mydemo.metadata.deletion_timestamp is not None:
            return
        generation = mydemo.metadata.generation
        if mydemo.status.observed_generation != generation:
            ready = find_condition(mydemo.status.conditions, "Ready")
            since = ready.last_transition_time if ready is not None and ready.status == "True" else None
            status = objects.mydemo_status(generation, since or timestamp(self._cluster.clock.time()))
            await self._cluster.mydemos.patch(mydemo, {"status": status}, status=True)

    async def change_one(self, number: int) -> bool:
        """Change the port, or the last part of the address, of a team's free Mydemo. False where none is free."""
        teams = [mydemo for mydemo in self._cluster.mydemos.all() if mydemo.metadata.namespace != USER_NAMESPACE]
        free = [mydemo for mydemo in teams if self.is_free(mydemo)]
        if not free:
            return False
        dice = self._cluster.random_source.rng_for("mydemo", number)
        mydemo = dice.choice(free)
        ip, port = mydemo.spec.ip, mydemo.spec.port
        if dice.random() < 0.7 or "." not in ip:
            port = dice.choice([each for each in _PORTS if each != port])
        else:
            ip = f"{ip.rpartition('.')[0]}.{dice.randrange(1, 255)}"
        self._ours[mydemo.metadata.uid] = MydemoSpec(ip, port)
        await self._cluster.mydemos.patch(mydemo, {"spec": {"ip": ip, "port": port}})
        return True
