"""Reconciler of the Pod operator: removes pods that no longer exist from the lists of the Jinghzhus that name them.

It uses a work queue, and compares the lists with the pods that exist, so that it also notices a pod that is deleted
during an outage or while a write fails.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from informerd.clock import Clock
from informerd.controller.events import Created, Deleted, ObjectEvent, Updated
from informerd.controller.handlers import EnqueueHandler
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.controller_util.change_object import change_object
from informerd.errors import IndexExists, NotFound, ObjectReplaced
from informerd.manager.cached_kind import CachedKind
from informerd.objects import Object
from informerd.resource import Resource
from informerd.unstructured import Json

log = logging.getLogger(__name__)

JINGHZHUS = Resource(
    group="jinghzhu.io", version="v1", plural="jinghzhus", kind="Jinghzhu", singular="jinghzhu", short_names=("jh",)
)
JINGHZHU_LABEL = "crd"
"""Of a pod: the name of its Jinghzhu."""
MESSAGE = "Need to do HA"

SETTLE_SECONDS = 3.0
"""Seconds between a pod's end and what is made of it: who takes pods away on purpose takes them from the list, too."""

BATCH_SECONDS = 0.5
"""Seconds within which pods that end one after the other are removed together."""
MISSING_POD_TTL = 600.0
"""Seconds within which a pod that has ended may still appear on a list, and be removed from it."""
MAX_MISSING_PODS = 4096
"""Number of ended pods, above which those that can no longer matter are dropped."""
POD_NAME_INDEX = "pod operator's names"


class Spec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    desired: int = 0
    current: int = 0
    """Present number of pods."""
    pod_list: tuple[str, ...] = ()
    """Their names."""


class Jinghzhu(Object, frozen=True, gc=False):
    """A set of pods."""

    spec: Spec = Spec()


class Status(msgspec.Struct, frozen=True, rename="camel", gc=False):
    phase: str = ""


class Pod(Object, frozen=True, gc=False):
    """A pod, as far as the operator looks at it."""

    status: Status = Status()


class MissingPod(NamedTuple):
    """A pod that is not there."""

    since: float
    """On the monotonic clock."""
    was_seen: bool
    """Whether it was seen to go, or only not to be there."""


