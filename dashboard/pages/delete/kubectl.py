"""kubectl commands for a deletion and for the removal of a finalizer, without ``kubectl`` itself."""

from __future__ import annotations

import json

from dashboard.pages.delete.options import DeleteOptions
from dashboard.pages.writes.kubectl import object_command
from dashboard.pages.writes.target import Target


def delete_command(target: Target, options: DeleteOptions) -> str:
    """``delete``. kubectl sends no uid and no resourceVersion: it deletes any object that has the name by then."""
    words = []
    if options.propagation != "Background":
        words.append(f"--cascade={options.propagation.lower()}")
    if options.grace is not None:
        words.append(f"--grace-period={options.grace}")
    if options.grace == 0:
        words.append("--force")
    return object_command(target, "delete", options=words)


def finalizer_command(target: Target, uid: str, version: str, finalizers: list[str]) -> str:
    """``patch``, with the same preconditions."""
    patch = {"metadata": {"uid": uid, "resourceVersion": version, "finalizers": finalizers}}
    return object_command(target, "patch", options=["--type=merge", "-p", json.dumps(patch, separators=(",", ":"))])
