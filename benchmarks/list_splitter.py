"""Benchmark of lists with large items: the splitter and the decoder, in the turns in which an informer takes a list.

Each list has one item of so many bytes between small ones. "seconds" is processor time for the whole list, "longest
turn ms" that of the longest stretch in which the event loop does not get its turn: a slice of the list, and the item
that it completes, decoded and packed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import msgspec

from benchmarks.support.result_table import Line, main
from informerd import PODS, Object
from informerd.cache.list_watch import BYTES_PER_TURN
from informerd.decoding.decoder import Decoder
from informerd.decoding.list_splitter import ListSplitter

SIZES = (300_000, 1_500_000, 3_000_000)
SHAPES: dict[str, Callable[[int], Any]] = {
    "many strings": lambda size: {f"key{number}": f"value {number * 7919}" for number in range(size // 30)},
    "one string": lambda size: "0123456789abcdef" * (size // 16),
    "items within": lambda size: [{"metadata": {"name": "x"}, "ports": [{"port": 1}]}] * (size // 52),
    "brackets": lambda size: [[[], {}]] * (size // 8),
}


def measure(arguments: argparse.Namespace) -> list[Line]:
    lines = []
    for name, make in SHAPES.items():
        for size in arguments.sizes:
            body = _list([_pod("a", 1), _pod("large", make(size)), _pod("b", 1)])
            seconds, longest = min(_split(body) for _ in range(arguments.rounds))
            lines.append(Line(f"{name}, {len(body):,} bytes", {"seconds": seconds, "longest turn ms": 1000 * longest}))
    return lines


def _split(body: bytes) -> tuple[float, float]:
    """Processor time of the whole, and of the longest turn."""
    splitter = ListSplitter(Decoder(PODS, Object).decode_item)
    turns = []
    for start in range(0, len(body), BYTES_PER_TURN):
        begun = time.process_time()
        splitter.feed(body[start : start + BYTES_PER_TURN])
        turns.append(time.process_time() - begun)
    begun = time.process_time()
    splitter.finish()
    turns.append(time.process_time() - begun)
    return sum(turns), max(turns)


def _pod(name: str, data: object) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default", "resourceVersion": "1"}, "data": data}


def _list(items: list[dict[str, Any]]) -> bytes:
    meta = {"resourceVersion": "7"}
    return msgspec.json.encode({"kind": "PodList", "apiVersion": "v1", "metadata": meta, "items": items})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="bytes of the large item")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best is shown")
    main("Lists with large items", measure, parser)
