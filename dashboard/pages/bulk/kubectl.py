"""kubectl commands of a bulk run, without uid and version: they apply to any object that has the name by then.

They name objects that change or have changed, not those that are unchanged, refused or gone: another object may have
the name. They begin after ``kubectl``, whose call depends on the cluster.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item

_LEFT_OUT = ("same", "refused", "gone")
NAMES_A_LINE = 200
"""Most names in a line, so that no line is longer than a shell accepts."""


def kubectl_commands(
    key: str, operation: BulkOperation, items: Iterable[Item], limit: int | None = None
) -> tuple[list[str], int]:
    """One line for each NAMES_A_LINE objects of a namespace, at most `limit` lines, and the number of all lines.

    A patch command takes one object. kubectl has no command for an undo.
    """
    if operation.undo is not None:
        return [], 0
    names: dict[str, list[str]] = {}
    for item in items:
        if item.state in _LEFT_OUT:
            continue
        names.setdefault(item.namespace, []).append(item.name)
    parts = [(namespace, some) for namespace, objects in names.items() for some in _parts(operation, objects)]
    return [_line(key, operation, namespace, some) for namespace, some in parts[:limit]], len(parts)


def _parts(operation: BulkOperation, names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names for each line: those that need a patch stand alone."""
    together = [name for name in names if not _is_patched(operation, name)]
    for start in range(0, len(together), NAMES_A_LINE):
        yield together[start : start + NAMES_A_LINE]
    for name in names:
        if _is_patched(operation, name):
            yield [name]


def _is_patched(operation: BulkOperation, name: str) -> bool:
    """Whether the line is a patch: ``kubectl label`` takes a name such as ``a=b`` or ``a-`` for a label."""
    if operation.verb in ("label", "annotate"):
        return "=" in name or name.endswith("-")
    return operation.verb == "patch"


def _line(key: str, operation: BulkOperation, namespace: str, names: Sequence[str]) -> str:
    if _is_patched(operation, names[0]):
        return kubectl_arguments("patch", key, names=names, namespace=namespace, options=_patch_options(operation))
    if operation.deletes:
        return kubectl_arguments("delete", key, names=names, namespace=namespace, options=_delete_options(operation))
    return kubectl_arguments(
        operation.verb, key, names=names, namespace=namespace, options=["--overwrite"], pairs=_pairs(operation)
    )


def _patch_options(operation: BulkOperation) -> list[str]:
    kind = "strategic" if operation.strategic else "merge"
    return [f"--type={kind}", "-p", json.dumps(operation.requested_patch, separators=(",", ":"))]


def _delete_options(operation: BulkOperation) -> list[str]:
    words = [] if operation.propagation == "Background" else [f"--cascade={operation.propagation.lower()}"]
    words += [] if operation.grace is None else [f"--grace-period={operation.grace}"]
    return [*words, "--force"] if operation.grace == 0 else words


def _pairs(operation: BulkOperation) -> list[str]:
    pairs: dict[str, str | None] = operation.requested_patch["metadata"][
        "labels" if operation.verb == "label" else "annotations"
    ]
    return [f"{name}-" if value is None else f"{name}={value}" for name, value in pairs.items()]
