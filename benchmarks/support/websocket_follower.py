"""Websocket clients that follow pages, acknowledge frames, and record when marks arrive.

    python -m benchmarks.support.websocket_follower URL NUMBER PATH…

opens NUMBER sockets over the pages at PATH (each in turn), prints `ready` once each has its window, and follows until
its standard input ends; then it prints what it has seen as a line of JSON. "PATH USER GROUPS" is a page of somebody
whom a proxy names. A mark is a count of restarts of 1,000,000 or more in a row; what it was and when (`time.time()`) is
noted for each socket, and the longest time without a heartbeat (`silence`, seconds).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sys
import time
from dataclasses import dataclass, field
from functools import lru_cache

import aiohttp
import uvloop

ACK_SIZE = 64 * 1024
USER_HEADER, GROUPS_HEADER = "X-User", "X-Groups"
"""Headers in which a proxy would name somebody."""
_PARTS = re.compile(
    r"#rows-\w+(?:&gt;#row-(?P<left>[\w-]+))?\\\" hx-swap=\\\"(?P<swap>\w+)"
    r"|id=\\\"row-(?P<row>[\w-]+)"
    r"|(?<!\d)(?P<mark>[1-9]\d{6})(?!\d)"
)


@dataclass
class Follower:
    """One socket and what came."""

    path: str
    """The page; after a blank each its user and their groups."""
    marks: dict[int, float] = field(default_factory=dict)
    rows: set[str] = field(default_factory=set)
    """Rows of the page."""
    messages: int = 0
    units: int = 0
    acknowledged: int = 0
    heartbeat_count: int = 0
    last_heartbeat: float = 0.0
    silence: float = 0.0
    windows: int = 0
    stale: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    end_reason: str = ""

    async def follow(self, session: aiohttp.ClientSession, url: str) -> None:
        address = f"{url.replace('http', 'ws', 1)}/live/"
        path, *person = self.path.split(" ")
        headers = dict(zip((USER_HEADER, GROUPS_HEADER), person, strict=False))
        async with session.ws_connect(
            address, params={"path": path}, origin=url, headers=headers, max_msg_size=0
        ) as socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    text = message.data
                elif message.type is aiohttp.WSMsgType.BINARY:
                    text = gzip.decompress(message.data).decode()
                else:
                    break
                self.take(text, len(message.data))
                if self.units - self.acknowledged > ACK_SIZE:
                    self.acknowledged = self.units
                    await socket.send_str(json.dumps({"ack": self.units}))
            self.end_reason = f"closed with {socket.close_code}"

    def take(self, text: str, units: int) -> None:
        now = time.time()
        self.units += units
        if text.startswith('{"beat"'):
            self.silence = max(self.silence, now - self.last_heartbeat if self.heartbeat_count else 0.0)
            self.heartbeat_count, self.last_heartbeat = self.heartbeat_count + 1, now
            self.stale += '"state":"live"' not in text
            return
        if not text.startswith('{"content"'):
            return
        self.messages += 1
        whole = '"after"' not in text[-400:]
        if whole:
            self.windows += 1
            self.ready.set()
        frame = frame_in(text)
        before, self.rows = self.rows, frame.rows if frame.is_whole else (self.rows - frame.removed_rows) | frame.rows
        if not whole:
            for row, mark in frame.marks:
                if row in before:  # else the row has come from elsewhere, and changed long ago
                    self.marks.setdefault(mark, now)


@dataclass(frozen=True)
class FrameRows:
    """Rows of a frame."""

    is_whole: bool
    """Whether these are all."""
    rows: set[str]
    removed_rows: set[str]
    marks: list[tuple[str, int]]
    """In which row there is which mark."""


@lru_cache(maxsize=256)
def frame_in(text: str) -> FrameRows:
    """Looked for once for all sockets that get a frame: what this takes the dashboard has not."""
    found = FrameRows('hx-swap=\\"window\\"' in text, set(), set(), [])
    row = ""
    for part in _PARTS.finditer(text):
        if part["row"]:
            row = part["row"]
            found.rows.add(row)
        elif part["left"]:
            found.removed_rows.add(part["left"])
        elif part["mark"]:
            found.marks.append((row, int(part["mark"])))
    return found


async def main(url: str, number: int, paths: list[str]) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        followers = [Follower(paths[each % len(paths)]) for each in range(number)]
        tasks = []
        for start in range(0, number, 50):
            some = followers[start : start + 50]
            tasks += [asyncio.create_task(follower.follow(session, url)) for follower in some]
            async with asyncio.timeout(60):
                await asyncio.gather(*(follower.ready.wait() for follower in some))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    seen = [
        {
            "path": follower.path, "marks": follower.marks, "messages": follower.messages, "units": follower.units,
            "beats": follower.heartbeat_count, "stale": follower.stale, "windows": follower.windows, "ended":
            follower.end_reason,
            "silence": follower.silence,
        }
        for follower in followers
    ]  # fmt: skip
    print(json.dumps(seen))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
