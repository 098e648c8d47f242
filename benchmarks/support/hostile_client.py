"""Hostile clients, each a process of its own.

    python -m benchmarks.support.hostile_client ATTACK URL SECONDS [CHANNEL_PREFIX]

attacks the dashboard at URL for so long and prints what it did as a line of JSON: how much was sent, and how often it
was refused. It takes the processor only where nothing else wants it (nice), because a real one is on another machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlencode

import aiohttp
import msgspec
import uvloop
import zstandard
from channels_redis.pubsub import RedisPubSubChannelLayer

from dashboard.live.replication.messages import FEED_GROUP, Frame, encoder, frame_decoder
from dashboard.objects.kinds.row import Row
from informerd.cache.health import Health
from informerd.objects import Blob

NICE = 10
REDIS = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
LIST = "/resources/pods/"
PADDED = json.dumps({"ack": 1}) + " " * 1_000_000
SOCKETS_OF_A_FLOOD = 20
SOCKETS_THAT_SWITCH = 400
LARGE_TEXT = 2_750_000
TERMS_OF_A_FILTER = 50
FORM_TO_NOWHERE = 1_500_000
LARGE_BODY = 300_000_000
PIECE = b"x" * 65_536
HOSTILE_KIND = "traps.hostile.example.com"
SILENT_SOCKETS = 20
CLIENTS_OF_PAGES = 40
EXPENSIVE_PAGES = (
    LIST + "?q=name~{number}&sort=-restarts",
    LIST + "export.csv?q=name~{number}",
    LIST + "complete?q=node=&caret=5",
    "/feed/",
    "/resources/deployments.apps/new/",
    "/",
)


class Attack:
    """What the attacks share: where, until when, and what came of it."""

    def __init__(self, url: str, seconds: float, prefix: str) -> None:
        self.url = url
        self.prefix = prefix
        self.counts: Counter[str] = Counter()
        self._until = time.monotonic() + seconds
        self._session: aiohttp.ClientSession | None = None

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self._until

    @property
    def session(self) -> aiohttp.ClientSession:
        assert self._session is not None
        return self._session

    async def run(self, attack: Callable[[Attack], Awaitable[None]], clients: int) -> None:
        """`clients` of them at once, each again when it was thrown out."""
        async with self._connect():
            await asyncio.gather(*(self._again_and_again(attack) for _ in range(clients)))

    async def run_once(self, attack: Callable[[Attack], Awaitable[None]]) -> None:
        """One client, once."""
        async with self._connect():
            await attack(self)

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as self._session:
            yield

    async def _again_and_again(self, attack: Callable[[Attack], Awaitable[None]]) -> None:
        while self.goes_on:
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + self._until - time.monotonic()):
                    await attack(self)
            except TimeoutError:
                return
            except (aiohttp.ClientError, ConnectionError) as error:
                self.counts[f"refused: {type(error).__name__}"] += 1
                await asyncio.sleep(0.1)

    def socket(self, path: str = LIST) -> aiohttp.client._WSRequestContextManager:
        address = f"{self.url.replace('http', 'ws', 1)}/live/"
        return self.session.ws_connect(address, params={"path": path}, origin=self.url, max_msg_size=0)


async def acknowledge_without_end(attack: Attack) -> None:
    """Small messages as fast as they go."""
    await _flood(attack, json.dumps({"ack": 1}))


async def acknowledge_with_padding(attack: Attack) -> None:
    """A megabyte each."""
    await _flood(attack, PADDED)


async def _flood(attack: Attack, text: str) -> None:
    async with attack.socket() as socket:
        while attack.goes_on and not socket.closed:
            await socket.send_str(text)
            attack.counts["messages"] += 1
    attack.counts["closed"] += 1


async def open_hostile_schemas(attack: Attack) -> None:
    """Samples of a definition whose pattern takes exponential time in a backtracking engine, and with 10^12 items."""
    async with attack.session.get(f"{attack.url}/resources/{HOSTILE_KIND}/new/") as answer:
        await answer.read()
        attack.counts[f"answered {answer.status}"] += 1


async def forge_frames(attack: Attack) -> None:
    """Frames with a made-up pod, and with a blob that unpacks to 3 GB, from somebody who reaches Redis."""
    layer = RedisPubSubChannelLayer(hosts=[REDIS], prefix=attack.prefix)
    channel = await layer.new_channel()
    await layer.group_add(FEED_GROUP, channel)
    bomb = Blob(zstandard.ZstdCompressor(level=19).compress(bytes(400_000_000)), None)
    row = Row("forged", "default", "forged", "1", None, "Running", "ok", (), {}, blob=bomb)
    health = Health("live", since=0.0)
    in_the_clear = encoder.encode(Frame("pods", "9999999999999-forged", 1, time.time(), health, rows=(row,)))
    try:
        while attack.goes_on:
            message = await layer.receive(channel)
            data = message.get("data", b"")
            try:
                frame = frame_decoder.decode(data)
            except (msgspec.MsgspecError, UnicodeDecodeError):  # encrypted: cut, sent again, changed, and in the clear
                changed = bytes([*data[:-1], data[-1] ^ 1])
                forged = [data[: len(data) // 2], data, changed, os.urandom(20_000), in_the_clear]
            else:
                if frame.rows and frame.rows[0].uid == "forged":
                    continue
                forged = [encoder.encode(msgspec.structs.replace(frame, seq=frame.seq + 1, rows=(row,)))]
            for each in forged:
                await layer.group_send(FEED_GROUP, {"type": "feed.frame", "data": each})
                attack.counts["forged frames"] += 1
            await asyncio.sleep(0.02)
    finally:
        await layer.group_discard(FEED_GROUP, channel)


async def switch_views(attack: Attack) -> None:
    """Another order and filter twice a second, which nobody else has open."""
    async with attack.socket() as socket:
        number = 0
        while attack.goes_on and not socket.closed:
            number += 1
            path = f"{LIST}?q=name~{number % 97}&sort=-{('restarts', 'age', 'node')[number % 3]}"
            await socket.send_str(json.dumps({"view": path, "seq": ""}))
            attack.counts["views"] += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    while not socket.closed:
                        await socket.receive()
    attack.counts["closed"] += 1
    await asyncio.sleep(0.5)


async def request_pages(attack: Attack) -> None:
    """Pages that take long to make, one after the other: lists in an order of their own, exports, the feed, forms."""
    for number, path in enumerate(EXPENSIVE_PAGES):
        async with attack.session.get(f"{attack.url}{path.format(number=number)}") as answer:
            await answer.read()
            attack.counts[f"answered {answer.status}"] += 1


async def filter_lists(attack: Attack) -> None:
    """A socket whose view has a filter of fifty terms that nobody else has, and pages of lists with such filters."""
    async with attack.socket() as socket:
        while attack.goes_on and not socket.closed:
            attack.counts["filters"] += 1
            words = (f"-*a*e*f*{attack.counts['filters']}x{term}*" for term in range(TERMS_OF_A_FILTER))
            path = f"{LIST}?{urlencode({'q': ' '.join(words)})}"
            await socket.send_str(json.dumps({"view": path, "seq": ""}))
            async with attack.session.get(f"{attack.url}{path}") as answer:
                await answer.read()
                attack.counts[f"answered {answer.status}"] += 1


async def post_to_nowhere(attack: Attack) -> None:
    """Forms of encoded text to an address that does not exist, one after the other."""
    body = b"yaml=" + b"%7B%0A%22" * (FORM_TO_NOWHERE // 9)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    async with attack.session.post(f"{attack.url}/new/nowhere.txt", data=body, headers=headers) as answer:
        await answer.read()
        attack.counts[f"answered {answer.status}"] += 1


async def check_large_texts(attack: Attack) -> None:
    """Checks of 2.75 MB of manifests, one after the other."""
    await check_text(attack, LARGE_TEXT)


async def check_text(attack: Attack, size: int) -> None:
    """A check of `size` bytes of manifests."""
    async with attack.session.get(f"{attack.url}/new/") as answer:
        page = await answer.text()
        token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        cookies = {name: morsel.value for name, morsel in answer.cookies.items()}
    document = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\ndata: {text: "%s"}\n---\n'
    text = "".join(document % (number, "y" * 500) for number in range(size // 600))
    form = aiohttp.FormData({"yaml": text, "csrfmiddlewaretoken": token})
    headers = {"Origin": attack.url, "X-CSRFToken": token, "Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())}
    async with attack.session.post(f"{attack.url}/new/check/", data=form, headers=headers) as answer:
        await answer.read()
        attack.counts[f"answered {answer.status}"] += 1


async def use_honestly(attack: Attack) -> None:
    """Each of the attacked pages once, as one person does, so that the process has loaded what they need."""
    await request_pages(attack)
    await check_text(attack, 1200)


async def send_large_bodies(attack: Attack) -> None:
    """Bodies of 300 MB that say so, and that do not."""

    async def body() -> AsyncIterator[bytes]:
        for _ in range(LARGE_BODY // len(PIECE)):
            yield PIECE
            attack.counts["pieces of 64 kB"] += 1

    headers = {"Origin": attack.url, "Content-Type": "application/x-www-form-urlencoded"}
    async with attack.session.post(f"{attack.url}/new/check/", data=body(), headers=headers) as answer:
        await answer.read()
        attack.counts[f"answered {answer.status}"] += 1


async def read_nothing(attack: Attack) -> None:
    """Followers of a list that acknowledge all and read nothing: aiohttp stops reading once its queue is full."""
    async with attack.socket() as socket:
        attack.counts["sockets"] += 1
        while attack.goes_on and not socket.closed:
            await socket.send_str(json.dumps({"ack": 1 << 50}))
            await asyncio.sleep(0.5)
    attack.counts["closed"] += 1


ATTACKS: dict[str, tuple[Callable[[Attack], Awaitable[None]], int]] = {
    "acknowledgements": (acknowledge_without_end, SOCKETS_OF_A_FLOOD),
    "padded-acknowledgements": (acknowledge_with_padding, SOCKETS_OF_A_FLOOD),
    "schemas": (open_hostile_schemas, 4),
    "forged-frames": (forge_frames, 1),
    "views": (switch_views, SOCKETS_THAT_SWITCH),
    "page-requests": (request_pages, CLIENTS_OF_PAGES),
    "filters": (filter_lists, 20),
    "checks": (check_large_texts, 8),
    "forms-to-nowhere": (post_to_nowhere, 40),
    "bodies": (send_large_bodies, 4),
    "silent-readers": (read_nothing, SILENT_SOCKETS),
}
"""What each client does, and how many there are."""


async def main(name: str, url: str, seconds: float, prefix: str) -> None:
    os.nice(NICE)
    attack = Attack(url, seconds, prefix)
    await attack.run(*ATTACKS[name])
    print(json.dumps(attack.counts))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]), (*sys.argv, "")[4]))
