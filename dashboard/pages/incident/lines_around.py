"""Lines around the ends of containers, read from the kubelet for the incident page: the last ones of the run that
ended, and the first ones of the run after it.

The kubelet has the log of a container's present run and of the one before it. What is gone is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.live.rendering.time_texts import duration_text
from dashboard.objects.logs.log_message import log_message
from dashboard.objects.logs.severity import severities_of
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.incident.family import Member
from dashboard.pages.incident.timeline import ends_of_containers
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.pages.layout.required_right import right_denial
from dashboard.runtime.app_state import AppState, Key
from dashboard.runtime.counts_and_times import parse_timestamp
from informerd.errors import BadRequest, InformerdError, NotFound
from informerd.logs.container_runs import ContainerRun, ContainerRuns, runs_of
from informerd.logs.log_reader import read_log
from informerd.lru_cache import LruCache
from informerd.resource import PODS
from informerd.rest.client import Client

MAX_ENDS = 20
"""Most ends whose lines are read: the last ones."""
LINES = 12
"""Lines before an end, and after the start that follows it."""
CONCURRENT_READS = 4
READ_SECONDS = 3.0
"""Seconds that a page waits for all of them."""
LATE_SECONDS = 10.0
"""Seconds after the start of a run from which on its first line may not be the first that it wrote."""
MAX_CACHED = 1_000
"""Most entries that are kept: some kB each."""
Cache = LruCache[tuple[str, str, str, float], TimelineEntry]
LINES_AROUND: Key[Cache] = Key("lines around ends of containers")
"""By the pod's uid, the container, ``last`` or ``first``, and when the run ended or started: what stays the same."""


_LEFT_OUT = "Some lines around the ends of containers are left out"


@dataclass(slots=True)
class _EndedContainer:
    """A container with ends that stand out."""

    pod: Member
    runs: ContainerRuns
    ends: list[TimelineEntry] = field(default_factory=list)

    @property
    def about(self) -> str:
        _, namespace, name = self.pod.place
        return f"container {self.runs.name} in {namespace}/{name}"


async def lines_around_ends(state: AppState, pods: Iterable[Member]) -> tuple[list[TimelineEntry], list[str]]:
    """Entries with the lines around the ends of containers that stand out, and why lines are missing, as sentences."""
    by_place = {pod.place: pod for pod in pods}
    ends = [entry for entry in await ends_of_containers(by_place.values()) if not entry.is_routine]
    newest = sorted(ends, key=lambda entry: -entry.at)[:MAX_ENDS]
    containers = _ended_containers(by_place, newest)
    client = state[CONNECTION].client
    if not containers or client is None:
        return [], []
    places = {each.pod.place: None for each in containers}
    rights = [ResourceAttributes("get", PODS, namespace, name, "log") for _, namespace, name in places]
    denials = {*await asyncio.gather(*(right_denial(state, right) for right in rights))} - {""}
    if denials:
        return [], [f"Lines around the ends of containers are left out. {' '.join(sorted(denials))}"]
    reads = _Reads(client, state[LINES_AROUND])
    tasks = [asyncio.ensure_future(reads.of(each)) for each in containers]
    try:
        _, late = await asyncio.wait(tasks, timeout=READ_SECONDS)
    finally:
        for task in tasks:
            task.cancel()
    found = [task.result() for task in tasks if task not in late]
    entries = [entry for each in found if not isinstance(each, str) for entry in each]
    sentences = []
    if failures := sorted({each for each in found if isinstance(each, str)}):
        sentences.append(f"{_LEFT_OUT}: {'; '.join(failures)}.")
    if late:
        sentences.append(f"{_LEFT_OUT}: the kubelet did not answer within {READ_SECONDS:g} s.")
    if len(ends) > MAX_ENDS:
        sentences.append(f"Lines around the last {MAX_ENDS} ends of containers are shown, of {len(ends)}.")
    return [*entries, *(entry for each in containers for entry in _earlier_runs(each))], sentences


def _ended_containers(
    by_place: dict[tuple[str, str, str], Member], ends: Iterable[TimelineEntry]
) -> list[_EndedContainer]:
    found: dict[tuple[object, str], _EndedContainer] = {}
    for end in ends:
        if end.place is None:
            continue
        key = end.place, end.container
        if key not in found:
            pod = by_place[end.place]
            runs = runs_of(whole_object(pod.row) or {}, end.container)
            if runs is None:
                continue
            found[key] = _EndedContainer(pod, runs)
        found[key].ends.append(end)
    return [*found.values()]


def _earlier_runs(container: _EndedContainer) -> Iterator[TimelineEntry]:
    """An entry where the container had runs of which the kubelet keeps nothing."""
    runs = container.runs
    known = [run for run in (runs.run, runs.before) if run is not None]
    began = parse_timestamp(known[-1].started) if known else None
    earlier = runs.restarts + 1 - len(known)
    if began is not None and earlier > 0:
        what = "1 earlier run" if earlier == 1 else f"{earlier:,} earlier runs"
        words = f"the kubelet keeps no lines of {what} of container {runs.name}: it has the last two at most"
        yield TimelineEntry(began - 0.002, "log", words, place=container.pod.place, container=runs.name)


