"""The Pod operator's bookkeeping: pods that are gone go from the lists of the Jinghzhus that name them.

By way of a work queue, and by comparing what is listed with what is there: a pod that is deleted while nobody watches,
or while a write fails, is missed by neither.
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
from informerd.errors import IndexExists, NotFound, ObjectReplaced
from informerd.manager.cached_kind import CachedKind
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.call import Json
from informerd.writing.change import change_object

log = logging.getLogger(__name__)

JINGHZHUS = Resource(
    group="jinghzhu.io", version="v1", plural="jinghzhus", kind="Jinghzhu", singular="jinghzhu", short_names=("jh",)
)
LABEL = "crd"
"""Of a pod: the name of its Jinghzhu."""
MESSAGE = "Need to do HA"

SETTLE = 3.0
"""Seconds between a pod's end and what is made of it: who takes pods away on purpose takes them from the list, too."""

TOGETHER = 0.5
"""Seconds within which pods that go one after the other are taken off together."""
LISTED_WITHIN = 600.0
"""Seconds within which a pod that has gone already may still come onto a list, to be taken off it again."""
MOST = 4096
"""Pods that are gone, above which those of which nothing is to be expected any more are forgotten."""
BY_NAME = "pod operator's names"


class Spec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    desired: int = 0
    current: int = 0
    """How many pods there are."""
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


class Gone(NamedTuple):
    """A pod that is not there."""

    since: float
    """On the monotonic clock."""
    seen: bool
    """Whether it was seen to go, or only not to be there."""


class Bookkeeping:
    """What is known of pods that are gone, and the reconcile that takes them from the lists.

    A listed pod is taken off three seconds after it went, where its label named that Jinghzhu. At the start, whatever
    is listed and not there counts as gone, once the API server has confirmed it: nobody can tell any more whose it was.
    List, count and message change in one write, for the version that was read, so that nothing of others' is lost.
    """

    def __init__(self, pods: CachedKind[Pod], jinghzhus: CachedKind[Jinghzhu], namespace: str, clock: Clock) -> None:
        self._pods = pods
        self._jinghzhus = jinghzhus
        self._namespace = namespace
        self._clock = clock
        self._gone: dict[tuple[str, str], Gone] = {}
        """By a Jinghzhu's and a pod's name."""
        self._most = MOST
        self._to_compare: set[Request] = set()
        with contextlib.suppress(IndexExists):  # an earlier operator's, of the same cache
            jinghzhus.add_index(BY_NAME, lambda jinghzhu: [jinghzhu.metadata.name])

    async def reconcile(self, request: Request) -> Result | None:
        """Take off what is gone, as soon as it is time for that."""
        jinghzhu = self._jinghzhus.get(request)
        if jinghzhu is None:
            self._to_compare.discard(request)
            return None
        missing, now = self._missing(jinghzhu), self._clock.now()
        due = {name: gone for name, gone in missing.items() if gone.since + SETTLE <= now}
        if due:
            await self._take_off(jinghzhu, due)
        if len(due) < len(missing):
            first = min(gone.since for name, gone in missing.items() if name not in due)
            return Result(requeue_after=max(TOGETHER, first + SETTLE - now))
        self._to_compare.discard(request)
        return None

    def pod_came(self, pod: Pod) -> None:
        """One that was gone under that name is there again."""
        self._gone.pop((pod.metadata.labels.get(LABEL, ""), pod.metadata.name), None)

    def pod_went(self, pod: Pod) -> Iterator[Request]:
        """It is gone: which Jinghzhus this may concern."""
        owner = pod.metadata.labels.get(LABEL)
        if owner:
            self._gone[owner, pod.metadata.name] = Gone(self._clock.now(), seen=True)
            if self._jinghzhus.has_synced:  # else it will be compared
                self._forget_old()
                yield from map(Request.of, self._jinghzhus.by_index(BY_NAME, owner))

    def was_there_first(self, jinghzhu: Jinghzhu) -> None:
        """Pods of it may have gone before anybody watched."""
        self._to_compare.add(Request.of(jinghzhu))

    def _missing(self, jinghzhu: Jinghzhu) -> dict[str, Gone]:
        """Listed pods that are gone."""
        owner, compare = jinghzhu.metadata.name, Request.of(jinghzhu) in self._to_compare
        found: dict[str, Gone] = {}
        for name in jinghzhu.spec.pod_list:
            if self._pods.get(Request(self._namespace, name)) is not None:
                continue
            gone = self._gone.get((owner, name))
            if gone is None and compare:
                gone = self._gone[owner, name] = Gone(self._clock.now(), seen=False)
            if gone is not None:
                found[name] = gone
        return found

    def _forget_old(self) -> None:
        """Where there are many: those that nobody listed in ten minutes, never one that is still to be taken off."""
        if len(self._gone) <= self._most:
            return
        listed = {(each.metadata.name, name) for each in self._jinghzhus.list() for name in each.spec.pod_list}
        oldest = self._clock.now() - LISTED_WITHIN
        self._gone = {key: gone for key, gone in self._gone.items() if gone.since > oldest or key in listed}
        self._most = max(MOST, 2 * len(self._gone))

    async def _take_off(self, jinghzhu: Jinghzhu, due: Mapping[str, Gone]) -> None:
        owner = jinghzhu.metadata.name
        removal = Removal({name for name, gone in due.items() if gone.seen or not await self._is_there(owner, name)})
        try:
            await change_object(self._jinghzhus, jinghzhu, removal, clock=self._clock)
        except (NotFound, ObjectReplaced):
            return  # it has gone itself, and another one of its name is another request
        if removal.taken:
            log.info("%s: %s of its pods gone, %s", jinghzhu.key, f"{len(removal.taken):,}", MESSAGE)

    async def _is_there(self, owner: str, name: str) -> bool:
        """Ask the API server itself: the cache may not have heard of a new pod yet."""
        try:
            await self._pods.read(Request(self._namespace, name))
        except NotFound:
            return False
        self._gone.pop((owner, name), None)
        return True


