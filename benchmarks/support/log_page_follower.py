"""Websocket clients that follow pages of logs as a browser does, and count lines, gaps and marks.

    python -m benchmarks.support.log_page_follower URL NUMBER PATH…

opens NUMBER sockets over the pages at PATH (each in turn), prints `ready` once each has its window, and follows until
its standard input ends; then it prints what each has seen as a line of JSON, see LogPage. Lines are those of
benchmarks.support.scripted_kubelet. As static/js/logs/entries.js does, a page takes the numbers that a frame leaves out
for a gap, which it shows as “N lines not shown”.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

import aiohttp
import uvloop

from benchmarks.support.websocket_follower import ACK_SIZE

_NUMBER = re.compile(r"\bn=(\d+)\b")
_LOSSES = ("gap", "repeated", "error")
"""Marks that say that lines may be missing or come twice."""

LineNumber = tuple[int, int]
"""Source of a line, and the number that it says."""


@dataclass(frozen=True)
class LogFrame:
    """What a page gets at a time."""

    is_whole: bool
    first: int
    """Number of the first entry, as the view counts."""
    next: int
    lines: list[LineNumber]
    marks: list[str]
    newest: float
    """Unix time of the newest line; 0 where there is none."""
    jumps: int
    """Lines that miss between two of one source that follow each other in the frame."""


@dataclass
class LogPage:
    """What a page has got."""

    path: str
    opened: float = field(default_factory=time.time)
    """Unix time."""
    start: int = 0
    """Number of the entry that came first after the window."""
    next: int = 0
    """Number of the next entry."""
    windows: int = 0
    frames: int = 0
    lines: int = 0
    """Lines after the window."""
    skipped: int = 0
    """Entries in gaps, which the page shows as so many lines."""
    marks: dict[str, int] = field(default_factory=dict)
    """Number of marks after the window, by kind."""
    jumps: int = 0
    """Lines that miss where the page shows no gap."""
    repeated: int = 0
    """Lines with a number that an earlier one of the same source had, or a smaller one."""
    delays: list[float] = field(default_factory=list)
    """Seconds from the newest line of a frame, where it came after `opened`, until the frame was here."""
    silence: float = 0.0
    """Longest time without a heartbeat, seconds."""
    ended: str = ""

    def take(self, frame: LogFrame, last: dict[int, int], now: float) -> None:
        """Take a frame. `last` is the newest number of each source."""
        if frame.is_whole:
            self.windows += 1
            self.start = self.start if self.windows > 1 else frame.next
        else:
            self.frames += 1
            self.lines += len(frame.lines)
            self.skipped += max(0, frame.first - self.next)
            for mark in frame.marks:
                self.marks[mark] = self.marks.get(mark, 0) + 1
            if frame.newest > self.opened:
                self.delays.append(now - frame.newest)
            self.jumps += frame.jumps
            self._compare(frame, last)
        last.update(frame.lines)
        self.next = max(self.next, frame.next)

    def _compare(self, frame: LogFrame, last: dict[int, int]) -> None:
        firsts: dict[int, int] = {}
        for source, number in frame.lines:
            firsts.setdefault(source, number)
        for source, number in firsts.items():
            self.repeated += number <= last.get(source, -1)
            if frame.first <= self.next and source in last and not frame.marks:
                self.jumps += max(0, number - last[source] - 1)


@lru_cache(maxsize=64)
def log_frame(message: bytes | str) -> LogFrame | None:
    """The lines of a frame; None for another message. Read once for all sockets that get it."""
    content: dict[str, Any] = json.loads(gzip.decompress(message) if isinstance(message, bytes) else message)
    log = content.get("log")
    if not log or "entries" not in log:
        return None
    lines: list[LineNumber] = []
    marks, newest, jumps = [], "", 0
    last: dict[int, int] = {}
    for entry in log["entries"]:
        if entry[3] == "!":
            marks.append(entry[4])
            continue
        if found := _NUMBER.search(entry[4]):
            source, number = entry[2], int(found[1])
            jumps += max(0, number - last.get(source, number - 1) - 1)
            last[source] = number
            lines.append((source, number))
            newest = max(newest, entry[1])
    first = log["entries"][0][0] if log["entries"] else log["next"]
    at = datetime.fromisoformat(newest[:26] + "+00:00").timestamp() if newest else 0.0
    return LogFrame(bool(log.get("whole")), first, log["next"], lines, marks, at, 0 if marks else jumps)


async def follow(page: LogPage, session: aiohttp.ClientSession, url: str, ready: asyncio.Event) -> None:
    """Follow one page until cancelled."""
    address = f"{url.replace('http', 'ws', 1)}/live/"
    units = acknowledged = 0
    last: dict[int, int] = {}
    beat = 0.0
    async with session.ws_connect(address, params={"path": page.path}, origin=url, max_msg_size=0) as socket:
        async for message in socket:
            if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                break
            now = time.time()
            units += len(message.data)
            if isinstance(message.data, str) and message.data.startswith('{"beat"'):
                page.silence, beat = max(page.silence, now - beat if beat else 0.0), now
            elif frame := log_frame(message.data):
                page.take(frame, last, now)
                ready.set()
            if units - acknowledged > ACK_SIZE:
                acknowledged = units
                await socket.send_str(json.dumps({"ack": units}))
        page.ended = f"closed with {socket.close_code}"


async def main(url: str, number: int, paths: list[str]) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        pages = [(LogPage(paths[each % len(paths)]), asyncio.Event()) for each in range(number)]
        tasks = [asyncio.create_task(follow(page, session, url, ready)) for page, ready in pages]
        async with asyncio.timeout(60):
            await asyncio.gather(*(ready.wait() for _, ready in pages))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps([asdict(page) for page, _ in pages]))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
