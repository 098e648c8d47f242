"""Last lines that containers wrote before they ended, read from the kubelet for the incident page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.logs.log_message import log_message
from dashboard.objects.logs.severity import severities_of
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.incident.family import Member
from dashboard.pages.incident.timeline import ends_of_containers
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.pages.layout.required_right import right_denial
from dashboard.runtime.app_state import AppState, Key
from dashboard.runtime.counts_and_times import parse_timestamp
from informerd.errors import InformerdError
from informerd.logs.container_runs import ContainerRun, runs_of
from informerd.logs.log_reader import read_log
from informerd.lru_cache import LruCache
from informerd.resource import PODS
from informerd.rest.client import Client

MAX_READ = 3
"""Most containers whose lines are read: those that ended last."""
LINES = 12
READ_SECONDS = 3.0
"""Seconds that a page waits for all of them."""
MAX_CACHED = 300
"""Most containers whose lines are kept: some kB each."""
LAST_LINES: Key[LruCache[tuple[str, str, float], TimelineEntry]] = Key("last lines of containers")
"""By the pod's uid, the container, and when it ended."""


@dataclass(frozen=True, slots=True)
class LastEnd:
    """The run of a container that ended last."""

    run: ContainerRun
    is_previous: bool
    """Whether another has begun since, so that the kubelet has this one's log as the previous."""


async def last_lines(state: AppState, pods: Iterable[Member]) -> tuple[list[TimelineEntry], str]:
    """An entry for each container that ended last, and why lines are missing, as a sentence; empty where none are."""
    by_place = {pod.place: pod for pod in pods}
    ended = sorted(await ends_of_containers(by_place.values()), key=lambda entry: -entry.at)
    newest = {(entry.place, entry.container): entry for entry in reversed(ended) if not entry.is_routine}
    wanted = sorted(newest.values(), key=lambda entry: -entry.at)[:MAX_READ]
    client = state[CONNECTION].client
    if not wanted or client is None:
        return [], ""
    rights = [ResourceAttributes("get", PODS, *entry.place[1:], "log") for entry in wanted if entry.place is not None]
    denials = {*await asyncio.gather(*(right_denial(state, right) for right in rights))} - {""}
    if denials:
        return [], f"The last lines of containers are left out. {' '.join(sorted(denials))}"
    cache = state[LAST_LINES]
    work = [_cached(cache, client, entry, by_place[entry.place]) for entry in wanted if entry.place is not None]
    try:
        async with asyncio.timeout(READ_SECONDS):
            found = await asyncio.gather(*work)
    except TimeoutError:
        return [], f"The last lines of containers are left out: the kubelet did not answer within {READ_SECONDS:g} s."
    failures = {each for each in found if isinstance(each, str) and each}
    entries = [each for each in found if isinstance(each, TimelineEntry)]
    return entries, f"Some last lines of containers are left out: {'; '.join(sorted(failures))}." if failures else ""


async def _cached(
    cache: LruCache[tuple[str, str, float], TimelineEntry], client: Client, ended: TimelineEntry, pod: Member
) -> TimelineEntry | str:
    """As `_read`; what a run wrote before it ended stays the same."""
    key = (pod.row.uid, ended.container, ended.at)
    found = cache.get(key)
    if found is None:
        read = await _read(client, ended, pod)
        if isinstance(read, str):
            return read
        cache.put(key, found := read)
    return found


async def _read(client: Client, ended: TimelineEntry, pod: Member) -> TimelineEntry | str:
    """The entry, or why there is none; empty where the container wrote nothing.

    A log is named by its container alone. So that no lines of another run are shown, the pod is read after them, and
    must still have this end as its container's last.
    """
    end = _last_end(whole_object(pod.row) or {}, ended.container)
    if end is None:
        return ""
    _, namespace, name = pod.place
    content = b""
    try:
        log = read_log(client, namespace, name, ended.container, previous=end.is_previous, tail=LINES)
        async for chunk in log:
            content += chunk
        now = (await client.get(PODS, name, namespace)).object()
    except InformerdError as error:
        return str(error)
    stamped = [line.partition(b" ") for line in content.split(b"\n") if line]
    is_same = now["metadata"]["uid"] == pod.row.uid and _last_end(now, ended.container) == end
    if not is_same or (stamped and not _is_before_end(stamped[0][0].decode(errors="replace"), ended.at)):
        return f"the log of container {ended.container} in {namespace}/{name} may be of a later run"
    texts = [text for _, _, text in stamped]
    lines = tuple(map(log_message, texts, severities_of(texts)))
    words = f"the last lines of container {ended.container} before it ended"
    return (
        replace(ended, source="log", words=words, tone="idle", lines=lines, at=ended.at - 0.001, is_routine=False)
        if lines
        else ""
    )


def _last_end(pod: Mapping[str, Any], container: str) -> LastEnd | None:
    """The last end of a container; None where it has not ended yet."""
    runs = runs_of(pod, container)
    if runs is None or runs.run is None:
        return None
    if runs.run.is_over:
        return LastEnd(runs.run, is_previous=False)
    return LastEnd(runs.before, is_previous=True) if runs.before is not None else None


def _is_before_end(stamp: str, ended: float) -> bool:
    """Whether a line was written before a run had ended: ends are known to the second. A later run's lines all come
    after it, and the kubelet may have begun that run before it says so to the API server.
    """
    at = parse_timestamp(stamp)
    return at is not None and at < ended + 1