class Removal:
    """The change: takes names off the list, and counts. Applied again to the outcome it changes nothing.

    The message comes with the names, in one write: so the definition has no status subresource.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self.taken: list[str] = []
        """Those that were listed, in the state that was seen last."""

    def __call__(self, manifest: Json) -> None:
        spec = manifest.get("spec") or {}
        listed = spec.get("podList") or []
        self.taken = [name for name in listed if name in self._names]
        if self.taken:
            spec["podList"] = [name for name in listed if name not in self._names]
            spec["current"] = max(0, (spec.get("current") or 0) - len(self.taken))
            manifest["status"] = {**(manifest.get("status") or {}), "message": MESSAGE}


class EnqueuePodsJinghzhu(EnqueueHandler[Pod]):
    """The Jinghzhus of a pod that is gone; and keeps the books of who is there."""

    def __init__(self, books: Bookkeeping) -> None:
        self._books = books

    def __call__(self, event: ObjectEvent[Pod], /) -> Iterable[Request]:
        if isinstance(event, Deleted):
            return self._books.pod_went(event.obj)
        if isinstance(event, Created):
            self._books.pod_came(event.obj)
        return ()


class EnqueueJinghzhu(EnqueueHandler[Jinghzhu]):
    """A Jinghzhu on whose list somebody came; and those that were there at first are compared with the pods."""

    def __init__(self, books: Bookkeeping) -> None:
        self._books = books

    def __call__(self, event: ObjectEvent[Jinghzhu], /) -> Iterable[Request]:
        obj = event.objects[-1]
        if isinstance(event, Created) and event.is_in_initial_list:
            self._books.was_there_first(obj)
        if isinstance(event, Updated) and {*obj.spec.pod_list} <= {*event.old.spec.pod_list}:
            return ()
        return (Request.of(obj),)
