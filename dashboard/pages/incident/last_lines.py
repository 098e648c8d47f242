"""Last lines that containers wrote before they ended, read from the kubelet for the incident page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.fields.text_limit import limit_text
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.incident.family import Member
from dashboard.pages.incident.timeline import TimelineEntry, ends_of_containers
from dashboard.pages.layout.required_right import right_denial
from dashboard.runtime.app_state import AppState, Key
from dashboard.runtime.invisible_characters import escape_invisible
from informerd.errors import InformerdError
from informerd.logs.container_runs import runs_of
from informerd.logs.log_reader import read_log
from informerd.lru_cache import LruCache
from informerd.resource import PODS
from informerd.rest.client import Client

MAX_READ = 3
"""Most containers whose lines are read: those that ended last."""
LINES = 12
MAX_LINE = 300
READ_SECONDS = 3.0
"""Seconds that a page waits for all of them."""
MAX_CACHED = 300
"""Most containers whose lines are kept: some kB each."""
LAST_LINES: Key[LruCache[tuple[str, str, float], TimelineEntry]] = Key("last lines of containers")
"""By the pod's uid, the container, and when it ended."""


async def last_lines(state: AppState, pods: Iterable[Member]) -> tuple[list[TimelineEntry], str]:
    """An entry for each container that ended last, and why lines are missing, as a sentence; empty where none are."""
    by_place = {pod.place: pod for pod in pods}
    ended = sorted(await ends_of_containers(by_place.values()), key=lambda entry: -entry.at)
    newest = {(entry.place, entry.container): entry for entry in reversed(ended)}
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
    """As `_read`; what a container wrote before it ended stays the same."""
    key = (pod.row.uid, ended.container, ended.at)
    found = cache.get(key)
    if found is None:
        read = await _read(client, ended, pod)
        if isinstance(read, str):
            return read
        cache.put(key, found := read)
    return found


async def _read(client: Client, ended: TimelineEntry, pod: Member) -> TimelineEntry | str:
    """The entry, or why there is none; empty where the container wrote nothing."""
    runs = runs_of(whole_object(pod.row) or {}, ended.container)
    is_previous = runs is None or runs.run is None or not runs.run.is_over
    _, namespace, name = pod.place
    content = b""
    try:
        log = read_log(client, namespace, name, ended.container, previous=is_previous, tail=LINES)
        async for chunk in log:
            content += chunk
    except InformerdError as error:
        return str(error)
    texts = [line.partition(b" ")[2].decode(errors="replace") for line in content.split(b"\n") if line]
    lines = tuple(limit_text(escape_invisible(text), MAX_LINE) for text in texts)
    words = f"the last lines of container {ended.container} before it ended"
    return replace(ended, source="log", words=words, tone="idle", lines=lines, at=ended.at - 0.001) if lines else ""