class JinghzhuReconciler:
    """Record of pods that are gone, and the reconcile that removes them from the lists.

    A listed pod is removed three seconds after its end, where its label named that Jinghzhu. At the start, every listed
    pod that does not exist counts as gone, once the API server has confirmed it. List, count and message change in one
    write, for the version that was read, so that concurrent changes survive.
    """

    def __init__(self, pods: CachedKind[Pod], jinghzhus: CachedKind[Jinghzhu], namespace: str, clock: Clock) -> None:
        self._pods = pods
        self._jinghzhus = jinghzhus
        self._namespace = namespace
        self._clock = clock
        self._missing_pods: dict[tuple[str, str], MissingPod] = {}
        """By a Jinghzhu's and a pod's name."""
        self._most = MAX_MISSING_PODS
        self._to_compare: set[Request] = set()
        with contextlib.suppress(IndexExists):  # an earlier operator's, of the same cache
            jinghzhus.add_index(POD_NAME_INDEX, lambda jinghzhu: [jinghzhu.metadata.name])

    async def reconcile(self, request: Request) -> Result | None:
        """Remove deleted pods from the lists, as soon as they are due."""
        jinghzhu = self._jinghzhus.get(request)
        if jinghzhu is None:
            self._to_compare.discard(request)
            return None
        missing, now = self._missing(jinghzhu), self._clock.now()
        due = {name: gone for name, gone in missing.items() if gone.since + SETTLE_SECONDS <= now}
        if due:
            await self._take_off(jinghzhu, due)
        if len(due) < len(missing):
            first = min(gone.since for name, gone in missing.items() if name not in due)
            return Result(requeue_after=max(BATCH_SECONDS, first + SETTLE_SECONDS - now))
        self._to_compare.discard(request)
        return None

    def on_pod_added(self, pod: Pod) -> None:
        """Note that a pod of that name exists again."""
        self._missing_pods.pop((pod.metadata.labels.get(JINGHZHU_LABEL, ""), pod.metadata.name), None)

    def on_pod_deleted(self, pod: Pod) -> Iterator[Request]:
        """Note that the pod was deleted. Returns the Jinghzhus that may list it."""
        owner = pod.metadata.labels.get(JINGHZHU_LABEL)
        if owner:
            self._missing_pods[owner, pod.metadata.name] = MissingPod(self._clock.now(), was_seen=True)
            if self._jinghzhus.has_synced:  # else it will be compared
                self._forget_old()
                yield from map(Request.of, self._jinghzhus.by_index(POD_NAME_INDEX, owner))

    def is_initial(self, jinghzhu: Jinghzhu) -> None:
        """Pods of it may have gone before anybody watched."""
        self._to_compare.add(Request.of(jinghzhu))

    def _missing(self, jinghzhu: Jinghzhu) -> dict[str, MissingPod]:
        """Listed pods that are gone."""
        owner, compare = jinghzhu.metadata.name, Request.of(jinghzhu) in self._to_compare
        missing: dict[str, MissingPod] = {}
        for name in jinghzhu.spec.pod_list:
            if self._pods.get(Request(self._namespace, name)) is not None:
                continue
            gone = self._missing_pods.get((owner, name))
            if gone is None and compare:
                gone = self._missing_pods[owner, name] = MissingPod(self._clock.now(), was_seen=False)
            if gone is not None:
                missing[name] = gone
        return missing

    def _forget_old(self) -> None:
        """Where there are many: those that nobody listed in ten minutes, never one that is still to be taken off."""
        if len(self._missing_pods) <= self._most:
            return
        listed = {(each.metadata.name, name) for each in self._jinghzhus.list() for name in each.spec.pod_list}
        oldest = self._clock.now() - MISSING_POD_TTL
        self._missing_pods = {
            key: gone for key, gone in self._missing_pods.items() if gone.since > oldest or key in listed
        }
        self._most = max(MAX_MISSING_PODS, 2 * len(self._missing_pods))

    async def _take_off(self, jinghzhu: Jinghzhu, due: Mapping[str, MissingPod]) -> None:
        owner = jinghzhu.metadata.name
        removal = Removal(
            {name for name, gone in due.items() if gone.was_seen or not await self._is_there(owner, name)}
        )
        try:
            await change_object(self._jinghzhus, jinghzhu, removal, clock=self._clock)
        except (NotFound, ObjectReplaced):
            return  # it has gone itself, and another one of its name is another request
        if removal.removed_names:
            log.info("%s: %s of its pods gone, %s", jinghzhu.key, f"{len(removal.removed_names):,}", MESSAGE)

    async def _is_there(self, owner: str, name: str) -> bool:
        """Ask the API server: a new pod may not be in the cache yet."""
        try:
            await self._pods.read(Request(self._namespace, name))
        except NotFound:
            return False
        self._missing_pods.pop((owner, name), None)
        return True


class Removal:
    """The change: takes names off the list, and counts. Applied again to the outcome it changes nothing.

    The message comes with the names, in one write: so the definition has no status subresource.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self.removed_names: list[str] = []
        """Those that were listed, in the state that was seen last."""

    def __call__(self, manifest: Json) -> None:
        spec = manifest.get("spec") or {}
        listed = spec.get("podList") or []
        self.removed_names = [name for name in listed if name in self._names]
        if self.removed_names:
            spec["podList"] = [name for name in listed if name not in self._names]
            spec["current"] = max(0, (spec.get("current") or 0) - len(self.removed_names))
            manifest["status"] = {**(manifest.get("status") or {}), "message": MESSAGE}


class EnqueuePodsJinghzhu(EnqueueHandler[Pod]):
    """Requests for the Jinghzhus of a deleted pod; records which pods exist."""

    def __init__(self, reconciler: JinghzhuReconciler) -> None:
        self._reconciler = reconciler

    def __call__(self, event: ObjectEvent[Pod], /) -> Iterable[Request]:
        if isinstance(event, Deleted):
            return self._reconciler.on_pod_deleted(event.obj)
        if isinstance(event, Created):
            self._reconciler.on_pod_added(event.obj)
        return ()


class EnqueueJinghzhu(EnqueueHandler[Jinghzhu]):
    """A Jinghzhu on whose list somebody came; and those that were there at first are compared with the pods."""

    def __init__(self, reconciler: JinghzhuReconciler) -> None:
        self._reconciler = reconciler

    def __call__(self, event: ObjectEvent[Jinghzhu], /) -> Iterable[Request]:
        obj = event.objects[-1]
        if isinstance(event, Created) and event.is_in_initial_list:
            self._reconciler.is_initial(obj)
        if isinstance(event, Updated) and {*obj.spec.pod_list} <= {*event.old.spec.pod_list}:
            return ()
        return (Request.of(obj),)
