"""Benchmark of workers that divide the namespaces: what an object of another shard costs, a change, and a move.

    python -m benchmarks.shards

Everything runs in this process, on pods of 4.8 kB in 20 namespaces: no cluster, no Redis. Times are processor time, but
for the longest turn of the event loop.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

import msgspec  # noqa: E402

from benchmarks.support.load_server_pods import pod  # noqa: E402
from benchmarks.support.result_table import Line, main  # noqa: E402 - Django's settings come first
from dashboard.live.replication.kind_replica import KindReplica  # noqa: E402
from dashboard.live.replication.messages import (  # noqa: E402
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
)
from dashboard.live.replication.publisher import Publisher  # noqa: E402
from dashboard.live.worker.object_with_row import RowBuilder, reduce_for  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.objects.printers import projection_for  # noqa: E402
from dashboard.runtime.shard import WHOLE, Shard  # noqa: E402
from informerd.cache.health import Health  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.decoding.decode_error_counts import DecodeErrors  # noqa: E402
from informerd.decoding.decoder import Decoder, NotSelected  # noqa: E402
from informerd.resource import PODS  # noqa: E402
from informerd.testing.clock import FakeClock  # noqa: E402

ROUNDS = 3
COUNT = 3
"""Shards."""


def cpu(work: Callable[[], object], times: int) -> float:
    """Microseconds of processor time each, the best of three rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best / times * 1e6


def decoder(shard: Shard) -> Decoder[Any]:
    clock = SystemClock()
    selects = shard.selector.matches if shard != WHOLE else None
    return Decoder(
        PODS,
        projection_for(PODS.key),
        None,
        DecodeErrors(PODS.key, clock),
        clock=clock,
        selects=selects,
        reduce=reduce_for(PODS.key),
    )


def decode_all(reading: Decoder[Any], raws: Sequence[bytes]) -> int:
    """How many were dropped."""
    dropped = 0
    for raw in raws:
        try:
            reading.decode(raw)
        except NotSelected:
            dropped += 1
    return dropped


def events(number: int) -> list[Line]:
    raws = [pod(each, each + 1) for each in range(number)]
    shards = [Shard(each, COUNT) for each in range(1, COUNT + 1)]
    other = max(shards, key=lambda shard: decode_all(decoder(shard), raws))
    dropped = [raw for raw in raws if decode_all(decoder(other), [raw])]
    whole, narrowed = decoder(WHOLE), decoder(other)
    kept = cpu(lambda: decode_all(whole, dropped), len(dropped))
    left_out = cpu(lambda: decode_all(narrowed, dropped), len(dropped))
    return [
        Line("an event, decoded, compressed and printed as a row", {"µs": kept}),
        Line(
            "an event of another shard, dropped", {"µs": left_out}, {"of one that is kept": f"× {left_out / kept:.2f}"}
        ),
    ]


def rows(number: int) -> list[Row]:
    reading, builder = decoder(WHOLE), RowBuilder(PODS.key)
    return [builder.row(reading.decode(pod(each, each + 1))) for each in range(number)]


class Layer:
    """A channel layer that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def send(self, _: str, message: dict[str, Any]) -> None:
        self.sent.append(message["data"])

    group_send = send


def publisher(of: Sequence[Row], shard: Shard, layer: Layer, clock: FakeClock) -> Publisher:
    made = Publisher(PODS.key, layer, clock, shard=shard)  # type: ignore[arg-type] # the used part of one
    health = Health("live", clock.time(), heard=clock.time())
    made.health = lambda: health
    for row in of:
        if shard.includes(row.namespace):
            made.put(row)
    return made


async def fill(replica: KindReplica, of: Publisher, layer: Layer) -> None:
    """Have the replica follow a publisher, as messages would."""
    await of.flush()
    await of.flush()
    replica.receive_frame(frame_decoder.decode(layer.sent[-1]))
    request: SnapshotRequest | None = SnapshotRequest(PODS.key, "", shard=of.shard)
    while request is not None:
        layer.sent.clear()
        await of.answer(msgspec.structs.replace(request, reply_channel="replica"))
        request = replica.receive_chunk(snapshot_chunk_decoder.decode(layer.sent[-1]))


async def a_change(all_rows: Sequence[Row]) -> Line:
    """A frame with one row and its line of the feed."""
    layer = Layer()
    clock = FakeClock()
    worker, replica = publisher(all_rows, WHOLE, layer, clock), KindReplica(PODS.key, clock)
    await fill(replica, worker, layer)
    layer.sent.clear()
    changed = all_rows[:1_000]
    began = time.process_time()
    for row in changed:
        worker.put(row)
        worker.add_entry("modified", row, "restarts 1 → 2", "ok")
        await worker.flush()
    published = (time.process_time() - began) / len(changed) * 1e6
    frames, layer.sent = layer.sent, []
    began = time.process_time()
    for frame in frames:
        replica.receive_frame(frame_decoder.decode(frame))
    applied = (time.process_time() - began) / len(changed) * 1e6
    size = sum(map(len, frames)) / len(frames)
    row_bytes = sum(len(encoder.encode(row)) for row in all_rows) / len(all_rows)
    return Line(
        "a change of one pod, a frame of its own",
        {
            "bytes": size,
            "bytes of the row": row_bytes,
            "µs of the worker": published,
            "µs of each web process": applied,
        },
    )


class TimedReplica(KindReplica):
    """Notes how long its last move took."""

    moved_seconds = 0.0

    def _move(self, comparison: Any) -> None:
        began = time.perf_counter()
        super()._move(comparison)
        self.moved_seconds = time.perf_counter() - began


async def a_move(all_rows: Sequence[Row]) -> Line:
    """From one worker to three that have listed the same: its last turn, after the rows were compared in slices."""
    layer, clock = Layer(), FakeClock()
    replica = TimedReplica(PODS.key, clock)
    whole = publisher(all_rows, WHOLE, layer, clock)
    await fill(replica, whole, layer)
    await clock.advance(0.1)  # the others begin later
    of_one = cpu(lambda: [replica.rows.get(uid) for uid in replica.rows], len(all_rows))
    for number in range(1, COUNT + 1):
        await fill(replica, publisher(all_rows, Shard(number, COUNT), layer, clock), layer)
    await whole.flush()  # it was heard until then, so nothing is lost
    replica.receive_frame(frame_decoder.decode(layer.sent[-1]))
    replica.tick()
    if replica.shard_count != COUNT:
        raise RuntimeError("the replica has not moved")
    of_three = cpu(lambda: [replica.rows.get(uid) for uid in replica.rows], len(all_rows))
    return Line(
        f"a move from one worker to {COUNT}, {len(all_rows):,} pods",
        {"last turn, ms": replica.moved_seconds * 1e3, "µs to find a row": of_three},
        {"of one worker": f"× {of_three / of_one:.1f}"},
    )


async def all_lines(count: int, moved: int) -> list[Line]:
    made = rows(max(count, moved))
    return [*events(count), await a_change(made[:count]), await a_move(made[:moved])]


def measure(arguments: argparse.Namespace) -> list[Line]:
    return asyncio.run(all_lines(arguments.events, arguments.pods))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--pods", type=int, default=50_000)
    return parser


if __name__ == "__main__":
    main("Shards", measure, _parser())
