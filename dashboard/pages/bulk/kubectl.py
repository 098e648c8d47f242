"""kubectl commands of a bulk run, without uid and version: they apply to any object that has the name by then.

They name objects that change or have changed, not those that are unchanged, refused or gone: another object may have
the name.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence

from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item

_LEFT_OUT = ("same", "refused", "gone")
NAMES_A_LINE = 200
"""Most names in a line, so that no line is longer than a shell accepts."""


def kubectl_commands(
    key: str, operation: BulkOperation, items: Iterable[Item], limit: int | None = None
) -> tuple[list[str], int]:
    """One line for each NAMES_A_LINE objects of a namespace, at most `limit` lines, and the number of all lines.

    A patch command takes one object.
    """
    names: dict[str, list[str]] = {}
    for item in items:
        if item.state in _LEFT_OUT:
            continue
        names.setdefault(item.namespace, []).append(item.name)
    size = 1 if operation.verb == "patch" else NAMES_A_LINE
    parts = [
        (namespace, objects[start : start + size])
        for namespace, objects in names.items()
        for start in range(0, len(objects), size)
    ]
    return [_line(key, operation, namespace, some) for namespace, some in parts[:limit]], len(parts)


def _line(key: str, operation: BulkOperation, namespace: str, names: Sequence[str]) -> str:
    place = ["-n", namespace] if namespace else []
    return shlex.join(["kubectl", operation.verb, key, *names, *place, *_arguments(operation)])


def _arguments(operation: BulkOperation) -> list[str]:
    if operation.verb == "patch":
        kind = "strategic" if operation.strategic else "merge"
        return [f"--type={kind}", "-p", json.dumps(operation.requested_patch, separators=(",", ":"))]
    if operation.deletes:
        words = [] if operation.propagation == "Background" else [f"--cascade={operation.propagation.lower()}"]
        words += [] if operation.grace is None else [f"--grace-period={operation.grace}"]
        return [*words, "--force"] if operation.grace == 0 else words
    pairs: Mapping[str, str | None] = operation.requested_patch["metadata"][
        "labels" if operation.verb == "label" else "annotations"
    ]
    return ["--overwrite", *(f"{name}-" if value is None else f"{name}={value}" for name, value in pairs.items())]
