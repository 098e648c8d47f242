"""kubectl commands for a deletion and for the removal of a finalizer."""

from __future__ import annotations

import json
import shlex

from dashboard.pages.delete.options import DeleteOptions
from dashboard.pages.writes.target import Target


def delete_command(target: Target, options: DeleteOptions) -> str:
    """``kubectl delete``. kubectl sends no uid and no resourceVersion: it deletes any object that has
    the name by then.
    """
    words = ["kubectl", "delete", target.kind.key, target.name, *namespace_arguments(target)]
    if options.propagation != "Background":
        words.append(f"--cascade={options.propagation.lower()}")
    if options.grace is not None:
        words.append(f"--grace-period={options.grace}")
    if options.grace == 0:
        words.append("--force")
    return shlex.join(words)


def finalizer_command(target: Target, uid: str, version: str, finalizers: list[str]) -> str:
    """``kubectl patch``, with the same preconditions."""
    patch = {"metadata": {"uid": uid, "resourceVersion": version, "finalizers": finalizers}}
    words = ["kubectl", "patch", target.kind.key, target.name, *namespace_arguments(target), "--type=merge"]
    return shlex.join([*words, "-p", json.dumps(patch, separators=(",", ":"))])


def namespace_arguments(target: Target) -> list[str]:
    """``-n`` and the namespace, where the object has one."""
    return ["-n", target.namespace] if target.namespace else []
