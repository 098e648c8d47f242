"""The kubectl commands that do the same, but without uid and version: to whatever has the name by then.

They name what is to be changed or was, not what is so already, was refused or is gone: another one may have its name.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence

from dashboard.bulk.order import Order
from dashboard.bulk.run import Item

_LEFT_OUT = ("same", "refused", "gone")
NAMES_A_LINE = 200
"""So that no line is longer than a shell takes."""


def commands(key: str, order: Order, items: Iterable[Item], most: int | None = None) -> tuple[list[str], int]:
    """A line for at most NAMES_A_LINE objects of a namespace, `most` of them, and how many there are.

    A patch takes one object a line.
    """
    names: dict[str, list[str]] = {}
    for item in items:
        if item.state in _LEFT_OUT:
            continue
        names.setdefault(item.namespace, []).append(item.name)
    size = 1 if order.verb == "patch" else NAMES_A_LINE
    parts = [
        (namespace, found[start : start + size])
        for namespace, found in names.items()
        for start in range(0, len(found), size)
    ]
    return [_line(key, order, namespace, some) for namespace, some in parts[:most]], len(parts)


def _line(key: str, order: Order, namespace: str, names: Sequence[str]) -> str:
    place = ["-n", namespace] if namespace else []
    return shlex.join(["kubectl", order.verb, key, *names, *place, *_what(order)])


def _what(order: Order) -> list[str]:
    if order.verb == "patch":
        kind = "strategic" if order.strategic else "merge"
        return [f"--type={kind}", "-p", json.dumps(order.asked, separators=(",", ":"))]
    if order.deletes:
        words = [] if order.propagation == "Background" else [f"--cascade={order.propagation.lower()}"]
        words += [] if order.grace is None else [f"--grace-period={order.grace}"]
        return [*words, "--force"] if order.grace == 0 else words
    pairs: Mapping[str, str | None] = order.asked["metadata"]["labels" if order.verb == "label" else "annotations"]
    return ["--overwrite", *(f"{name}-" if value is None else f"{name}={value}" for name, value in pairs.items())]
