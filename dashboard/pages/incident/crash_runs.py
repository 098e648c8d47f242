"""Crash loops of a time line: all crashes of a pod that follow one another are one entry, which has their lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dashboard.live.rendering.time_texts import utc_text
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.causes.crash_loops import LONGEST_BETWEEN
from dashboard.pages.incident.family import PODS, Place
from dashboard.pages.incident.timeline_entry import Crash, TimelineEntry

CLOCKS_DIFFER = 5.0
"""Seconds by which the kubelet's time of an end may come before the feed's line about it."""
_ENDED = re.compile(r"\bexited (-?\d+(?: \(\w+\))?)(?:, restarted (?:(\d+) times|once))?$")


def crash_of(key: str, entry: Entry) -> Crash | None:
    """The crash that a line of the feed tells: a container ended, or was restarted before anybody saw it end."""
    if key != PODS or entry.op != "modified":
        return None
    fields = dict(entry.fields)
    if entry.tone == "bad" and (match := _ENDED.search(entry.reason)) is not None:
        return Crash(int(match[2] or match[0].endswith("once")), match[1])
    restarts = fields.get("restarts", "")
    return Crash(int(restarts) - 1) if restarts.isdecimal() and restarts != "0" and "status" not in fields else None


def fold_crash_loops(entries: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """The entries, where two or more crashes of a pod follow one another as one entry, at the time of the last."""
    by_place: dict[Place, list[TimelineEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.at):
        if entry.place is not None and entry.source == "change":
            by_place.setdefault(entry.place, []).append(entry)
    loops = [loop for lines in by_place.values() for loop in _loops(lines)]
    within = {id(part) for loop in loops for part in loop.parts}
    return [*(entry for entry in entries if id(entry) not in within), *loops]


def _loops(lines: Sequence[TimelineEntry]) -> Iterator[TimelineEntry]:
    """The crash loops of one pod; `lines` are those about it, the oldest first."""
    for crashes in _runs(line for line in lines if line.crash is not None):
        told = {line.crash.restarts: line.crash for line in crashes if line.crash is not None}
        if len(told) < 2:
            continue
        first, last = crashes[0], crashes[-1]
        parts = [
            line for line in lines
            if first.at - (CLOCKS_DIFFER if line.container else 0) <= line.at <= last.at
            and (line.crash or line.is_routine or line.container)
        ]  # fmt: skip
        begin, end = utc_text(first.at), utc_text(last.at)
        span = f"from {begin.removesuffix(' UTC')} to {end if begin[:10] != end[:10] else end[11:]}"
        words = f"crash loop: {len(told):,} crashes {span}{_exit_codes(told.values())}"
        yield TimelineEntry(last.at, "change", words, "bad", last.place, parts=tuple(reversed(parts)))


def _runs(crashes: Iterable[TimelineEntry]) -> list[list[TimelineEntry]]:
    """Crashes that follow one another, the oldest first."""
    runs: list[list[TimelineEntry]] = []
    for line in crashes:
        if not runs or line.at - runs[-1][-1].at > LONGEST_BETWEEN:
            runs.append([])
        runs[-1].append(line)
    return runs


def _exit_codes(crashes: Iterable[Crash]) -> str:
    """``, exit code 1``, ``, exit codes 1 ×5, 137 (OOMKilled) ×1``; empty where none is known."""
    codes = Counter(crash.exit_code for crash in crashes if crash.exit_code)
    if len(codes) < 2:
        return "".join(f", exit code {code}" for code in codes)
    return f", exit codes {', '.join(f'{code} ×{number}' for code, number in codes.most_common())}"