@dataclass(frozen=True, slots=True)
class _Work:
    """Lines that are to be read, and the entry without them."""

    what: Literal["last", "first"]
    run: ContainerRun
    is_previous: bool
    """Whether another run has begun since, so that the kubelet has this one's log as the previous."""
    entry: TimelineEntry


def _work(container: _EndedContainer) -> Iterator[_Work]:
    run, before = container.runs.run, container.runs.before
    for end in container.ends:
        entry = replace(end, source="log", tone="idle", is_routine=False, at=end.at - 0.001)
        is_present = run is not None and run.is_over and parse_timestamp(run.finished) == end.at
        ended = run if is_present else before
        if ended is not None:
            yield _Work("last", ended, not is_present, entry)
        started = parse_timestamp(run.started) if run is not None and not is_present else None
        if run is not None and started is not None:
            yield _Work("first", run, is_previous=False, entry=replace(entry, at=max(started, end.at) + 0.001))


@dataclass(frozen=True, slots=True)
class _Found:
    entry: TimelineEntry
    is_final: bool = False
    """Whether it stays the same."""
    is_of_run: bool = True
    """Whether its lines are surely not of a later run."""


class _Reads:
    """Reads lines, a few containers at a time."""

    def __init__(self, client: Client, cache: Cache) -> None:
        self._client = client
        self._cache = cache
        self._reads = asyncio.Semaphore(CONCURRENT_READS)

    async def of(self, container: _EndedContainer) -> list[TimelineEntry] | str:
        """The entries, or why there are none.

        A log is named by its container alone. So that no lines of another run are shown, the pod is read after them,
        and its container must still have the same runs.
        """
        key = container.pod.row.uid, container.runs.name
        known: list[TimelineEntry] = []
        new: dict[tuple[str, str, str, float], _Found] = {}
        async with self._reads:
            try:
                for work in _work(container):
                    named: tuple[str, str, str, float] = (*key, work.what, work.entry.at)
                    if (found := self._cache.get(named)) is not None:
                        known.append(found)
                    else:
                        new[named] = await self._read(container, work)
                is_same = not new or await self._has_same_runs(container)
            except InformerdError as error:
                return str(error)
        if not is_same or not all(each.is_of_run for each in new.values()):
            return f"the log of {container.about} may be of a later run"
        for named, each in new.items():
            if each.is_final:
                self._cache.put(named, each.entry)
        return [*known, *(each.entry for each in new.values())]

    async def _read(self, container: _EndedContainer, work: _Work) -> _Found:
        name = container.runs.name
        try:
            lines = await self._lines(container, work)
        except (BadRequest, NotFound):
            gone = f"the lines of container {name} around this are gone: the kubelet does not keep them any more"
            return _Found(replace(work.entry, words=gone))
        if work.what == "last":
            words = f"the last lines of container {name} before it ended"
            empty = f"the kubelet has no line of container {name} from before it ended"
        else:
            words = f"the first lines of container {name} after it was started again"
            empty = f"container {name} has written nothing since it was started again"
        if not lines:
            return _Found(replace(work.entry, words=empty))
        stamped = [line.partition(b" ") for line in lines]
        texts = [text for _, _, text in stamped]
        first = parse_timestamp(stamped[0][0].decode(errors="replace"))
        late = (first or 0.0) - work.entry.at
        if work.what == "first" and late > LATE_SECONDS:
            after = f"{duration_text(round(late))} after its start"
            words = f"the first lines that the kubelet has of container {name}, {after}"
        entry = replace(work.entry, words=words, lines=tuple(map(log_message, texts, severities_of(texts))))
        is_final = work.what == "last" or len(lines) == LINES or work.run.is_over
        # ends are known to the second; a later run's lines all come after it, and the kubelet may have begun that run
        # before it says so to the API server
        return _Found(entry, is_final, first is not None and (work.what == "first" or first < work.entry.at + 1))

    async def _lines(self, container: _EndedContainer, work: _Work) -> list[bytes]:
        _, namespace, name = container.pod.place
        is_last, lines = work.what == "last", list[bytes]()
        log = read_log(
            self._client,
            namespace,
            name,
            container.runs.name,
            previous=work.is_previous,
            since="" if is_last else work.run.started,
            tail=LINES if is_last else None,
        )
        async with aclosing(log):
            async for chunk in log:
                lines += chunk.split(b"\n")[:-1]
                if not is_last and len(lines) >= LINES:
                    break
        return lines[-LINES:] if is_last else lines[:LINES]

    async def _has_same_runs(self, container: _EndedContainer) -> bool:
        _, namespace, name = container.pod.place
        now = (await self._client.get(PODS, name, namespace)).object()
        runs = runs_of(now, container.runs.name)
        are_same = runs is not None and (runs.run, runs.before) == (container.runs.run, container.runs.before)
        return are_same and bool(now["metadata"]["uid"] == container.pod.row.uid)
